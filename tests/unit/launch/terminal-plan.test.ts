import { describe, expect, test } from "bun:test";
import { planLaunch } from "../../../src/launch/plan.ts";
import { isTerminalLaunch, terminalPlan } from "../../../src/launch/terminal-plan.ts";
import { differences, type Given, readable, situationOf } from "./plan-case.ts";

function inTerminal(given: Given = {}) {
  const situation = situationOf(given);
  return terminalPlan(planLaunch(situation), situation);
}

const plain = (given: Given = {}) => planLaunch(situationOf(given));

const PROMPT =
  "/bin/ccc supervisor-prompt --config-dir /c --idle --provider glm --agent-settings '/c/ccc/settings-glm~hooks.json'";

/** What a session in a terminal has and others have not. */
const ADDED = {
  args: "--plugin-dir /c/ccc/plugin --settings settings-glm~hooks.json",
  files: "settings-glm~hooks.json plugin/.claude-plugin/plugin.json plugin/commands/supervisor.md",
  agent: {
    env: { CLAUDE_CODE_SIMPLE: "", CLAUDE_CODE_SAFE_MODE: "", CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "20" },
    disableAllHooks: false,
    allowManagedHooksOnly: false,
    hooks: {
      SessionStart: [PROMPT.replaceAll("/c/ccc/settings", "settings")],
      UserPromptSubmit: [PROMPT.replaceAll("/c/ccc/settings", "settings")],
      Stop: ["/bin/ccc supervisor-hook --announce --config-dir /c --idle"],
    },
  },
};

test("a session in a terminal has ccc's command, and hooks that wait to be switched on", () =>
  expect(differences(readable(inTerminal()), readable(plain()))).toEqual(ADDED));

test("the model does not see the command, and Claude Code completes it with its words", () => {
  const command = inTerminal().files.find(({ path }) => path === "/c/ccc/plugin/commands/supervisor.md");
  expect(command?.content).toContain("disable-model-invocation: true\n");
  expect(command?.content).toContain('argument-hint: "[on|off|status|now]"\n');
});

test("the Stop hook has time for every reviewer and check, and for more reviews than ccc's limit", () => {
  const supervisor = { timeout_seconds: 100, check_timeout_seconds: 10, fallback: ["kimi"], max_iterations: 3 };
  const situation = situationOf();
  const loaded = { ...situation.loaded, config: { ...situation.loaded.config, supervisor } };
  const { content } = terminalPlan(plain(), { ...situation, loaded }).settings.agent;
  expect(JSON.stringify(content)).toContain('"timeout":460,');
  expect(content.env).toMatchObject({ CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "13" });
});

test("with --add-dir, or settings of one launch, the file is the launch's own, and the hooks name both", () => {
  const { args, settings } = inTerminal({ args: ["--add-dir", "/more", "--settings", '{"model":"m"}'] });
  const [, , , file = ""] = args;
  expect(file).toMatch(/^\/c\/ccc\/settings-glm~hooks\+[0-9a-z]+\.json$/);
  expect(settings.agent.path).toBe(file);
  expect(JSON.stringify(settings.agent.content.hooks)).toContain(`--agent-settings '${file}' --add-dir /more`);
  expect(args.slice(4)).toEqual(["--add-dir", "/more"]);
});

test.each([
  ["--add-dir", "/more"],
  ["--settings", '{"model":"m"}'],
] as const)("one of both is enough: %s", (option, value) =>
  expect(inTerminal({ args: [option, value] }).args[3]).toMatch(/^\/c\/ccc\/settings-glm~hooks\+[0-9a-z]+\.json$/),
);

describe("where hooks do not run, the launch is the plain one", () => {
  const forbids = { path: "/p", scope: "project", env: {}, apiKeyHelper: undefined, forbidsHooks: true } as const;
  const none = { settings: [], managed: [], usersText: "" };
  const rows: [string, Given][] = [
    ["--bare", { args: ["--bare"] }],
    ["--safe-mode", { args: ["--safe-mode"] }],
    ["a session that is not saved", { args: ["--no-session-persistence"] }],
    ["the shell", { shell: { CLAUDE_CODE_SIMPLE: "1" } }],
    ["the user's settings", { user: { CLAUDE_CODE_SAFE_MODE: "1" } }],
    ["a project's settings", { project: { CLAUDE_CODE_SIMPLE: "1" } }],
    ["settings without hooks", { parts: { layers: { ...none, settings: [forbids] } } }],
    ["a policy", { parts: { layers: { ...none, managed: [forbids] } } }],
    ["settings on the command line", { args: ["--settings", '{"disableAllHooks":true}'] }],
  ];
  for (const [name, given] of rows) test(name, () => expect(inTerminal(given)).toEqual(plain(given)));
});

test("on Windows the hooks need no shell", () => {
  const { settings } = inTerminal({ parts: { self: "C:\\ccc.exe" } });
  expect(JSON.stringify(settings.agent.content.hooks)).toContain('"command":"C:\\\\ccc.exe","args":["supervisor-hook"');
});

describe("is a session in a terminal", () => {
  const rows: [args: string[], expected: boolean][] = [
    [[], true],
    [["fix the bug"], true],
    [["--resume", "x"], true],
    [["-c"], true],
    [["--plugin-dir", "/own"], true],
    [["--", "-p"], true],
    [["-p", "hi"], false],
    [["-cp", "hi"], false],
    [["--print"], false],
    [["--bg", "hi"], false],
    [["--version"], false],
    [["-h"], false],
    [["mcp", "list"], false],
    [["agents"], false],
    [["attach", "x"], false],
    [["--output-format", "stream-json"], false],
    [["--input-format=stream-json"], false],
  ];
  for (const [args, expected] of rows)
    test(args.join(" ") || "no arguments", () => expect(isTerminalLaunch(args)).toBe(expected));
});
