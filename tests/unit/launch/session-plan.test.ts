import { describe, expect, test } from "bun:test";
import type { Layer, Layers } from "../../../src/claude/layers.ts";
import { planLaunch } from "../../../src/launch/plan.ts";
import { terminalPlan } from "../../../src/launch/session-plan.ts";
import { asObject } from "../../../src/text/json.ts";
import { differences, type Given, readable, SERVER, situationOf } from "./plan-case.ts";

/** What a session in the terminal has and others have not. */
function added(given: Given = {}) {
  const situation = situationOf(given);
  const plain = planLaunch(situation);
  return differences(readable(terminalPlan(plain, situation)), readable(plain));
}

function inTerminal(given: Given = {}) {
  const situation = situationOf(given);
  return terminalPlan(planLaunch(situation), situation);
}

const STATUS = {
  type: "command",
  command: "/bin/ccc statusline --provider glm --config-dir /c --no-supervisor",
  refreshInterval: 5,
};
const OWN = { type: "command", command: "mine" };
const layer = (scope: Layer["scope"], parts: Partial<Layer> = {}): Layer => {
  return { path: "/s.json", scope, env: {}, apiKeyHelper: undefined, forbidsHooks: false, ...parts };
};
const layers = (parts: Partial<Layers>): Given => ({
  parts: { layers: { settings: [], managed: [], usersText: "", ...parts } },
});

describe("the status line of a session in the terminal", () => {
  const own: [where: string, given: Given, statusLine: object | undefined][] = [
    ["--settings", { args: ["--settings", JSON.stringify({ statusLine: OWN })] }, OWN],
    ["ccc.json", { shared: { statusLine: OWN } }, OWN],
    ["the provider", { glm: { env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: "t" }, statusLine: OWN } }, OWN],
    ["the user's settings", layers({ settings: [layer("user", { statusLine: OWN })] }), undefined],
    ["the project's settings", layers({ settings: [layer("project", { statusLine: OWN })] }), undefined],
    ["the local settings", layers({ settings: [layer("local", { statusLine: OWN })] }), undefined],
    ["the organization's policy", layers({ managed: [layer("managed", { statusLine: OWN })] }), undefined],
  ];
  test.each(own)("is the user's, if there is one in %s", (_, given, statusLine) =>
    expect(inTerminal(given).settings.agent.content.statusLine).toEqual(statusLine),
  );

  test("is there even if hooks do not run, without ccc's commands", () =>
    expect(added({ args: ["--bare", "fix it"] })).toEqual({
      args: "--settings settings-glm~status.json --bare fix it",
      files: "settings-glm~status.json",
      agent: { statusLine: STATUS },
    }));

  test("is in a file named after the content, if that is for this launch alone", () =>
    expect(added({ args: ["--bare", "--settings", '{"model":"x"}'] })).toMatchObject({
      files: "settings-glm~status+CONTENT.json",
    }));

  describe("has a command line that any shell reads, or there is none", () => {
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
    test.each(table)("%s in %s", (self, folder, line) => {
      const paths = { ...situationOf().paths, folder };
      const { statusLine } = inTerminal({ parts: { self, paths } }).settings.agent.content;
      const { command } = asObject(statusLine);
      expect(command && String(command).replace("--provider glm ", "").replace(" --no-supervisor", "")).toBe(line);
    });
  });
});

describe("a session in the terminal", () => {
  const prompt = (file: string) =>
    `/bin/ccc supervisor-prompt --config-dir /c --idle --provider glm --agent-settings '${file}'`;

  test("has ccc's status line and command, and hooks that wait to be switched on", () =>
    expect(added()).toEqual({
      args: "--plugin-dir /c/ccc/plugin --settings settings-glm~terminal.json",
      files: "settings-glm~terminal.json plugin/.claude-plugin/plugin.json plugin/commands/supervisor.md",
      agent: {
        env: { CLAUDE_CODE_SIMPLE: "", CLAUDE_CODE_SAFE_MODE: "", CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "50" },
        disableAllHooks: false,
        allowManagedHooksOnly: false,
        hooks: {
          SessionStart: [prompt("settings-glm~terminal.json")],
          UserPromptSubmit: [prompt("settings-glm~terminal.json")],
          Stop: ["/bin/ccc supervisor-hook --announce --config-dir /c --idle"],
        },
        statusLine: STATUS,
      },
    }));

  test("does not share its file with one that has hooks alone", () => {
    const { files, agent } = added(layers({ settings: [layer("user", { statusLine: OWN })] }));
    expect(files).toStartWith("settings-glm~hooks.json ");
    expect(agent).toMatchObject({ hooks: { SessionStart: [prompt("settings-glm~hooks.json")] } });
  });

  test("has a command that the model does not see, and that Claude Code completes with its words", () => {
    const command = inTerminal().files.find(({ path }) => path === "/c/ccc/plugin/commands/supervisor.md");
    expect(command?.content).toContain("disable-model-invocation: true\n");
    expect(command?.content).toContain('argument-hint: "[on|off|status|now]"\n');
  });

  test("has a Stop hook with time for every reviewer and check, which may block more often than ccc's limit", () => {
    const supervisor = { timeout_seconds: 100, check_timeout_seconds: 10, fallback: ["kimi"], max_iterations: 3 };
    const situation = situationOf();
    const loaded = { ...situation.loaded, config: { ...situation.loaded.config, supervisor } };
    const { content } = terminalPlan(planLaunch(situation), { ...situation, loaded }).settings.agent;
    expect(JSON.stringify(content)).toContain('"timeout":670,"statusMessage":"supervisor"}');
    expect(content.env).toMatchObject({ CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "22" });
  });

  test("with --add-dir, or settings of one launch, has a file for itself, and the hooks name both", () => {
    const { args, settings } = inTerminal({ args: ["--add-dir", "/more", "--settings", '{"model":"m"}'] });
    const [, , , file = ""] = args;
    expect(file).toMatch(/^\/c\/ccc\/settings-glm~terminal\+[0-9a-z]+\.json$/);
    expect(settings.agent.path).toBe(file);
    expect(JSON.stringify(settings.agent.content.hooks)).toContain(`--agent-settings '${file}' --add-dir /more`);
    expect(args.slice(4)).toEqual(["--add-dir", "/more"]);
  });

  test.each([
    ["--add-dir", "/more"],
    ["--settings", '{"model":"m"}'],
  ] as const)("one of both is enough: %s", (option, value) =>
    expect(inTerminal({ args: [option, value] }).args[3]).toMatch(/^\/c\/ccc\/settings-glm~terminal\+[0-9a-z]+\.json$/),
  );

  describe("has none of ccc's hooks where hooks do not run", () => {
    const forbids = layer("project", { forbidsHooks: true });
    const rows: [string, Given][] = [
      ["--bare", { args: ["--bare"] }],
      ["--safe-mode", { args: ["--safe-mode"] }],
      ["a session that is not saved", { args: ["--no-session-persistence"] }],
      ["the shell", { shell: { CLAUDE_CODE_SIMPLE: "1" } }],
      ["the user's settings", { user: { CLAUDE_CODE_SAFE_MODE: "1" } }],
      ["a project's settings", { project: { CLAUDE_CODE_SIMPLE: "1" } }],
      ["settings without hooks", layers({ settings: [forbids] })],
      ["a policy", layers({ managed: [forbids] })],
      ["settings on the command line", { args: ["--settings", '{"disableAllHooks":true}'] }],
    ];
    for (const [name, given] of rows)
      test(name, () => expect(inTerminal(given).settings.agent.content).not.toHaveProperty("hooks"));
  });

  test("on Windows the hooks need no shell", () => {
    const { settings } = inTerminal({ parts: { self: "C:\\ccc.exe" } });
    expect(JSON.stringify(settings.agent.content.hooks)).toContain(
      '"command":"C:\\\\ccc.exe","args":["supervisor-hook"',
    );
  });
});
