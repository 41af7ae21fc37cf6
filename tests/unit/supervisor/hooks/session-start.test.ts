import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/paths.ts";
import { checkConsent } from "../../../../src/supervisor/checks/collect.ts";
import {
  bindLaunch,
  callingClaude,
  commandOrigin,
  startInTerminal,
  whyNotUsers,
} from "../../../../src/supervisor/hooks/session-start.ts";
import { HOOK_DEFAULTS } from "../../../../src/supervisor/options.ts";
import { launchEnvironment, launchRecords, openTerminal } from "../../../../src/supervisor/record/launch.ts";
import { openSession } from "../../../../src/supervisor/record/session.ts";
import { fakeWorld } from "../../fakes.ts";

describe("bind launch", () => {
  const SUPERVISOR_MD = "/project/SUPERVISOR.md";
  const matter = (command: string) => `---\nchecks: [${command}]\n---\nlook\n`;

  test("a session that ccc did not start has the checks of its beginning; a project's only after an earlier yes", () => {
    const config = JSON.stringify({ providers: { glm: { env: {} } }, supervisor: { checks: ["own"] } });
    const { world, files } = fakeWorld({
      content: { "/home/u/.claude/ccc.json": config, [SUPERVISOR_MD]: matter("npm test") },
    });
    const paths = cccPaths(world);
    const checks = (id: string) => {
      const session = { project: "/project", isPersistent: true, isNew: false };
      return bindLaunch(world, paths, openSession(world.files, paths, id), session, (action) => action()).checks;
    };
    expect(checks("s1")).toEqual({ commands: ["own"], left_out: ["npm test"] });
    checkConsent(files, paths, "/project", ["npm test"]).save(true);
    expect(checks("s2")).toEqual({ commands: ["own", "npm test"], left_out: [] });
    // What the agent writes later does not count for sessions that have begun.
    files.content[SUPERVISOR_MD] = matter("added");
    files.content["/home/u/.claude/ccc.json"] = config.replace("own", "added");
    expect(checks("s1")).toEqual({ commands: ["own"], left_out: ["npm test"] });
    expect(checks("s2")).toEqual({ commands: ["own", "npm test"], left_out: [] });
  });

  test("a session that ccc did not start is reviewed as `ccc use` settled it, with the instructions of its own folder", () => {
    const { world } = fakeWorld({ content: { [SUPERVISOR_MD]: "look", "/other/claude": "claude" } });
    const paths = cccPaths(world);
    const bind = (id: string) => {
      const session = { project: "/project", isPersistent: true, isNew: false };
      return bindLaunch(world, paths, openSession(world.files, paths, id), session, (action) => action());
    };
    const own = { cwd: "/project", instructions: { path: SUPERVISOR_MD, text: "look" } };
    const found = bind("before");
    expect(found).toMatchObject({ ...own, reviewer: "", claude: "/bin/claude" });
    launchRecords(world.files, paths).saveUse({
      ...{ ...found, cwd: "/home/u", reviewer: "glm", claude: "/other/claude", version: "2.1.325" },
      instructions: { path: null, text: "" },
    });
    expect(bind("after")).toMatchObject({ ...own, reviewer: "glm", claude: "/other/claude", version: "2.1.325" });
  });
});

describe("start in terminal", () => {
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
  const IDLE = { ...HOOK_DEFAULTS, configDir: "/c", isIdle: true, provider: "glm" };

  function place(content: Record<string, string> = {}, stdinWriter: () => number | undefined = () => 7) {
    const env = { HOME: "/home/u", PATH: "/bin", CLAUDE_PID: "7", MINE: "1", THEIRS: "2" };
    const { world, files } = fakeWorld({
      content: { "/c/ccc.json": '{"providers":{"glm":{}}}', ...content },
      env,
      stdinWriter,
    });
    const start = (session: string, source: string, hook = IDLE) => {
      const event = {
        hook_event_name: "SessionStart",
        session_id: session,
        source,
        transcript_path: undefined,
        cwd: undefined,
      } as const;
      return startInTerminal(world, event, hook, paths, openSession(world.files, paths, session), "/project");
    };
    const isOn = (session: string) => openSession(files, paths, session).switch.read()?.is_on;
    const turn = (session: string, is_on: boolean) =>
      openSession(files, paths, session).switch.save({ is_on, is_due: true });
    return { world, files, start, isOn, turn };
  }

  test("what a later supervision relies on is recorded at the start, without variables of the folder's settings", () => {
    const settings = {
      "/project/.claude/settings.json": JSON.stringify({ env: { THEIRS: "2" } }),
      "/project/SUPERVISOR.md": "look",
    };
    const { world, files, start } = place(settings);
    expect(start("a", "startup")).toBeUndefined();
    const { sessions, launch } = openTerminal(files, paths, "7").read() ?? {};
    expect(sessions).toEqual(["a"]);
    expect(launch).toMatchObject({
      cwd: "/project",
      provider: "glm",
      claude: "/bin/claude",
      instructions: { text: "look" },
    });
    if (launch === undefined) throw new Error("nothing was recorded");
    expect(launchEnvironment(launch.environment, world.env)).toMatchObject({ PATH: "/bin", MINE: "1" });
    expect(launchEnvironment(launch.environment, world.env)).not.toHaveProperty("THEIRS");
  });

  test("/clear keeps the switch and what was recorded at the start", () => {
    const { files, start, isOn, turn } = place();
    start("a", "startup");
    const recorded = openTerminal(files, paths, "7").read()?.launch;
    turn("a", true);
    files.content["/project/SUPERVISOR.md"] = "written by the agent";
    start("b", "clear");
    expect(isOn("b")).toBe(true);
    expect(openSession(files, paths, "b").switch.read()?.is_due).toBe(false);
    expect(openTerminal(files, paths, "7").read()).toEqual({ sessions: ["a", "b"], launch: recorded as never });
  });

  test("/clear keeps what a newer version has recorded about the launch", () => {
    const { world, files, start, turn } = place();
    start("a", "startup");
    turn("a", true);
    const launch = { ...openTerminal(files, paths, "7").read()?.launch, from_the_future: ["x"] };
    world.files.writePrivate("/c/ccc/sessions/a/launch.json", JSON.stringify(launch));
    start("b", "clear");
    expect(JSON.parse(files.content["/c/ccc/sessions/b/launch.json"] ?? "")).toEqual(launch);
  });

  test("compaction changes nothing; a resumed session begins as its launch says", () => {
    const { start, isOn, turn } = place();
    start("a", "startup");
    turn("a", true);
    expect(start("a", "compact")).toBeUndefined();
    expect(isOn("a")).toBe(true);
    expect(start("a", "resume")).toBe(
      "supervisor: off, because this launch is without --supervisor. To switch it on again: /ccc:supervisor on",
    );
    expect(isOn("a")).toBeUndefined();
    turn("a", false);
    expect(start("a", "resume", { ...IDLE, isIdle: false })).toBeUndefined();
    expect(isOn("a")).toBeUndefined();
  });

  test("a start that Claude Code did not report changes nothing", () => {
    const { files, start, isOn, turn } = place({}, () => undefined);
    turn("a", true);
    start("a", "startup");
    expect(isOn("a")).toBe(true);
    expect(openTerminal(files, paths, "7").read()).toBeUndefined();
  });
});

describe("typed by user", () => {
  describe("the Claude Code that calls a hook", () => {
    const rows: [string, writer: number | undefined | null, pid: string | undefined, expected: string | undefined][] = [
      ["is who passes the event, and whom the environment names", 7, "7", "7"],
      ["older versions do not name the process", 7, undefined, "7"],
      ["another program that passes an event is not", 8, "7", undefined],
      ["nor is one that passes a file or a pipe", undefined, "7", undefined],
      ["where the system does not tell, the environment counts", null, "7", "7"],
      ["and without it there is none", null, undefined, undefined],
    ];
    for (const [name, writer, CLAUDE_PID, expected] of rows)
      test(name, () =>
        expect(callingClaude({ env: { CLAUDE_PID }, stdinWriter: () => writer })).toBe(expected as never),
      );
  });

  describe("a command is the user's", () => {
    const paths = cccPaths({ env: { CCC_CONFIG_DIR: "/c" }, platform: "linux" });
    const SCHEDULED = "/c/ccc/sessions/s/scheduled.json";
    const event = { hook_event_name: "UserPromptSubmit", session_id: "s", prompt: "/ccc:supervisor off" } as const;
    const why = async (content: Record<string, string>, env: Record<string, string>, session = "s") => {
      const { world } = fakeWorld({ content, env: { CLAUDE_PID: "7", ...env } });
      openTerminal(world.files, paths, "7").start(session, undefined);
      const rest = { transcript_path: undefined, cwd: undefined, prompt_id: undefined, permission_mode: undefined };
      const record = openSession(world.files, paths, "s");
      return whyNotUsers(await commandOrigin(world, paths, record, { ...event, ...rest }, "/project"));
    };
    const scheduled = (prompt: string) => JSON.stringify([{ id: "1", prompt, user_prompt_id: null }]);

    test("in the session that its Claude Code started", async () => expect(await why({}, {})).toBeUndefined());
    test("whatever else is scheduled", async () =>
      expect(await why({ [SCHEDULED]: scheduled("go on") }, {})).toBeUndefined());
    test("not in another session", async () => expect(await why({}, {}, "other")).toContain("does not come from"));
    test("not from a Claude Code that an agent started", async () =>
      expect(await why({}, { CCC_EXEC: "5.2" })).toContain("from within another session"));
    test("not if the agent has scheduled it", async () =>
      expect(await why({ [SCHEDULED]: scheduled("/ccc:supervisor  off") }, {})).toContain("was scheduled"));
    test("not if it is scheduled for all sessions of the project", async () =>
      expect(await why({ "/project/.claude/scheduled_tasks.json": '{"prompt":"/ccc:supervisor off"}' }, {})).toContain(
        "was scheduled",
      ));
  });
});
