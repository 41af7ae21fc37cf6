import { describe, expect, test } from "bun:test";
import type { Layer, Layers } from "../../../src/claude/layers.ts";
import { planLaunch } from "../../../src/launch/plan.ts";
import { isTerminalLaunch, statusCommandLine, statusLinePlan, terminalPlan } from "../../../src/launch/session-plan.ts";
import { differences, type Given, readable, SERVER, situationOf } from "./plan-case.ts";

describe("status line plan", () => {
  /** What the status line changes in a launch. */
  function changed(given: Given = {}, isSupervised = false) {
    const situation = situationOf(given);
    const plain = planLaunch(situation);
    return differences(readable(statusLinePlan(plain, situation, isSupervised)), readable(plain));
  }

  const OWN = { type: "command", command: "mine" };
  const layer = (scope: Layer["scope"]): Layer => {
    return { path: "/s.json", scope, env: {}, apiKeyHelper: undefined, forbidsHooks: false, statusLine: OWN };
  };
  const layers = (parts: Partial<Layers>): Given => ({
    parts: { layers: { settings: [], managed: [], usersText: "", ...parts } },
  });

  describe("a session in the terminal has ccc's status line,", () => {
    test("in a file that sessions without it do not have", () =>
      expect(changed({ args: ["fix it"] })).toEqual({
        args: "--settings settings-glm~status.json fix it",
        files: "settings-glm~status.json",
        agent: {
          statusLine: {
            type: "command",
            command: "/bin/ccc statusline --provider glm --config-dir /c --no-supervisor",
            refreshInterval: 5,
          },
        },
      }));

    test("which is run more often if the session is supervised", () =>
      expect(changed({}, true)).toMatchObject({
        files: "settings-glm~supervised.json",
        agent: { statusLine: { command: expect.stringMatching(/ --supervisor$/), refreshInterval: 2 } },
      }));

    test("named after the content, if it is for this launch alone", () =>
      expect(changed({ args: ["--settings", '{"model":"x"}'] })).toMatchObject({
        files: "settings-glm~status+CONTENT.json",
      }));

    const own: [where: string, given: Given][] = [
      ["--settings", { args: ["--settings", JSON.stringify({ statusLine: OWN })] }],
      ["ccc.json", { shared: { statusLine: OWN } }],
      ["the provider", { glm: { env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: "t" }, statusLine: OWN } }],
      ["the user's settings", layers({ settings: [layer("user")] })],
      ["the project's settings", layers({ settings: [layer("project")] })],
      ["the local settings", layers({ settings: [layer("local")] })],
      ["the organization's policy", layers({ managed: [layer("managed")] })],
    ];
    test.each(own)("but not if there is one in %s", (_, given) => expect(changed(given)).toEqual({}));

    test("but not where its command could not be run", () =>
      expect(changed({ parts: { self: "C:\\My Programs\\ccc.exe" } })).toEqual({}));
  });

  test("sessions with a status line, with hooks, and with both do not share a file", () => {
    const situation = situationOf();
    const plain = planLaunch(situation);
    const shown = statusLinePlan(plain, situation, false);
    const plans = [plain, shown, terminalPlan(plain, situation), terminalPlan(shown, situation)];
    expect(plans.map((plan) => plan.settings.agent.path.replace("/c/ccc/settings-glm", ""))).toEqual([
      "-plain.json",
      "~status.json",
      "~hooks.json",
      "~terminal.json",
    ]);
  });

  describe("the command line of the status line", () => {
    const table: [self: string, folder: string, line: string | undefined][] = [
      ["/usr/bin/ccc", "/home/u/.claude", "/usr/bin/ccc statusline --config-dir /home/u/.claude"],
      ["/it's/ccc", "/a b", "'/it'\\''s/ccc' statusline --config-dir '/a b'"],
      ["C:\\bin\\ccc.exe", "C:\\Users\\u\\.claude", "C:/bin/ccc.exe statusline --config-dir C:/Users/u/.claude"],
      [
        "C:\\bin\\ccc.exe",
        "C:\\Users\\Zoë Li\\.claude",
        'C:/bin/ccc.exe statusline --config-dir "C:/Users/Zoë Li/.claude"',
      ],
      ["C:\\bin\\ccc.exe", "C:\\$HOME", undefined],
      ["C:\\Users\\Zoë Li\\ccc.exe", "C:\\c", undefined],
      ["\\\\server\\share\\ccc.exe", "C:\\c", undefined],
    ];
    test.each(table)("%s in %s", (self, folder, line) =>
      expect(statusCommandLine(self, ["statusline", "--config-dir", folder])).toBe(line as string),
    );
  });
});

describe("terminal plan", () => {
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
    expect(JSON.stringify(settings.agent.content.hooks)).toContain(
      '"command":"C:\\\\ccc.exe","args":["supervisor-hook"',
    );
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
});
