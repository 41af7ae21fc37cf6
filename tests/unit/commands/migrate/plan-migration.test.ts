import { describe, expect, test } from "bun:test";
import { withoutFormer } from "../../../../src/commands/migrate/carry-out.ts";
import { describeMigration } from "../../../../src/commands/migrate/describe.ts";
import { isNothing, type Leftovers, planMigration } from "../../../../src/commands/migrate/plan-migration.ts";

const found = (parts: Partial<Leftovers> = {}): Leftovers => ({
  settings: {},
  isInUse: false,
  providers: {},
  commands: [],
  patch: undefined,
  ...parts,
});
const glm = { ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic", ANTHROPIC_AUTH_TOKEN: "0123456789abcdef" };

describe("a provider in settings.json", () => {
  const names: [name: string, env: Record<string, unknown>, taken: string[], wanted: string | undefined][] = [
    ["glm", glm, [], undefined],
    ["glm-2", glm, ["glm"], undefined],
    ["glm-3", glm, ["glm", "glm-2"], undefined],
    ["work", glm, ["glm"], "work"],
    ["example", { ANTHROPIC_BASE_URL: "https://api.example.com/v1", ANTHROPIC_AUTH_TOKEN: "k" }, [], undefined],
    ["local", { ANTHROPIC_BASE_URL: "http://127.0.0.1:9999", ANTHROPIC_AUTH_TOKEN: "k" }, [], undefined],
    ["mine", { ANTHROPIC_BASE_URL: "https://use.example", ANTHROPIC_AUTH_TOKEN: "k" }, [], undefined],
    ["anthropic-api", { ANTHROPIC_API_KEY: "k" }, [], undefined],
    ["anthropic", { CLAUDE_CODE_OAUTH_TOKEN: "k" }, [], undefined],
  ];
  test("a misspelt variable, which ccc.json refuses, stays where it is", () => {
    const { provider, remove } = planMigration(found({ settings: { env: { ...glm, ANTHROPIC_API_URL: "x" } } }));
    expect(provider?.settings).toEqual({ env: glm });
    expect(remove).not.toContainEqual(["env", "ANTHROPIC_API_URL"]);
  });
  test("is not migrated if a launch would refuse it", () => {
    const env = { ANTHROPIC_BASE_URL: "https://gateway.example", ANTHROPIC_CUSTOM_HEADERS: "x-key: k" };
    const plan = planMigration(found({ settings: { env } }), undefined);
    expect(plan).toMatchObject({ provider: undefined, keyless: "https://gateway.example", remove: [] });
    expect(isNothing(plan)).toBe(true);
  });
  for (const [name, env, taken, wanted] of names) {
    test(`is called ${name}`, () => {
      const providers = Object.fromEntries(taken.map((each) => [each, {}]));
      expect(planMigration(found({ settings: { env }, providers }), wanted).provider?.name).toBe(name);
    });
  }

  test("moves with its variables; the rest stays", () => {
    const settings = { env: { ...glm, MINE: "1", ANTHROPIC_MODEL: "", API_TIMEOUT_MS: "9" }, apiKeyHelper: "cat k" };
    const { provider, remove } = planMigration(found({ settings }));
    expect(provider?.settings).toEqual({ env: glm, apiKeyHelper: "cat k" });
    expect(remove).toEqual([["env", "ANTHROPIC_BASE_URL"], ["env", "ANTHROPIC_AUTH_TOKEN"], ["apiKeyHelper"]]);
  });

  test("numbers and booleans move as text; what is no value of a variable stays", () => {
    const odd = { ANTHROPIC_MODEL: ["m"], ANTHROPIC_SMALL_FAST_MODEL: null, ANTHROPIC_BETAS: { a: 1 } };
    const settings = { env: { ANTHROPIC_API_KEY: 1234, CLAUDE_CODE_USE_BEDROCK: true, ...odd } };
    const { provider, remove } = planMigration(found({ settings }));
    expect(provider?.settings).toEqual({ env: { ANTHROPIC_API_KEY: "1234", CLAUDE_CODE_USE_BEDROCK: "true" } });
    expect(remove).toHaveLength(2);
  });

  test("is only removed if ccc.json already has it", () => {
    const providers = { mine: { env: glm } };
    expect(planMigration(found({ settings: { env: glm }, providers })).provider).toMatchObject({
      name: "mine",
      isThere: true,
    });
  });

  const nothing: [string, Partial<Leftovers>][] = [
    ["no settings", {}],
    ["a model alone", { settings: { env: { ANTHROPIC_MODEL: "opus", MINE: "1" } } }],
    ["blanks", { settings: { env: { ANTHROPIC_API_KEY: "" } } }],
    ["what `ccc use` wrote", { settings: { env: glm }, isInUse: true }],
    ["settings that are not an object", { settings: [1] }],
    [
      "the hook of `ccc use`",
      { settings: { hooks: { Stop: [{ hooks: [{ command: "/b/ccc supervisor-hook --announce --persistent" }] }] } } },
    ],
    ["somebody else's hooks", { settings: { hooks: { Stop: [{ hooks: [{ command: "./my-ccc.sh" }] }, 5], Odd: 1 } } }],
  ];
  for (const [name, parts] of nothing)
    test(`is not there: ${name}`, () => expect(isNothing(planMigration(found(parts)))).toBe(true));
});

describe("hooks of the Go ccc", () => {
  const commands = [
    "/usr/local/bin/ccc supervisor-hook",
    "ccc supervisor-hook --state-dir .claude/ccc",
    '"/a b/ccc" supervisor-hook',
    "/x/ccc-supervisor-hook",
  ];
  for (const command of commands) {
    test(command, () => {
      const entry = { hooks: [{ type: "command", command, timeout: 600 }] };
      const text = JSON.stringify({ hooks: { Stop: [entry] }, theme: "dark" }, null, 2);
      const plan = planMigration(found({ settings: JSON.parse(text) }));
      expect(plan.hooks).toMatchObject([{ event: "Stop", command }]);
      expect(JSON.parse(withoutFormer(text, plan))).toEqual({ theme: "dark" });
    });
  }
  test("others beside them stay", () => {
    const mine = { type: "command", command: "mine" };
    const theirs = { type: "command", command: "/b/ccc supervisor-hook" };
    const hooks = {
      Stop: [{ hooks: [mine] }, { hooks: [theirs] }],
      PreToolUse: [{ matcher: "AskUserQuestion", hooks: [mine, theirs] }],
    };
    const text = JSON.stringify({ hooks }, null, "\t");
    const plan = planMigration(found({ settings: { hooks } }));
    expect(JSON.parse(withoutFormer(text, plan))).toEqual({
      hooks: { Stop: [{ hooks: [mine] }], PreToolUse: [{ matcher: "AskUserQuestion", hooks: [mine] }] },
    });
  });
});

test("the description of a plan masks keys", () => {
  const patch = { claude: "/b/claude", real: "/b/ccc-claude", obstacle: "you may not write there" };
  // A variable that ccc does not know may hold a key.
  const env = { ...glm, ANTHROPIC_TOMORROW: "nobody-knows-0123" };
  const plan = planMigration(found({ settings: { env }, commands: ["/c/supervisor.md"], patch }));
  const text = describeMigration(plan, "/s.json", "/ccc.json").join("\n");
  expect(text).toContain('Save it as "glm" in /ccc.json');
  expect(text).toContain("ANTHROPIC_AUTH_TOKEN = ***cdef");
  expect(text).toContain("ANTHROPIC_TOMORROW = ***0123");
  expect(text).toContain("sudo mv /b/ccc-claude /b/claude");
  expect(text).not.toContain(glm.ANTHROPIC_AUTH_TOKEN);
  expect(text).not.toContain("apiKeyHelper");
});

test("the description of a plan names references and a helper, which are no keys", () => {
  const settings = { env: { ...glm, ANTHROPIC_AUTH_TOKEN: "env:MY_GLM_KEY" }, apiKeyHelper: "pass show glm" };
  const lines = describeMigration(planMigration(found({ settings })), "/s.json", "/ccc.json");
  expect(lines).toContain("    ANTHROPIC_AUTH_TOKEN = env:MY_GLM_KEY");
  expect(lines).toContain("    apiKeyHelper");
});
