import { expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/ccc-paths.ts";
import { HOOK_DEFAULTS } from "../../../../src/supervisor/hook-options.ts";
import { startInTerminal } from "../../../../src/supervisor/hooks/start-in-terminal.ts";
import { launchEnvironment } from "../../../../src/supervisor/record/launch-environment.ts";
import { sessionRecord } from "../../../../src/supervisor/record/session-record.ts";
import { readSwitch, saveSwitch } from "../../../../src/supervisor/record/switch-record.ts";
import { readTerminal } from "../../../../src/supervisor/record/terminal-record.ts";
import { fakeWorld } from "../../fakes.ts";

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
    return startInTerminal(world, event, hook, paths, sessionRecord(paths, session), "/project");
  };
  const isOn = (session: string) => readSwitch(files, sessionRecord(paths, session))?.is_on;
  const turn = (session: string, is_on: boolean) =>
    saveSwitch(files, sessionRecord(paths, session), { is_on, is_due: true });
  return { world, files, start, isOn, turn };
}

test("what a later supervision relies on is recorded at the start, without variables of the folder's settings", () => {
  const settings = {
    "/project/.claude/settings.json": JSON.stringify({ env: { THEIRS: "2" } }),
    "/project/SUPERVISOR.md": "look",
  };
  const { world, files, start } = place(settings);
  expect(start("a", "startup")).toBeUndefined();
  const { sessions, launch } = readTerminal(files, paths, "7") ?? {};
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
  const recorded = readTerminal(files, paths, "7")?.launch;
  turn("a", true);
  files.content["/project/SUPERVISOR.md"] = "written by the agent";
  start("b", "clear");
  expect(isOn("b")).toBe(true);
  expect(readSwitch(files, sessionRecord(paths, "b"))?.is_due).toBe(false);
  expect(readTerminal(files, paths, "7")).toEqual({ sessions: ["a", "b"], launch: recorded as never });
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
  expect(readTerminal(files, paths, "7")).toBeUndefined();
});
