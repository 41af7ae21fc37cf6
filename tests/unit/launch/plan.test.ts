import { describe, expect, test } from "bun:test";
import { planLaunch } from "../../../src/launch/plan.ts";
import { differences, type Given, GONE, readable, SERVER, situationOf } from "./plan-case.ts";

const plan = (given: Given = {}) => readable(planLaunch(situationOf(given)));

const ORDINARY = {
  provider: "glm",
  file: "/bin/claude",
  args: "--settings settings-glm-plain.json",
  unset: "",
  set: { ...SERVER, ANTHROPIC_AUTH_TOKEN: "t", CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: "1" },
  files: "settings-glm-plain.json",
  agent: {
    env: {
      ...SERVER,
      ANTHROPIC_AUTH_TOKEN: "t",
      CCC_CONFIG_DIR: "/c",
      CCC_LAUNCH: "1",
      CLAUDE_CODE_ATTRIBUTION_HEADER: "0",
    },
    apiKeyHelper: "",
  },
  isShared: true,
  remember: false,
  references: [],
  notices: [],
};

test("an ordinary launch: a server and a token, in the settings and in claude's environment", () =>
  expect(plan()).toEqual(ORDINARY));

test("the ordinary settings blank every other variable that could decide about the provider", () => {
  const { env } = planLaunch(situationOf()).settings.agent.content as { env: Record<string, string> };
  for (const name of ["ANTHROPIC_API_KEY", "CLAUDE_CODE_USE_BEDROCK", "ANTHROPIC_MODEL", "HTTPS_PROXY", "BUN_OPTIONS"])
    expect(env[name]).toBe("");
  expect(Object.values(env).filter((value) => value === "").length).toBeGreaterThan(100);
});

const NO_TOKEN = { ANTHROPIC_AUTH_TOKEN: GONE };
/** What ccc sets because the server is not Anthropic's. */
const NO_DEFAULT = { CLAUDE_CODE_ATTRIBUTION_HEADER: GONE };
const MANAGED = "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST";
/** Settings of one launch have a file of their own. */
const OWN_FILE = {
  args: "--settings settings-glm-plain+CONTENT.json",
  files: "settings-glm-plain+CONTENT.json",
  isShared: false,
};
/** Claude Code runs a command for the key; if it drops the settings, it has a placeholder and no key. */
const HELPED = {
  ANTHROPIC_AUTH_TOKEN: "ccc-settings-not-loaded",
  ANTHROPIC_CUSTOM_HEADERS: "x-api-key: ccc-settings-not-loaded",
  [MANAGED]: GONE,
};
const KEY_COMMAND = "/bin/ccc key glm --config-dir /c";

/** The provider glm with this beside its server. */
const on = (env: Record<string, string>, parts: object = {}): Given => ({
  glm: { env: { ...SERVER, ...env }, ...parts },
});
const withSettings = (settings: object): Given => ({ args: ["--settings", JSON.stringify(settings)] });
/** The same change in claude's environment and in its settings. */
const both = (env: object) => ({ set: env, agent: { env } });

type Row = [situation: string, given: Given, differs: object];

function specify(rows: readonly Row[]): void {
  for (const [situation, given, differs] of rows)
    test(situation, () => expect(differences(plan(given), ORDINARY)).toEqual({ ...differs }));
}

describe("the provider's key", () => {
  const apiKey = { ANTHROPIC_API_KEY: "k", ...NO_TOKEN };
  const shadow = { ANTHROPIC_CUSTOM_HEADERS: "x-api-key: t" };
  const inFile = { field: "providers.glm.env.ANTHROPIC_AUTH_TOKEN", reference: "file:/key" };
  specify([
    ["an API key", on({ ANTHROPIC_API_KEY: "k" }), both(apiKey)],
    [
      "a reference is asked for by a command, and is in no file",
      on({ ANTHROPIC_AUTH_TOKEN: "file:/key" }),
      { set: HELPED, agent: { env: NO_TOKEN, apiKeyHelper: KEY_COMMAND }, references: [inFile] },
    ],
    [
      "an apiKeyHelper",
      on({}, { apiKeyHelper: "print" }),
      { set: HELPED, agent: { env: NO_TOKEN, apiKeyHelper: "print" } },
    ],
    [
      "an apiKeyHelper beside a token in other settings: claude's environment names no server",
      { ...on({}, { apiKeyHelper: "print" }), user: { ANTHROPIC_AUTH_TOKEN: "users" } },
      {
        set: { ...HELPED, ANTHROPIC_BASE_URL: "https://ccc-settings-not-loaded.invalid" },
        agent: { env: NO_TOKEN, apiKeyHelper: "print" },
      },
    ],
    [
      "none: the user's login is used",
      { glm: {} },
      {
        set: { ANTHROPIC_BASE_URL: GONE, ...NO_TOKEN, [MANAGED]: GONE },
        agent: { env: { ANTHROPIC_BASE_URL: GONE, ...NO_TOKEN, ...NO_DEFAULT } },
      },
    ],
    ["a token beside a stored key is sent in its header too", { parts: { hasStoredKey: true } }, both(shadow)],
    [
      "an API key beside a stored key takes its place anyway",
      { ...on({ ANTHROPIC_API_KEY: "k" }), parts: { hasStoredKey: true } },
      both(apiKey),
    ],
    [
      "from the shell",
      { ...on({ ANTHROPIC_AUTH_TOKEN: "${GLM_KEY}" }), shell: { GLM_KEY: "from-shell" } },
      both({ ANTHROPIC_AUTH_TOKEN: "from-shell" }),
    ],
  ]);
});

describe("settings", () => {
  specify([
    ["of the provider", on({ ANTHROPIC_AUTH_TOKEN: "t" }, { model: "opus" }), { agent: { model: "opus" } }],
    [
      "that are shared",
      { shared: { model: "opus", env: { A: "1" } } },
      { set: { A: "1" }, agent: { model: "opus", env: { A: "1" } } },
    ],
    [
      "the provider's over shared ones",
      { ...on({ ANTHROPIC_AUTH_TOKEN: "t" }, { model: "own" }), shared: { model: "opus" } },
      { agent: { model: "own" } },
    ],
    ["a shared key beside the provider's own is left out", { shared: { env: { ANTHROPIC_API_KEY: "k" } } }, {}],
    [
      "a shared key serves a provider without one",
      { ...on({}), shared: { env: { ANTHROPIC_AUTH_TOKEN: "s" } } },
      both({ ANTHROPIC_AUTH_TOKEN: "s" }),
    ],
    ["the user's --settings", withSettings({ model: "m" }), { ...OWN_FILE, agent: { model: "m" } }],
    [
      "the user's --settings over the shared ones",
      { ...withSettings({ model: "m" }), shared: { model: "opus" } },
      { ...OWN_FILE, agent: { model: "m" } },
    ],
    [
      "the user's --settings may choose a model",
      withSettings({ env: { ANTHROPIC_MODEL: "m" } }),
      { ...OWN_FILE, ...both({ ANTHROPIC_MODEL: "m" }) },
    ],
    [
      "the user's --settings may not change the key or the server",
      withSettings({ apiKeyHelper: "x", env: { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: "https://x" } }),
      {
        ...OWN_FILE,
        notices: [
          '--settings sets apiKeyHelper; ignored, because the provider "glm" decides that',
          '--settings sets ANTHROPIC_API_KEY; ignored, because the provider "glm" decides that',
          '--settings sets ANTHROPIC_BASE_URL; ignored, because the provider "glm" decides that',
        ],
      },
    ],
    [
      "a project's variable of a later Claude Code is blanked",
      { project: { ANTHROPIC_TOMORROW: "x" } },
      { ...OWN_FILE, agent: { env: { ANTHROPIC_TOMORROW: "" } } },
    ],
    ["a project's key is blanked anyway", { project: { ANTHROPIC_API_KEY: "theirs" } }, {}],
    [
      "a policy's model wins",
      { policy: { ANTHROPIC_MODEL: "m" } },
      {
        notices: ["your organization's policy sets ANTHROPIC_MODEL (/managed.json); it wins over the provider's model"],
      },
    ],
    [
      "the word of the ccc use hook marks the launch",
      { parts: { word: "w" } },
      { agent: { env: { CCC_LAUNCH: "w" } } },
    ],
  ]);
});

describe("the shell and the network", () => {
  const proxy = { HTTPS_PROXY: "http://proxy", https_proxy: "http://proxy" };
  specify([
    [
      "a key in the shell is not inherited",
      { shell: { ANTHROPIC_API_KEY: "k", A: "1" } },
      { unset: "ANTHROPIC_API_KEY" },
    ],
    ["nor is a reviewer's mark", { shell: { CCC_SUPERVISOR_HOOK: "1" } }, { unset: "CCC_SUPERVISOR_HOOK" }],
    [
      "a proxy of the shell is decided, in both spellings",
      { shell: { HTTPS_PROXY: "http://proxy" } },
      { ...OWN_FILE, agent: { env: proxy } },
    ],
    [
      "a proxy of the user's settings is claude's own too",
      { user: { HTTPS_PROXY: "http://proxy" } },
      { ...OWN_FILE, set: { HTTPS_PROXY: "http://proxy" }, agent: { env: proxy } },
    ],
    [
      "a proxy of a project's settings is ignored",
      { project: { HTTPS_PROXY: "http://theirs" } },
      { notices: ["/project.json sets HTTPS_PROXY; ignored, because it would redirect your key"] },
    ],
  ]);
});

describe("what ccc sets because of the server", () => {
  const chosen = { CLAUDE_CODE_ATTRIBUTION_HEADER: "1" };
  const ownFile = { ...OWN_FILE, agent: { env: chosen } };
  specify([
    [
      "nothing for Anthropic's",
      on({ ANTHROPIC_BASE_URL: "https://api.anthropic.com", ANTHROPIC_AUTH_TOKEN: "t" }),
      {
        ...both({ ANTHROPIC_BASE_URL: "https://api.anthropic.com" }),
        agent: { env: { ANTHROPIC_BASE_URL: "https://api.anthropic.com", ...NO_DEFAULT } },
      },
    ],
    ["the provider's own value wins", on({ ANTHROPIC_AUTH_TOKEN: "t", ...chosen }), both(chosen)],
    ["a shared value wins", { shared: { env: chosen } }, both(chosen)],
    ["a value of the user's settings wins, for this launch's file alone", { user: chosen }, ownFile],
    [
      "a value of a project's settings wins",
      { project: chosen, user: { CLAUDE_CODE_ATTRIBUTION_HEADER: "2" } },
      ownFile,
    ],
    ["a value of the shell wins", { shell: chosen }, ownFile],
    ["the same value elsewhere changes nothing", { user: { CLAUDE_CODE_ATTRIBUTION_HEADER: 0 } }, {}],
    ["a value of --settings wins", withSettings({ env: chosen }), { ...ownFile, set: chosen }],
  ]);
});

describe("arguments", () => {
  const attach = { args: ["attach", "7"] };
  specify([
    ["come after the settings", { args: ["-p", "hi"] }, { args: `${ORDINARY.args} -p hi` }],
    ["a subcommand that takes no settings has the key in its environment", attach, { args: "attach 7" }],
    [
      "a subcommand that takes no settings gets no placeholder for a key by reference",
      { ...on({ ANTHROPIC_AUTH_TOKEN: "file:/key" }), ...attach },
      {
        args: "attach 7",
        set: { ANTHROPIC_BASE_URL: GONE, ...NO_TOKEN, [MANAGED]: GONE },
        agent: { env: NO_TOKEN, apiKeyHelper: KEY_COMMAND },
        references: [{ field: "providers.glm.env.ANTHROPIC_AUTH_TOKEN", reference: "file:/key" }],
      },
    ],
  ]);
});

describe("what a launch leaves behind", () => {
  const loaded = { ...situationOf().loaded, isStamped: false };
  const kimi = { env: { ANTHROPIC_API_KEY: "k" } };
  const onKimi = {
    provider: "kimi",
    args: "--settings settings-kimi-plain.json",
    files: "settings-kimi-plain.json",
    set: { ANTHROPIC_BASE_URL: GONE, ANTHROPIC_API_KEY: "k", ...NO_TOKEN },
    agent: { env: { ANTHROPIC_BASE_URL: GONE, ANTHROPIC_API_KEY: "k", ...NO_TOKEN, ...NO_DEFAULT } },
  };
  specify([
    ["a stamp, for a ccc.json that is new", { parts: { loaded } }, { files: "settings-glm-plain.json checked" }],
    ["nothing, for the current provider by its name", { parts: { named: true } }, {}],
    ["nothing, for another that was not named", { kimi, parts: { provider: "kimi" } }, onKimi],
    [
      "the current provider, for another by its name",
      { kimi, parts: { provider: "kimi", named: true } },
      { ...onKimi, remember: true },
    ],
  ]);
});

describe("a launch that would send a key to the wrong server is refused", () => {
  const table: [situation: string, given: Given, message: string][] = [
    ["no key of the provider's", on({}), "Claude Code would send your Anthropic login to that server"],
    ["a policy with another server", { policy: { ANTHROPIC_BASE_URL: "https://x" } }, "policy sets ANTHROPIC_BASE_URL"],
    [
      "a reference beside a key",
      on({ ANTHROPIC_AUTH_TOKEN: "file:/k", ANTHROPIC_API_KEY: "k" }),
      "is a reference, and beside it",
    ],
    [
      "a variable that is not set",
      on({ ANTHROPIC_AUTH_TOKEN: "${NO_SUCH}" }),
      "NO_SUCH} is not set in the environment",
    ],
  ];
  for (const [situation, given, message] of table) test(situation, () => expect(() => plan(given)).toThrow(message));
});
