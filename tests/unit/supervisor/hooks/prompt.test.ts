import { describe, expect, test } from "bun:test";
import { CccError } from "../../../../src/errors.ts";
import type { Files } from "../../../../src/os/files.ts";
import { checkConsent } from "../../../../src/supervisor/checks/commands.ts";
import { launchEnvironment, launchRecords, openTerminal } from "../../../../src/supervisor/record/launch.ts";
import type { LaunchRecord } from "../../../../src/supervisor/record/session.ts";
import { type Given, type MemorySession, SESSION, startSession } from "../session-in-memory.ts";

const SUPERVISOR_MD = "/project/SUPERVISOR.md";

describe("when a session starts", () => {
  const told = "Every stop is reviewed by glm. To switch that off in this session: /ccc:supervisor off";
  const sources: [source: string, message: string | undefined][] = [
    ["startup", told],
    ["resume", told],
    ["clear", undefined],
    ["compact", undefined],
  ];
  test.each(sources)("%s", async (source, message) => {
    const { start } = await startSession();
    expect((await start({ source })).answer.systemMessage).toBe(message as string);
  });

  test("with -p nothing is announced", async () => {
    const { start } = await startSession({ env: { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" } });
    expect((await start()).answer).toEqual({});
  });
});

test("a session belongs to the folder that Claude Code was started in, whatever folder the agent is in", async () => {
  const { start, prompt, record } = await startSession({ argv: ["use", "--supervisor", "glm"] });
  await start({ cwd: "/project/sub" });
  await prompt("do it", { cwd: "/project/sub" });
  expect(record().launch.read()?.cwd).toBe("/project");
});

describe("a prompt is recorded", () => {
  const recorded = (session: MemorySession) => session.record().prompts.read();

  test("even if the files at an earlier prompt cannot be read", async () => {
    const refuse: Partial<Files> = {};
    const session = await startSession({ refuse });
    await session.start();
    refuse.read = (path) => {
      if (path.endsWith("/candidates.json")) throw new CccError(`cannot read ${path}: permission denied`);
      return session.files.read(path);
    };
    const { stderr } = await session.prompt("do it");
    expect(stderr).toMatch(/^ccc supervisor-prompt: could not settle .+candidates\.json: permission denied$/m);
    expect(recorded(session)).toMatchObject([{ text: "do it" }]);
  });

  test("even if neither its launch nor Claude Code can be found", async () => {
    const session = await startSession();
    for (const path of Object.keys(session.files.content))
      if (path.includes("/launches/") || path === "/bin/claude") delete session.files.content[path];
    const { stderr } = await session.prompt("do it");
    expect(stderr).toContain("Claude Code was not found");
    expect(recorded(session)).toMatchObject([{ text: "do it" }]);
  });
});

describe("the launch of a session is the one that its hooks name", () => {
  const STRICT = { argv: ["--supervisor", "--check", "strict", "glm"] };
  const launchesIn = ({ files, paths }: Pick<MemorySession, "files" | "paths">) =>
    Object.keys(files.content).filter(
      (path) => /[/\\]launches[/\\].{36}\.json$/.test(path) && path.startsWith(paths.generated),
    );
  const idOf = (path: string) => path.slice(-"00000000-0000-4000-8000-000000000000.json".length, -".json".length);

  /** A session of a strict launch, after which another one was made in the same folder. Both are by id. */
  async function besideAnother() {
    const session = await startSession(STRICT);
    const [strict = ""] = launchesIn(session).map(idOf);
    await session.launch(["--supervisor", "--check", "other", "glm"], {});
    const [other = ""] = launchesIn(session)
      .map(idOf)
      .filter((id) => id !== strict);
    const bound = () => session.record().launch.read();
    return { ...session, strict, other, bound };
  }
  type Beside = Awaited<ReturnType<typeof besideAnother>>;

  /** The same session, opened by a claude of the other launch, which an agent may have started. */
  const openElsewhere = ({ hook, other }: Beside) =>
    hook("SessionStart", { source: "resume" }, { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" }, [`--launch=${other}`]);

  /** Makes its hooks those of an older version, which do not name the launch. */
  const asOlder = ({ files, started }: Beside) => {
    const path = started().args[started().args.indexOf("--settings") + 1] ?? "";
    files.content[path] = files.content[path]?.replaceAll(/"--launch=[^"]*"/g, '"--announce"') ?? "";
  };

  const events: [name: string, event: (session: Beside) => Promise<unknown>][] = [
    ["when it starts", ({ start }) => start()],
    ["when it is resumed", ({ start }) => start({ source: "resume" })],
    ["after /clear", ({ start }) => start({ source: "clear" })],
    ["after compaction", ({ start }) => start({ source: "compact" })],
    ["at a prompt, if the start was not reported", ({ prompt }) => prompt("do it")],
    ["at a stop, if nothing was reported before", ({ stop }) => stop()],
    ["in a worktree", ({ hook }) => hook("SessionStart", {}, { CLAUDE_PROJECT_DIR: "/project/.claude/worktrees/a" })],
    ["in another folder", ({ hook }) => hook("SessionStart", {}, { CLAUDE_PROJECT_DIR: "/elsewhere" })],
  ];
  describe.each(events)("%s", (_, event) => {
    test("beside another launch in its folder", async () => {
      const session = await besideAnother();
      await event(session);
      expect(session.bound()).toMatchObject({ id: session.strict, cwd: "/project", checks: { commands: ["strict"] } });
    });

    test("although another claude has opened the session meanwhile", async () => {
      const session = await besideAnother();
      await session.start();
      await openElsewhere(session);
      expect(session.bound()?.id).toBe(session.other);
      await event(session);
      expect(session.bound()).toMatchObject({ id: session.strict, checks: { commands: ["strict"] } });
      expect(session.bound()).not.toHaveProperty("not_found");
    });
  });

  test("and stays the same if its record is removed while the session runs", async () => {
    const session = await besideAnother();
    await session.start();
    const before = session.bound();
    for (const path of launchesIn(session)) session.files.remove(path);
    expect((await session.start({ source: "resume" })).answer.systemMessage).toStartWith("Every stop is reviewed");
    await session.prompt("do it");
    expect(session.bound()).toEqual(before as LaunchRecord);
  });

  describe("if that is not known, every check that is known for the folder has to pass", () => {
    const removed = ({ files, paths, strict }: Beside) => files.remove(`${paths.generated}/launches/${strict}.json`);
    const table: [name: string, make: (session: Beside) => void, why: string][] = [
      ["hooks of an older version", asOlder, "its hooks are those of an older ccc"],
      ["a record that is gone", removed, "the record of its launch is gone"],
      [
        "a record that is damaged",
        ({ files, paths, strict }) => {
          files.content[`${paths.generated}/launches/${strict}.json`] = "{";
        },
        "the record of its launch is gone",
      ],
    ];
    test.each(table)("%s", async (_, make, why) => {
      const session = await besideAnother();
      session.files.content[session.paths.config] = JSON.stringify({
        ...JSON.parse(session.files.content[session.paths.config] ?? ""),
        supervisor: { checks: ["own"] },
      });
      // The session was in a launch before, too.
      await openElsewhere(session);
      session.record().launch.save({
        ...(session.bound() as LaunchRecord),
        id: "99999999-0000-4000-8000-000000000000",
        checks: { commands: ["earlier"], left_out: [] },
      });
      make(session);
      const { answer } = await session.start({ source: "clear" });
      const found = new Set(session.bound()?.checks.commands);
      expect(["earlier", "other", "own"].filter((each) => !found.has(each))).toEqual([]);
      expect(answer.systemMessage).toContain(`ccc does not know how this session was launched (${why}), so all`);
      expect(answer.systemMessage).toContain("checks known for this folder must pass: earlier; ");
      expect(answer.systemMessage).toContain(`exit, then run \`ccc --supervisor --resume ${SESSION}\``);
      // It is said again with each review, to the reviewer as well.
      const before = session.bound();
      const { answer: stopped } = await session.stop();
      expect(stopped.systemMessage).toContain("ccc does not know how this session was launched");
      expect(session.bound()).toEqual(before as LaunchRecord);
    });

    test("which may be none", async () => {
      const session = await startSession();
      for (const path of launchesIn(session)) session.files.remove(path);
      expect((await session.start()).answer.systemMessage).toContain("so ccc knows of no checks for this folder.");
    });
  });

  test("a session of an older version keeps its own record, which names no launch", async () => {
    const session = await besideAnother();
    await session.start();
    const { id: _, ...old } = session.bound() as LaunchRecord;
    session.record().launch.save(old);
    asOlder(session);
    await session.prompt("do it");
    await session.stop();
    await session.start({ source: "compact" });
    expect(session.bound()).toEqual(old);
  });
});

describe("a session that ccc did not start", () => {
  const use = (given: Given) => startSession({ argv: ["use", "--supervisor", "glm"], ...given });

  test("has the checks of its beginning; a project's only after an earlier yes", async () => {
    const matter = (command: string) => `---\nchecks: [${command}]\n---\nlook\n`;
    const { prompt, record, files, paths } = await use({
      config: { supervisor: { checks: ["own"] } },
      content: { [SUPERVISOR_MD]: matter("npm test") },
    });
    const checks = async (session_id: string) => {
      await prompt("do it", { session_id });
      return record(session_id).launch.read()?.checks;
    };
    expect(await checks("s1")).toEqual({ commands: ["own"], left_out: ["npm test"] });
    checkConsent(files, paths, "/project", ["npm test"]).save(true);
    expect(await checks("s2")).toEqual({ commands: ["own", "npm test"], left_out: [] });
    // What the agent writes later does not count for sessions that have begun.
    files.content[SUPERVISOR_MD] = matter("added");
    files.content[paths.config] = files.content[paths.config]?.replace("own", "added") ?? "";
    expect(await checks("s1")).toEqual({ commands: ["own"], left_out: ["npm test"] });
    expect(await checks("s2")).toEqual({ commands: ["own", "npm test"], left_out: [] });
  });

  test("is reviewed as `ccc use` settled it, with the instructions of its own folder", async () => {
    const { prompt, record, files, paths } = await use({ content: { [SUPERVISOR_MD]: "look" } });
    const launch = async (session_id: string) => {
      await prompt("do it", { session_id });
      return record(session_id).launch.read();
    };
    const own = { cwd: "/project", instructions: { path: SUPERVISOR_MD, text: "look" }, claude: "/bin/claude" };
    expect(await launch("s1")).toMatchObject({ ...own, reviewer: "glm", version: "2.1.325" });
    launchRecords(files, paths).forgetUse();
    expect(await launch("s2")).toMatchObject({ ...own, reviewer: "", version: null });
  });
});

describe("a start in a terminal", () => {
  const env = { CLAUDE_PID: "7", MINE: "1", THEIRS: "2" };

  /** A session without supervision, and what is on record of its claude. */
  async function plain(given: Given = {}) {
    const session = await startSession({ argv: ["glm"], ...given, env });
    const { files, paths } = session;
    return { ...session, terminal: openTerminal(files, paths, "7") };
  }

  test("records what a later supervision relies on, without variables of the folder's settings", async () => {
    const settings = JSON.stringify({ env: { THEIRS: "2" } });
    const { start, terminal } = await plain({
      content: { "/project/.claude/settings.json": settings, [SUPERVISOR_MD]: "look" },
    });
    expect((await start()).answer).toEqual({});
    const { sessions, launch } = terminal.read() ?? {};
    expect(sessions).toEqual([SESSION]);
    const settled = { cwd: "/project", provider: "glm", claude: "/bin/claude", instructions: { text: "look" } };
    expect(launch).toMatchObject(settled);
    const kept = launch && launchEnvironment(launch.environment, { ...env, PATH: "/bin" });
    expect(kept).toMatchObject({ PATH: "/bin", MINE: "1" });
    expect(kept).not.toHaveProperty("THEIRS");
  });

  test("after /clear keeps the switch and what was recorded at first", async () => {
    const { start, terminal, record, files } = await plain();
    await start();
    const launch = terminal.read()?.launch;
    record().switch.save({ is_on: true, is_due: true });
    files.content[SUPERVISOR_MD] = "written by the agent";
    await start({ source: "clear", session_id: "b" });
    expect(record("b").switch.read()).toEqual({ is_on: true, is_due: false });
    expect(terminal.read()).toEqual({ sessions: [SESSION, "b"], ...(launch && { launch }) });
  });

  test("after /clear keeps what a newer version has recorded about the launch", async () => {
    const { start, record, terminal } = await plain();
    await start();
    const launch = terminal.read()?.launch;
    if (launch === undefined) throw new Error("nothing was recorded");
    const newer = { ...launch, from_the_future: ["x"] };
    record().launch.save(newer);
    record().switch.save({ is_on: true, is_due: false });
    await start({ source: "clear", session_id: "b" });
    expect(record("b").launch.read()).toEqual(newer);
  });

  test("of a resumed session begins as its launch says", async () => {
    const { start, record } = await startSession({ env });
    record().switch.save({ is_on: false, is_due: false });
    expect((await start({ source: "resume" })).answer.systemMessage).toStartWith("Every stop is reviewed by glm.");
    expect(record().switch.read()).toBeUndefined();
  });

  test("that Claude Code did not report changes nothing", async () => {
    const { start, record, terminal } = await plain({ parts: { stdinWriter: () => undefined } });
    record().switch.save({ is_on: true, is_due: false });
    await start();
    expect(record().switch.read()?.is_on).toBe(true);
    expect(terminal.read()).toBeUndefined();
  });
});
