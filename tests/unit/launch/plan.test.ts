import { describe, expect, test } from "bun:test";
import { planLaunch } from "../../../src/launch/plan.ts";
import { NOTHING_DECIDED } from "../../../src/providers/isolation.ts";
import { memoryFiles } from "../fakes.ts";
import { differences, type Given, GONE, IDENTITY, keyCommand, readable, SERVER, situationOf } from "./plan-case.ts";

describe("the user's --settings", () => {
  const files = memoryFiles({
    "/project/a.json": '{"a":1}',
    "/b.json": '{"b":1}',
    "/marked.json": '\uFEFF{"m":1}',
    "/list.json": "[1]",
    "/bad.json": "{secret",
  });
  const fold = (...args: string[]) => situationOf({ args, files }).folded;

  describe("are taken out of the arguments", () => {
    const table: [name: string, args: string[], rest: string[], settings: Record<string, unknown> | undefined][] = [
      ["none", ["-p", "hi"], ["-p", "hi"], undefined],
      ["a file in the folder", ["--settings", "a.json", "-p"], ["-p"], { a: 1 }],
      ["a file by its whole path", ["-p", "--settings=/b.json"], ["-p"], { b: 1 }],
      ["a file with a byte order mark", ["--settings", "/marked.json"], [], { m: 1 }],
      ["JSON", ["--settings", '{"c":"d"}'], [], { c: "d" }],
      ["JSON in one word", ['--settings= {"c":1}'], [], { c: 1 }],
      ["the last one counts", ["--settings", "a.json", "--settings", "/b.json"], [], { b: 1 }],
      ["without a value it stays", ["-p", "--settings"], ["-p", "--settings"], undefined],
      ["after -- it is not an option", ["--", "--settings", "a.json"], ["--", "--settings", "a.json"], undefined],
      ["without a value before --", ["--settings", "--", "x"], ["--settings", "--", "x"], undefined],
    ];
    for (const [name, args, rest, settings] of table) {
      test(name, () => expect(fold(...args)).toEqual({ args: rest, settings }));
    }
    test("a missing file is a usage error that names it", () =>
      expect(() => fold("--settings", "x")).toThrow("no such file: /project/x"));
    test("JSON that is not an object is a usage error that quotes nothing", () => {
      expect(() => fold("--settings", "/list.json")).toThrow("--settings: /list.json is not a JSON object");
      expect(() => fold("--settings", "/bad.json")).toThrow("--settings: /bad.json is not a JSON object");
      expect(() => fold("--settings", "{secret")).toThrow("the JSON given with --settings is not a JSON object");
    });
  });
});

describe("plan", () => {
  const plan = (given: Given = {}) => readable(planLaunch(situationOf(given)));

  const ORDINARY = {
    provider: "glm",
    file: "/bin/claude",
    args: "--settings settings-glm-plain.json",
    unset: "",
    set: {},
    files: "settings-glm-plain.json",
    agent: {
      env: { ...IDENTITY, CCC_CONFIG_DIR: "/c", CCC_LAUNCH: "1", CLAUDE_CODE_ATTRIBUTION_HEADER: "0" },
      apiKeyHelper: keyCommand(),
    },
    isShared: true,
    remember: false,
    references: [],
    notices: [],
  };

  test("an ordinary launch: a server, and a command for the key, which is in no file and no environment", () =>
    expect(plan()).toEqual(ORDINARY));

  test("the ordinary settings blank every other variable that could decide about the provider", () => {
    const { env } = planLaunch(situationOf()).settings.agent.content as { env: Record<string, string> };
    for (const name of [
      "ANTHROPIC_API_KEY",
      "CLAUDE_CODE_USE_BEDROCK",
      "ANTHROPIC_MODEL",
      "HTTPS_PROXY",
      "BUN_OPTIONS",
    ])
      expect(env[name]).toBe("");
    expect(Object.values(env).filter((value) => value === "").length).toBeGreaterThan(100);
  });

  test("a launch that decides no variable at all has nothing that would need a file of its own", () =>
    expect(plan({ parts: { decided: NOTHING_DECIDED } })).toMatchObject({ isShared: true, files: ORDINARY.files }));

  /** What ccc sets because the server is not Anthropic's. */
  const NO_DEFAULT = { CLAUDE_CODE_ATTRIBUTION_HEADER: GONE };
  /** Settings of one launch have a file of their own. */
  const OWN_FILE = {
    args: "--settings settings-glm-plain+CONTENT.json",
    files: "settings-glm-plain+CONTENT.json",
    isShared: false,
  };
  /** For claude -p: if Claude Code drops the settings, requests go nowhere. */
  const GUARD = {
    ANTHROPIC_BASE_URL: "https://ccc-settings-not-loaded.invalid",
    ANTHROPIC_AUTH_TOKEN: "ccc-settings-not-loaded",
    ANTHROPIC_CUSTOM_HEADERS: "x-api-key: ccc-settings-not-loaded",
  };

  const LOGIN = {
    agent: {
      env: {
        ANTHROPIC_BASE_URL: GONE,
        ANTHROPIC_FEDERATION_RULE_ID: GONE,
        ANTHROPIC_ORGANIZATION_ID: GONE,
        ...NO_DEFAULT,
      },
      apiKeyHelper: "",
    },
  };

  /** The provider glm with this beside its server. */
  const on = (env: Record<string, string>, parts: object = {}): Given => ({
    glm: { env: { ...SERVER, ...env }, ...parts },
  });
  const withSettings = (settings: object): Given => ({ args: ["--settings", JSON.stringify(settings)] });

  type Row = [situation: string, given: Given, differs: object];

  function specify(rows: readonly Row[]): void {
    for (const [situation, given, differs] of rows)
      test(situation, () => expect(differences(plan(given), ORDINARY)).toEqual({ ...differs }));
  }

  describe("the provider's key", () => {
    const inFile = { field: "providers.glm.env.ANTHROPIC_AUTH_TOKEN", reference: "file:/key" };
    const noGuard = { ANTHROPIC_FEDERATION_RULE_ID: GONE, ANTHROPIC_ORGANIZATION_ID: GONE };
    specify([
      ["an API key is asked for like a token", on({ ANTHROPIC_API_KEY: "k" }), {}],
      ["a reference too", on({ ANTHROPIC_AUTH_TOKEN: "file:/key" }), { references: [inFile] }],
      ["and a key from the shell", { ...on({ ANTHROPIC_AUTH_TOKEN: "${K}" }), shell: { K: "from-shell" } }, {}],
      ["an apiKeyHelper", on({}, { apiKeyHelper: "print" }), { agent: { apiKeyHelper: "print" } }],
      ["none: the user's login is used", { glm: {} }, LOGIN],
      [
        "for Anthropic's own server, where a claude that the session runs may use the login",
        { glm: { env: { ANTHROPIC_API_KEY: "k" } } },
        { agent: { ...LOGIN.agent, apiKeyHelper: keyCommand("glm", "") } },
      ],
      [
        "written into the settings, for sessions that ccc does not start",
        { parts: { writesKey: true } },
        {
          agent: {
            env: { ANTHROPIC_AUTH_TOKEN: "t", ...noGuard },
            apiKeyHelper: "",
          },
        },
      ],
    ]);
  });

  describe("settings", () => {
    specify([
      ["of the provider", on({ ANTHROPIC_AUTH_TOKEN: "t" }, { model: "opus" }), { agent: { model: "opus" } }],
      [
        "that are shared",
        { shared: { model: "opus", env: { A: "1" } } },
        { agent: { model: "opus", env: { A: "1" } } },
      ],
      [
        "the provider's over shared ones",
        { ...on({ ANTHROPIC_AUTH_TOKEN: "t" }, { model: "own" }), shared: { model: "opus" } },
        { agent: { model: "own" } },
      ],
      ["a shared key beside the provider's own is left out", { shared: { env: { ANTHROPIC_API_KEY: "k" } } }, {}],
      ["a shared key serves a provider without one", { ...on({}), shared: { env: { ANTHROPIC_AUTH_TOKEN: "s" } } }, {}],
      ["the user's --settings", withSettings({ model: "m" }), { ...OWN_FILE, agent: { model: "m" } }],
      [
        "the user's --settings over the shared ones",
        { ...withSettings({ model: "m" }), shared: { model: "opus" } },
        { ...OWN_FILE, agent: { model: "m" } },
      ],
      [
        "the user's --settings may choose a model",
        withSettings({ env: { ANTHROPIC_MODEL: "m" } }),
        { ...OWN_FILE, agent: { env: { ANTHROPIC_MODEL: "m" } } },
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
          notices: [
            "your organization's policy sets ANTHROPIC_MODEL (/managed.json); it wins over the provider's model",
          ],
        },
      ],
      [
        "a launch tells the ccc use hook its secret",
        { parts: { hookSecret: "w" } },
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
        "a proxy of the user's settings too",
        { user: { HTTPS_PROXY: "http://proxy" } },
        { ...OWN_FILE, agent: { env: proxy } },
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
          agent: {
            env: {
              ANTHROPIC_BASE_URL: "https://api.anthropic.com",
              ANTHROPIC_FEDERATION_RULE_ID: GONE,
              ANTHROPIC_ORGANIZATION_ID: GONE,
              ...NO_DEFAULT,
            },
            apiKeyHelper: keyCommand("glm", "https://api.anthropic.com"),
          },
        },
      ],
      ["the provider's own value wins", on({ ANTHROPIC_AUTH_TOKEN: "t", ...chosen }), { agent: { env: chosen } }],
      ["a shared value wins", { shared: { env: chosen } }, { agent: { env: chosen } }],
      ["a value of the user's settings wins, for this launch's file alone", { user: chosen }, ownFile],
      [
        "a value of a project's settings wins",
        { project: chosen, user: { CLAUDE_CODE_ATTRIBUTION_HEADER: "2" } },
        ownFile,
      ],
      ["a value of the shell wins", { shell: chosen }, ownFile],
      ["the same value elsewhere changes nothing", { user: { CLAUDE_CODE_ATTRIBUTION_HEADER: 0 } }, {}],
      ["a value of --settings wins", withSettings({ env: chosen }), ownFile],
    ]);
  });

  describe("arguments", () => {
    specify([
      ["come after the settings", { args: ["hi"] }, { args: `${ORDINARY.args} hi` }],
      ["-p: claude cannot start background sessions", { args: ["-p"] }, { args: `${ORDINARY.args} -p`, set: GUARD }],
      ["--bg: nothing that other sessions would inherit", { args: ["--bg", "x"] }, { args: `${ORDINARY.args} --bg x` }],
      ["-p after --", { args: ["--", "-p"] }, { args: `${ORDINARY.args} -- -p` }],
      ["-p on the user's login", { glm: {}, args: ["-p"] }, { ...LOGIN, args: `${ORDINARY.args} -p` }],
      ["a subcommand that takes no settings", { args: ["attach", "7"] }, { args: "attach 7" }],
    ]);
  });

  describe("a background session whose key is in a variable of the shell", () => {
    const notices = (token: string, args: string[]) =>
      planLaunch(situationOf({ ...on({ ANTHROPIC_AUTH_TOKEN: token }), args, shell: { MY_KEY: "k" } })).notices;
    const told = ["MY_KEY has to be set where Claude Code's background service was started"];
    test("is reported: the service needs the variable, too", () =>
      expect(notices("env:MY_KEY", ["--bg", "x"])).toEqual(told));
    test("is not reported for other sessions", () => expect(notices("env:MY_KEY", [])).toEqual([]));
    test("is not reported for other keys", () => expect(notices("file:/key", ["--bg", "x"])).toEqual([]));
  });

  test("a policy with a model is mentioned, other variables of a policy are not", () => {
    const { notices } = planLaunch(
      situationOf({ policy: { ANTHROPIC_MODEL: "m", ANTHROPIC_SMALL_FAST_MODEL: "", A: "1" } }),
    );
    expect(notices).toEqual([
      "your organization's policy sets ANTHROPIC_MODEL (/managed.json); it wins over the provider's model",
    ]);
  });

  describe("what a launch leaves behind", () => {
    const loaded = { ...situationOf().loaded, isStamped: false };
    const kimi = { env: { ANTHROPIC_API_KEY: "k" } };
    const onKimi = {
      provider: "kimi",
      args: "--settings settings-kimi-plain.json",
      files: "settings-kimi-plain.json",
      agent: { ...LOGIN.agent, apiKeyHelper: keyCommand("kimi", "") },
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
      [
        "a policy with another server",
        { policy: { ANTHROPIC_BASE_URL: "https://x" } },
        "policy sets ANTHROPIC_BASE_URL",
      ],
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
});
