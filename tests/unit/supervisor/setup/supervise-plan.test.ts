import { describe, expect, test } from "bun:test";
import { planLaunch } from "../../../../src/launch/plan.ts";
import { loopArguments, loopPlan } from "../../../../src/supervisor/loop/loop-plan.ts";
import { supervisePlan } from "../../../../src/supervisor/setup/supervise-plan.ts";
import type { Supervision } from "../../../../src/supervisor/setup/supervised-settings.ts";
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

const SUPERVISION: Supervision = {
  engine: "hook",
  hookForm: "exec",
  self: "/bin/ccc",
  configDir: "/c",
  limit: 10,
  canWake: true,
  limitWaitSeconds: 0,
  timeoutSeconds: 600,
  checks: [],
  checkTimeoutSeconds: 60,
  reviewerProvider: undefined,
  reviewerModel: undefined,
  fallback: [],
};

function supervised(given: Given = {}, supervision: Partial<Supervision> = {}) {
  const situation = situationOf(given);
  return supervisePlan(planLaunch(situation), situation, { ...SUPERVISION, ...supervision });
}

const reviewLine = (settings: string) =>
  `/bin/ccc supervisor-hook --settings ${settings} --state-dir .claude/ccc --announce --config-dir /c`;
const review = (settings: string) => reviewLine(settings).split(" ");
const RECORD_LINE = "/bin/ccc supervisor-prompt --config-dir /c";
const GUARD_LINE = "/bin/ccc supervisor-guard";
const RECORD = [RECORD_LINE.split(" ")];
const HOOKS_ON = { disableAllHooks: false, allowManagedHooksOnly: false };

const UNATTRIBUTED = { CLAUDE_CODE_ATTRIBUTION_HEADER: "0" };

const ORDINARY = {
  provider: "glm",
  file: "/bin/claude",
  args: "--settings settings-glm.json",
  unset: "",
  set: {},
  files: "settings-glm.json settings-glm-supervisor.json",
  agent: {
    env: {
      ...IDENTITY,
      CCC_CONFIG_DIR: "/c",
      CCC_LAUNCH: "1",
      ...UNATTRIBUTED,
      CLAUDE_CODE_SIMPLE: "",
      CLAUDE_CODE_SAFE_MODE: "",
      CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "20",
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

const OWN_FILES = {
  args: "--settings settings-glm+CONTENT.json",
  files: "settings-glm+CONTENT.json settings-glm-supervisor+CONTENT.json",
  agent: { hooks: { Stop: [review("settings-glm-supervisor+CONTENT.json")] } },
  isShared: false,
};
const KIMI = { env: { ANTHROPIC_BASE_URL: "https://kimi.test", ANTHROPIC_API_KEY: "k" } };
const BY_KIMI = { reviewerProvider: "kimi" };
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
    ["the provider itself as the reviewer", {}, { reviewerProvider: "glm" }, {}],
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
    ["within another supervised session", { shell: { CCC_RUN_NOTES: "n" } }, {}, { unset: "CCC_RUN_NOTES" }],
    ["a model of the reviewer's own", {}, { reviewerModel: "m" }, { reviewer: { env: { ANTHROPIC_MODEL: "m" } } }],
    ["the loop needs no hooks for the agent", {}, { engine: "loop" }, { ...PLAIN, agent: NO_HOOKS }],
    ["a Claude Code that cannot be woken, in files of its own", {}, { canWake: false }, OWN_FILES],
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
      { limit: 3 },
      { agent: { env: { CLAUDE_CODE_STOP_HOOK_BLOCK_CAP: "13" } } },
    ],
    [
      "folders of --add-dir, which the reviewer may read too",
      { args: ["--add-dir", "../lib", "/docs", "--verbose"] },
      {},
      {
        ...OWN_FILES,
        args: `${OWN_FILES.args} --add-dir ../lib /docs --verbose`,
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
      "the word of the ccc use hook, which the reviewer's session is marked with too",
      { parts: { word: "w" } },
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
