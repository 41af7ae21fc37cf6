import { describe, expect, test } from "bun:test";
import { readReviewerName, supervisorSettings } from "../../../../src/config/defaults.ts";
import { cccPaths } from "../../../../src/config/paths.ts";
import { planLaunch, settingsProof } from "../../../../src/launch/plan.ts";
import { loopArguments, loopPlan } from "../../../../src/supervisor/loop/engine.ts";
import { persistentSupervision, supervisePlan, withHandOver } from "../../../../src/supervisor/setup/plan.ts";
import type { Supervision } from "../../../../src/supervisor/setup/supervision.ts";
import { fakeWorld } from "../../fakes.ts";
import {
  differences,
  type Given,
  GONE,
  IDENTITY,
  keyCommand,
  readable,
  SERVER,
  situationOf,
} from "../../launch/plan-case.ts";

const LAUNCH = "11111111-2222-4333-8444-555555555555";
/** The settings of its agent. */
const AGENTS = "settings-glm+11111111222243338444555555555555.json";

const SUPERVISION: Supervision = {
  ...supervisorSettings({ supervisor: { check_timeout_seconds: 60, limit_wait_seconds: 0 } }),
  hookForm: "exec",
  canWake: false,
  self: "/bin/ccc",
  configDir: "/c",
  launch: LAUNCH,
};

test("sessions that ccc does not start are not woken: their Claude Code may be too old for such a hook", () => {
  const supervision = { ...SUPERVISION, canWake: false };
  expect(persistentSupervision(supervision, "/c/reviewer.json", "word").hooks).not.toHaveProperty("StopFailure");
});

describe("the plan of a loop that hands its session over", () => {
  const situation = situationOf({});
  const planned = (engine: "hook" | "loop", canWake: boolean) => {
    const supervision: Supervision = { ...SUPERVISION, engine, canWake };
    return supervisePlan(planLaunch(situation), situation, supervision, false);
  };
  const names = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path.replace("/c/ccc/", ""));

  test("runs the agent without hooks, and has settings with hooks for later", () => {
    const plan = withHandOver(planned("loop", true), planned("hook", true));
    expect(names(plan.files)).toEqual(["settings-glm-plain.json", "settings-glm-supervisor.json", AGENTS]);
    expect(plan.args).toEqual(planned("loop", true).args);
    expect(plan.settings.agent.content).not.toHaveProperty("hooks");
    expect(plan.settings.handOver?.content).toHaveProperty("hooks.Stop");
  });
  test("also writes the reviewer's settings that its hooks name", () => {
    const later = planned("hook", false);
    expect(names(withHandOver(planned("loop", false), later).files)).toEqual(
      expect.arrayContaining(
        names([later.settings.agent, ...(later.settings.reviewer ? [later.settings.reviewer] : [])]),
      ),
    );
  });
});

describe("supervise plan", () => {
  function supervised(given: Given = {}, supervision: Partial<Supervision> = {}, isTerminal = false) {
    const situation = situationOf(given);
    return supervisePlan(planLaunch(situation), situation, { ...SUPERVISION, ...supervision }, isTerminal);
  }

  const reviewLine = (settings: string) =>
    `/bin/ccc supervisor-hook --settings ${settings} --state-dir .claude/ccc --announce --config-dir /c --launch=${LAUNCH}`;
  const review = (settings: string) => reviewLine(settings).split(" ");
  const RECORD_LINE = `/bin/ccc supervisor-prompt --config-dir /c --launch=${LAUNCH}`;
  const GUARD_LINE = "/bin/ccc supervisor-guard";
  const RECORD = [RECORD_LINE.split(" ")];
  const HOOKS_ON = { disableAllHooks: false, allowManagedHooksOnly: false };

  const UNATTRIBUTED = { CLAUDE_CODE_ATTRIBUTION_HEADER: "0" };

  const ORDINARY = {
    provider: "glm",
    file: "/bin/claude",
    args: `--settings ${AGENTS}`,
    unset: "",
    set: {},
    files: `${AGENTS} settings-glm-supervisor.json`,
    agent: {
      env: {
        ...IDENTITY,
        CCC_CONFIG_DIR: "/c",
        CCC_LAUNCH: "1",
        ...UNATTRIBUTED,
        CLAUDE_CODE_SIMPLE: "",
        CLAUDE_CODE_SAFE_MODE: "",
        CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "50",
      },
      apiKeyHelper: keyCommand(),
      ...HOOKS_ON,
      hooks: { SessionStart: RECORD, UserPromptSubmit: RECORD, Stop: [review("settings-glm-supervisor.json")] },
    },
    reviewer: {
      // The same as the agent's, or their requests would not begin alike and share no cache.
      env: { ...IDENTITY, CCC_CONFIG_DIR: "/c", CCC_LAUNCH: "1", ...UNATTRIBUTED },
      // Set in the reviewer's own environment instead.
      undecided: "CCC_SUPERVISOR_HOOK",
      apiKeyHelper: keyCommand(),
      ...HOOKS_ON,
      hooks: { PreToolUse: [GUARD_LINE.split(" ")] },
      permissions: { deny: "no writing" },
    },
    isShared: true,
    remember: false,
    references: [],
    notices: [],
  };

  test("an ordinary supervised launch: the agent has the hooks, the reviewer the same provider and no permission to write", () =>
    expect(readable(supervised())).toEqual(ORDINARY));

  test("one in the terminal has ccc's status line and commands, too", () =>
    expect(differences(readable(supervised({}, {}, true)), ORDINARY)).toEqual({
      args: `--plugin-dir /c/ccc/plugin --settings ${AGENTS}`,
      files: `${AGENTS} settings-glm-supervisor.json plugin/.claude-plugin/plugin.json plugin/commands/supervisor.md`,
      agent: {
        statusLine: {
          type: "command",
          command: "/bin/ccc statusline --provider glm --config-dir /c --supervisor",
          refreshInterval: 2,
        },
      },
    }));

  test("the next one has an agent's file of its own, the same reviewer's, and needs no other proof that Claude Code loads it", () => {
    const next = { launch: "99999999-2222-4333-8444-555555555555" };
    const given = { shared: { theme: "dark" } };
    const [first, second] = [supervised(given), supervised(given, next)];
    expect(second.settings.agent.path).toBe("/c/ccc/settings-glm+99999999222243338444555555555555.json");
    expect(JSON.stringify(second.settings.agent.content)).not.toContain(LAUNCH);
    expect(second.settings.reviewer).toEqual(first.settings.reviewer);
    const { world } = fakeWorld();
    const paths = cccPaths(world);
    settingsProof(first, world, paths).keep();
    expect(settingsProof(second, world, paths).isNeeded(planLaunch(situationOf(given)))).toBe(false);
    expect(
      settingsProof(supervised({ shared: { theme: "light" } }), world, paths).isNeeded(planLaunch(situationOf(given))),
    ).toBe(true);
  });

  const OWN_FILES = {
    files: `${AGENTS} settings-glm-supervisor+CONTENT.json`,
    agent: { hooks: { Stop: [review("settings-glm-supervisor+CONTENT.json")] } },
    isShared: false,
  };
  const KIMI = { env: { ANTHROPIC_BASE_URL: "https://kimi.test", ANTHROPIC_API_KEY: "k" } };
  const BY_KIMI = { provider: "kimi" };
  const PLAIN = {
    args: "--settings settings-glm-plain.json",
    files: "settings-glm-plain.json settings-glm-supervisor.json",
  };
  const KIMIS = {
    env: { ANTHROPIC_BASE_URL: "https://kimi.test" },
    apiKeyHelper: keyCommand("kimi", "https://kimi.test"),
  };
  const NO_HOOKS = {
    env: { CLAUDE_CODE_SIMPLE: GONE, CLAUDE_CODE_SAFE_MODE: GONE, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: GONE },
    disableAllHooks: GONE,
    allowManagedHooksOnly: GONE,
    hooks: GONE,
  };

  describe("a supervised launch", () => {
    const table: [situation: string, given: Given, supervision: Partial<Supervision>, differs: object][] = [
      ["the provider itself as the reviewer", {}, { provider: "glm" }, {}],
      ["another reviewer", { kimi: KIMI }, BY_KIMI, { reviewer: KIMIS }],
      [
        "another reviewer, whose key is a reference",
        { kimi: { env: { ...KIMI.env, ANTHROPIC_API_KEY: "file:/key" } } },
        BY_KIMI,
        {
          reviewer: KIMIS,
          references: [{ field: "providers.kimi.env.ANTHROPIC_API_KEY", reference: "file:/key" }],
        },
      ],
      [
        "another reviewer, and --settings, which are the agent's alone",
        { kimi: KIMI, args: ["--settings", '{"model":"m"}'] },
        BY_KIMI,
        {
          ...OWN_FILES,
          agent: { ...OWN_FILES.agent, model: "m" },
          reviewer: KIMIS,
        },
      ],
      [
        "reviewers to ask if the first cannot review, each with settings and a key of its own",
        { kimi: { env: { ...KIMI.env, ANTHROPIC_API_KEY: "file:/key" } } },
        {
          fallback: [
            { provider: "kimi", model: undefined },
            { provider: "kimi", model: "k2" },
            // The first reviewer itself is not asked again.
            { provider: "glm", model: undefined },
            { provider: "glm", model: "air" },
          ],
        },
        {
          files: `${ORDINARY.files} ${"settings-glm-supervisor+CONTENT.json ".repeat(3).trim()}`,
          fallback: [
            { ...ORDINARY.reviewer, ...KIMIS, env: { ...ORDINARY.reviewer.env, ...KIMIS.env } },
            { ...ORDINARY.reviewer, ...KIMIS, env: { ...ORDINARY.reviewer.env, ...KIMIS.env, ANTHROPIC_MODEL: "k2" } },
            { ...ORDINARY.reviewer, env: { ...ORDINARY.reviewer.env, ANTHROPIC_MODEL: "air" } },
          ],
          references: [{ field: "providers.kimi.env.ANTHROPIC_API_KEY", reference: "file:/key" }],
        },
      ],
      ["a model of the reviewer's own", {}, { model: "m" }, { reviewer: { env: { ANTHROPIC_MODEL: "m" } } }],
      ["the loop needs no hooks for the agent", {}, { engine: "loop" }, { ...PLAIN, agent: NO_HOOKS }],
      ["a Claude Code that cannot be woken", {}, { canWake: false }, {}],
      [
        "hooks for the shell of an older Claude Code, in files of their own",
        {},
        { hookForm: "shell" },
        {
          ...OWN_FILES,
          agent: {
            hooks: {
              SessionStart: [RECORD_LINE],
              UserPromptSubmit: [RECORD_LINE],
              Stop: [reviewLine("settings-glm-supervisor+CONTENT.json")],
            },
          },
          reviewer: { hooks: { PreToolUse: [GUARD_LINE] } },
        },
      ],
      [
        "a limit, and Claude Code's own cap above it",
        {},
        { max_iterations: 3 },
        { agent: { env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "22" } } },
      ],
      [
        "folders of --add-dir, which the reviewer may read too",
        { args: ["--add-dir", "../lib", "/docs", "--verbose"] },
        {},
        {
          ...OWN_FILES,
          args: `${ORDINARY.args} --add-dir ../lib /docs --verbose`,
          reviewer: { permissions: { additionalDirectories: ["../lib", "/docs"] } },
        },
      ],
      [
        "the provider's permissions and hooks, of which the reviewer gets none that allow something",
        {
          glm: {
            env: { ...SERVER, ANTHROPIC_AUTH_TOKEN: "t" },
            permissions: { allow: ["Bash"], defaultMode: "bypassPermissions" },
            hooks: { Stop: [{ hooks: [{ type: "command", command: "mine" }] }] },
          },
        },
        {},
        {
          agent: {
            permissions: { allow: ["Bash"], defaultMode: "bypassPermissions" },
            hooks: { Stop: ["mine", review("settings-glm-supervisor.json")] },
          },
        },
      ],
      [
        "the secret of the ccc use hook, which the reviewer's session gets too",
        { parts: { hookSecret: "w" } },
        {},
        {
          agent: { env: { CCC_LAUNCH: "w" } },
          reviewer: { env: { CCC_LAUNCH: "w", CCC_SUPERVISOR_HOOK: "1:w" }, undecided: GONE },
        },
      ],
      [
        "a ccc.json that is new, and a provider by its name",
        { parts: { named: true, loaded: { ...situationOf().loaded, isStamped: false } } },
        {},
        { files: `${ORDINARY.files} checked` },
      ],
    ];
    for (const [situation, given, supervision, differs] of table)
      test(situation, () =>
        expect(differences(readable(supervised(given, supervision)), ORDINARY)).toEqual({ ...differs }),
      );

    test("is refused if the reviewer cannot be launched", () =>
      expect(() => supervised({ kimi: { env: { ANTHROPIC_BASE_URL: "https://kimi.test" } } }, BY_KIMI)).toThrow(
        "providers.kimi.env has an ANTHROPIC_BASE_URL but no ANTHROPIC_AUTH_TOKEN",
      ));
  });

  test("the loop starts the agent with its prompt, and keeps the other arguments", () => {
    const args = ["--model", "opus", "do it"];
    const plan = loopPlan(supervised({ args }, { engine: "loop" }), loopArguments(args));
    expect(readable(plan).args).toBe(
      "--settings settings-glm-plain.json --model opus --print --verbose --output-format stream-json -- do it",
    );
  });
});

describe("supervised settings", () => {
  const supervision: Supervision = { ...SUPERVISION, self: "/usr/local/bin/ccc", configDir: "/home/me/.claude" };
  const agent = {
    env: { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_MODEL: "m" },
    permissions: {
      allow: ["Bash"],
      ask: ["Read"],
      deny: ["WebFetch"],
      defaultMode: "bypassPermissions",
      additionalDirectories: ["/x"],
    },
    hooks: { Stop: [{ hooks: [{ type: "command", command: "mine" }] }], PreToolUse: [] },
    disableAllHooks: true,
    allowManagedHooksOnly: true,
    enabledPlugins: { "mine@market": true },
    extraKnownMarketplaces: { market: { source: { source: "directory", path: "/market" } } },
    theme: "dark",
  };
  const files = (parts: Partial<Supervision> = {}, args: string[] = []) => {
    const situation = situationOf({ args });
    const plain = planLaunch(situation);
    const launched = { ...plain, settings: { ...plain.settings, agent: { ...plain.settings.agent, content: agent } } };
    const { settings } = supervisePlan(launched, situation, { ...supervision, ...parts }, false);
    if (settings.reviewer === undefined) throw new Error("no reviewer");
    return { agent: settings.agent, reviewer: settings.reviewer };
  };
  const { agent: agents, reviewer: reviewers } = files();

  describe("the settings of a supervised launch", () => {
    test("CLI-10 CLI-12 the agent's have the Stop hook with ccc's absolute path, and keep the user's own hooks", () => {
      expect(agents.content).toMatchObject({ theme: "dark", disableAllHooks: false, allowManagedHooksOnly: false });
      const command = "/usr/local/bin/ccc";
      const args = ["supervisor-prompt", "--config-dir", "/home/me/.claude", `--launch=${LAUNCH}`];
      const record = { hooks: [{ type: "command", command, args, timeout: 10 }] };
      expect(agents.content.hooks).toEqual({
        PreToolUse: [],
        Stop: [
          { hooks: [{ type: "command", command: "mine" }] },
          {
            hooks: [
              {
                type: "command",
                command,
                args: [
                  "supervisor-hook",
                  ...["--settings", "/c/ccc/settings-glm-supervisor.json", "--state-dir", ".claude/ccc", "--announce"],
                  ...["--config-dir", "/home/me/.claude", `--launch=${LAUNCH}`],
                ],
                timeout: 2 * 600 + 21 * 60 + 60,
                statusMessage: "supervisor is reviewing the work",
              },
            ],
          },
        ],
        SessionStart: [record],
        UserPromptSubmit: [record],
      });
    });
    test("a hook waits for usage limits and says what else helps, unless Claude Code is too old for it", () => {
      const command = "/usr/local/bin/ccc";
      const args = ["supervisor-failure", "--config-dir", "/home/me/.claude", `--launch=${LAUNCH}`];
      const wake = { asyncRewake: true, rewakeSummary: "the usage limit has reset" };
      expect(files({ limit_wait_seconds: 100, canWake: true }).agent.content.hooks).toMatchObject({
        StopFailure: [{ hooks: [{ type: "command", command, args, timeout: 340, ...wake }] }],
      });
      expect(files({ limit_wait_seconds: 0, canWake: true }).agent.content.hooks).toHaveProperty("StopFailure");
      expect(files({ limit_wait_seconds: 100, canWake: false }).agent.content.hooks).not.toHaveProperty("StopFailure");
    });
    test("the Stop hook has time for every reviewer, and for each to confirm", () => {
      const fallback = ["kimi", "deepseek"].map(readReviewerName);
      const { hooks } = files({ fallback }).agent.content;
      expect(JSON.stringify(hooks)).toContain(`"timeout":${2 * 3 * 600 + 21 * 60 + 60}`);
      const alone = files({ fallback, confirm: false }).agent.content;
      expect(JSON.stringify(alone.hooks)).toContain(`"timeout":${3 * 600 + 21 * 60 + 60}`);
    });
    test("HOOK-04 Claude Code's own cap is above the limit", () =>
      expect(agents.content.env).toMatchObject({
        ANTHROPIC_AUTH_TOKEN: "t",
        CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "50",
        CCC_SUPERVISOR_HOOK: "",
        CLAUDE_CODE_SIMPLE: "",
      }));
    test("CLI-11 HOOK-20 the reviewer's have ccc's guard as their only hook, no plugins, no write permissions, and are otherwise the same", () => {
      const { hooks, permissions, ...rest } = reviewers.content;
      const command = { type: "command", command: "/usr/local/bin/ccc", args: ["supervisor-guard"] };
      const guard = { ...command, timeout: 60, onFailure: "block" };
      expect(hooks).toEqual({ PreToolUse: [{ matcher: "*", hooks: [guard] }] });
      expect(rest).toEqual({ env: agent.env, theme: "dark", disableAllHooks: false, allowManagedHooksOnly: false });
      expect(permissions).toMatchObject({
        additionalDirectories: ["/x"],
        deny: expect.arrayContaining(["WebFetch", "Edit(**)"]),
      });
      expect(Object.keys(permissions as object)).not.toEqual(expect.arrayContaining(["allow"]));
      expect(Object.keys(permissions as object)).not.toEqual(expect.arrayContaining(["defaultMode"]));
    });
    test("CLI-12 an older Claude Code gets lines for a shell, quoted where needed", () => {
      const { agent: content, reviewer } = files({ hookForm: "shell", self: "/it's here/ccc", configDir: "/a b" });
      const quoted = `'/it'\\''s here/ccc'`;
      const record = { hooks: [{ command: `${quoted} supervisor-prompt --config-dir '/a b' --launch=${LAUNCH}` }] };
      const stop = `${quoted} supervisor-hook --settings ${reviewer.path} --state-dir .claude/ccc --announce --config-dir '/a b' --launch=${LAUNCH}`;
      expect(content.content.hooks).toMatchObject({
        Stop: [{}, { hooks: [{ command: stop }] }],
        SessionStart: [record],
      });
      expect(reviewer.content.hooks).toMatchObject({
        PreToolUse: [{ hooks: [{ command: `${quoted} supervisor-guard` }] }],
      });
      expect(JSON.stringify([content, reviewer])).not.toContain('"args"');
    });
    test("the reviewer may read the folders added to the launch", () => {
      const { reviewer } = files({}, ["--add-dir", "../lib"]);
      expect(reviewer.content.permissions).toMatchObject({ additionalDirectories: ["/x", "../lib"] });
    });
    test("the reviewer's model is its own", () => {
      const { reviewer } = files({ model: "better" });
      expect(reviewer.content).toMatchObject({ env: { ANTHROPIC_MODEL: "better" } });
    });
  });
});
