import { describe, expect, test } from "bun:test";
import { isVariableName } from "../../../src/claude/accepted-settings.ts";
import { checkConfig } from "../../../src/config/check.ts";
import { changeConfig } from "../../../src/config/edit.ts";
import { messageOf } from "../../../src/errors.ts";
import { PROVIDER_VARIABLES } from "../../../src/providers/variables.ts";

/** What is said about keys that are unknown, or in the wrong object. */
function misplacedKeys(json: object): string[] {
  try {
    checkConfig(JSON.stringify(json), "ccc.json");
    return [];
  } catch (error) {
    return messageOf(error)
      .split("\n")
      .filter((line) => /unknown setting|belongs in/.test(line));
  }
}

describe("check", () => {
  describe("a file that is not JSON is refused with the place", () => {
    const table: [what: string, text: string, where: string][] = [
      ["nothing in it", "", "it is empty"],
      ["only blank lines", " \n\n", "it is empty"],
      ["a comment", '{\n  // mine\n  "providers": {}\n}', "invalid comment token at line 2, column 3"],
      ["a comma too many", '{\n  "providers": {},\n}', "a comma too many at line 2, column 18"],
      ["a comma too many in a list", '{"a": [1,]}', "a comma too many at line 1, column 9"],
      ["a comma too few", '{ "a": 1 "b": 2 }', "comma expected at line 1, column 10"],
      ["no end", '{ "providers": {', "close brace expected at line 1, column 17"],
      ["too many brackets", "[".repeat(100_000), "it is nested too deeply"],
    ];
    test.each(table)("%s", (_, text, where) => {
      expect(() => checkConfig(text, "ccc.json")).toThrow(`ccc.json is not valid JSON: ${where}`);
    });
  });

  test("an empty file is removed, not corrected", () => {
    const advice = "Remove it, then add a provider: ccc provider add";
    expect(() => checkConfig("\n", "ccc.json")).toThrow(expect.objectContaining({ advice }));
  });

  describe("a setting for which Claude Code would drop all others is refused,", () => {
    const table: [where: string, json: object, problem: string][] = [
      ["for all providers", { settings: { permissions: [] } }, "settings.permissions: must be an object"],
      ["for one", { providers: { glm: { permissions: [] } } }, "providers.glm.permissions: must be an object"],
      [
        "beside settings that are right",
        { settings: { model: "m" }, providers: { a: null, b: { model: "m", cleanupPeriodDays: 0 } } },
        "providers.b.cleanupPeriodDays: must be a whole number of at least 1",
      ],
    ];
    test.each(table)("%s", (_, json, problem) =>
      expect(() => checkConfig(JSON.stringify(json), "ccc.json")).toThrow(`ccc.json is not valid\n  ${problem}`),
    );
  });

  test("settings may be empty, or null", () => {
    const json = { settings: null, providers: { a: null, b: {} } };
    expect(checkConfig(JSON.stringify(json), "ccc.json")).toEqual(json);
  });
});

describe("misplaced keys", () => {
  const provider = (own: object) => ({ providers: { glm: own } });
  const ENV = "unknown setting; did you mean env?";

  describe("refused, with the right place:", () => {
    const table: [json: object, problem: string][] = [
      [
        provider({ ANTHROPIC_BASE_URL: "x" }),
        "providers.glm.ANTHROPIC_BASE_URL: environment variables belong in env: providers.glm.env.ANTHROPIC_BASE_URL",
      ],
      [
        provider({ env: {}, API_TIMEOUT_MS: 3000 }),
        "providers.glm.API_TIMEOUT_MS: environment variables belong in env: providers.glm.env.API_TIMEOUT_MS",
      ],
      [
        { settings: { anthropic_api_key: "x" } },
        "settings.anthropic_api_key: environment variables belong in env: settings.env.ANTHROPIC_API_KEY",
      ],
      [
        { CLAUDE_CODE_USE_BEDROCK: "1" },
        "CLAUDE_CODE_USE_BEDROCK: environment variables belong in providers.NAME.env.CLAUDE_CODE_USE_BEDROCK, or in settings.env.CLAUDE_CODE_USE_BEDROCK for all providers",
      ],
      [{ env: {} }, "env: this belongs in providers.NAME.env, or in settings.env for all providers"],
      [
        { glm: { env: { ANTHROPIC_BASE_URL: "x" } } },
        "glm: this looks like a provider, which belongs in providers.glm",
      ],
      [{ glm: { ANTHROPIC_BASE_URL: "x" } }, "glm: this looks like a provider, which belongs in providers.glm"],
      [
        provider({ settings: { env: {} } }),
        "providers.glm.settings: move its content one level up: providers.glm is itself an object of settings",
      ],
      [provider({ supervisor: {} }), "providers.glm.supervisor: this belongs at the top level of ccc.json"],
      [{ settings: { claude_args: [] } }, "settings.claude_args: this belongs at the top level of ccc.json"],
      ...["ANTHROPIC_BASEURL", "ANTHROPIC_BASE_URI", "anthropic_base_url", "ANTRHOPIC_BASE_URL"].map(
        (name): [object, string] => [
          provider({ env: { [name]: "x" } }),
          `providers.glm.env.${name}: unknown variable; did you mean ANTHROPIC_BASE_URL?`,
        ],
      ),
      [
        { settings: { env: { ANTHROPIC_APIKEY: "x" } } },
        "settings.env.ANTHROPIC_APIKEY: unknown variable; did you mean ANTHROPIC_API_KEY?",
      ],
      ...["ANTHROPIC_URL", "ANTHROPIC_API_BASE_URL", "ANTHROPIC_ENDPOINT"].map((name): [object, string] => [
        provider({ env: { [name]: "x" } }),
        `providers.glm.env.${name}: unknown variable; did you mean ANTHROPIC_BASE_URL?`,
      ]),
      ...["baseUrl", "base_url", "url", "endpoint"].map((key): [object, string] => [
        provider({ [key]: "x" }),
        `providers.glm.${key}: unknown setting; this belongs in providers.glm.env.ANTHROPIC_BASE_URL`,
      ]),
      ...["apiKey", "api_key", "token", "auth-token"].map((key): [object, string] => [
        provider({ [key]: "x" }),
        `providers.glm.${key}: unknown setting; this belongs in providers.glm.env.ANTHROPIC_AUTH_TOKEN`,
      ]),
      ...["Env", "ENV", "envs", "evn", "enviroment", "environment", "env_vars", "variables"].map(
        (key): [object, string] => [provider({ [key]: {} }), `providers.glm.${key}: ${ENV}`],
      ),
      [{ settings: { environment: {} } }, `settings.environment: ${ENV}`],
      [provider({ api_key_helper: "x" }), "providers.glm.api_key_helper: unknown setting; did you mean apiKeyHelper?"],
      ...(
        [
          ["provider", "providers"],
          ["Providers", "providers"],
          ["curent_provider", "current_provider"],
          ["currentProvider", "current_provider"],
          ["supervisors", "supervisor"],
          ["setting", "settings"],
          ["claudeArgs", "claude_args"],
        ] as const
      ).map(([key, meant]): [object, string] => [{ [key]: {} }, `${key}: unknown setting; did you mean ${meant}?`]),
    ];
    for (const [json, problem] of table)
      test(problem.split(": ")[0] ?? "", () => {
        expect(() => checkConfig(JSON.stringify(json), "ccc.json")).toThrow(`ccc.json is not valid\n  ${problem}`);
      });

    const supervisor: [key: string, problem: string][] = [
      ["timeout", "supervisor.timeout: unknown setting; did you mean timeout_seconds?"],
      ["colour", "supervisor.colour: unknown setting"],
      ["timeout_second", "supervisor.timeout_second: unknown setting; did you mean timeout_seconds?"],
      ["maxIterations", "supervisor.maxIterations: unknown setting; did you mean max_iterations?"],
      [
        "ANTHROPIC_MODEL",
        "supervisor.ANTHROPIC_MODEL: environment variables belong in providers.NAME.env.ANTHROPIC_MODEL",
      ],
    ];
    for (const [key, problem] of supervisor)
      test(`supervisor.${key}`, () =>
        expect(() => checkConfig(JSON.stringify({ supervisor: { [key]: 1 } }), "ccc.json")).toThrow(problem));

    test("all of them at once, and no value", () => {
      const json = {
        provider: {},
        providers: { glm: { ANTHROPIC_AUTH_TOKEN: "secret-1", Env: "secret-2" } },
        claude_args: 1,
      };
      const check = () => checkConfig(JSON.stringify(json), "ccc.json");
      expect(check).toThrow(/provider: .*\n.*ANTHROPIC_AUTH_TOKEN: .*\n.*Env: .*\n.*claude_args: must be a list/);
      expect(check).not.toThrow("secret");
    });
  });

  describe("a list is not an object:", () => {
    const table: [json: unknown, problem: string][] = [
      [[], "the file: must be an object"],
      [{ providers: [] }, "providers: must be an object"],
      [{ supervisor: [] }, "supervisor: must be an object"],
      [{ folders: [] }, "folders: must be an object"],
      [{ settings: [] }, "settings: must be an object"],
      [{ settings: { env: [] } }, "settings.env: must be an object"],
      [{ providers: { glm: [] } }, "providers.glm: must be an object"],
      [{ providers: { glm: { env: [] } } }, "providers.glm.env: must be an object"],
    ];
    test.each(table)("%j", (json, problem) => {
      expect(() => checkConfig(JSON.stringify(json), "ccc.json")).toThrow(problem);
    });
  });

  describe("allowed:", () => {
    const table: [name: string, json: object][] = [
      ["settings of Claude Code, known or not", provider({ permissions: {}, model: "x", aSettingOfTomorrow: 1 })],
      [
        "notes, and keys that are switched off",
        { notes: "x", team: { a: 1 }, _providers: {}, "//glm": { env: { A_B: 1 } } },
      ],
      ["switched-off keys of a provider", provider({ _env: {}, _ANTHROPIC_MODEL: "x", "#envs": {} })],
      [
        "variables in env, however they are spelt",
        provider({ env: { environment: "x", HTTP_PROXY: "y", settings: "z" } }),
      ],
      ["no provider settings at all", { settings: null, providers: { glm: null } }],
      ["a $schema at every level", { $schema: "x", settings: { $schema: "x" }, providers: { glm: { $schema: "x" } } }],
    ];
    for (const [name, json] of table) test(name, () => expect(misplacedKeys(json)).toEqual([]));

    test("every provider variable", () => {
      expect(PROVIDER_VARIABLES.flatMap((name) => misplacedKeys(provider({ env: { [name]: "" } })))).toEqual([]);
    });

    test.each(["model", "agent", "language", "verbose", "tui", "sandbox", "fallbackModel", "timeZone"])(
      "the setting %s of Claude Code",
      (name) => expect(misplacedKeys(provider({ [name]: 1 }))).toEqual([]),
    );
  });

  test("every provider variable is known to be a variable", () => {
    // A key that begins with an underscore is taken for one that is switched off.
    expect(PROVIDER_VARIABLES.filter((name) => !name.startsWith("_") && !isVariableName(name))).toEqual([]);
  });

  test("unknown keys at the top survive every change", () => {
    const text = '{ "notes": ["mine"], "providers": { "glm": {} } }';
    const after = changeConfig(text, "ccc.json", () => [{ path: ["current_provider"], value: "glm" }]);
    expect(JSON.parse(after)).toEqual({ ...JSON.parse(text), current_provider: "glm" });
  });
});
