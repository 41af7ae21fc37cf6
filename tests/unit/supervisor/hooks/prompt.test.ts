import { describe, expect, test } from "bun:test";
import { checkConsent } from "../../../../src/supervisor/checks/commands.ts";
import { launchEnvironment, launchRecords, openTerminal } from "../../../../src/supervisor/record/launch.ts";
import { type Given, SESSION, startSession } from "../session-in-memory.ts";

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
