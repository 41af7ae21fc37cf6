import { describe, expect, test } from "bun:test";
import { checkConfig } from "../../../src/config/check.ts";
import type { ProviderEntry } from "../../../src/config/schema.ts";
import { isCommandName } from "../../../src/markers.ts";
import { providerLaunch } from "../../../src/providers/identity.ts";
import type { Preset } from "../../../src/providers/preset-data.ts";
import { findPreset, PRESETS, presetEnv, searchPresets, vendorPresets } from "../../../src/providers/preset-list.ts";
import { lacksWindow, presetOrigin, presetUpdate } from "../../../src/providers/presets.ts";

describe("new provider", () => {
  describe("the user learns of the window that Claude Code assumes", () => {
    const baseUrl = "https://glm.test";
    const table: [what: string, of: Parameters<typeof lacksWindow>[0], window: number | undefined, is: boolean][] = [
      ["for a model that it does not know", { baseUrl, model: "glm-4.7" }, undefined, true],
      ["unless the window is given", { baseUrl, model: "glm-4.7" }, 200_000, false],
      ["unless the model's name says that it is so large", { baseUrl, model: "glm-4.7[1m]" }, undefined, false],
      ["not for Claude", { baseUrl, model: "claude-sonnet-5" }, undefined, false],
      ["not at Anthropic", { baseUrl: undefined, model: "next" }, undefined, false],
      ["not without a model", { baseUrl, model: undefined }, undefined, false],
    ];
    test.each(table)("%s", (_, of, window, is) => expect(lacksWindow(of, window)).toBe(is));
  });
});

describe("preset update", () => {
  /** A provider that was made from the preset as it is now. */
  function madeFrom(preset: Preset, entry: ProviderEntry = {}): ProviderEntry {
    return { ...entry, preset: { name: preset.name, as_of: preset.asOf, env: presetEnv(preset) } };
  }

  function preset(name: string): Preset {
    const found = findPreset(name);
    if (found === undefined) throw new Error(`no preset ${name}`);
    return found;
  }

  const GLM = preset("glm");
  const NOW = presetEnv(GLM);
  const OPUS = "ANTHROPIC_DEFAULT_OPUS_MODEL";
  const SONNET = "ANTHROPIC_DEFAULT_SONNET_MODEL";
  const WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";
  const KEY = { ANTHROPIC_AUTH_TOKEN: "the-key" };
  /** The preset as it was: an older model and window, one variable that is gone, one that did not exist. */
  const { API_TIMEOUT_MS: _new, ...rest } = NOW;
  const THEN = { ...rest, [OPUS]: "glm-4", [WINDOW]: "1", GONE: "1" };
  const note = { name: "glm", as_of: "2026-01-01", env: THEN };

  describe("a provider made from an earlier preset", () => {
    test("gets what has changed; its key and variables of the user's own stay", () => {
      const entry = { permissions: { deny: ["Bash"] }, env: { ...THEN, ...KEY, MINE: 1 }, preset: note };
      expect(presetUpdate("any", entry)).toEqual({
        preset: GLM,
        from: "2026-01-01",
        isGuess: false,
        isNeeded: true,
        hasOtherModels: true,
        kept: [],
        after: { permissions: { deny: ["Bash"] }, env: { ...NOW, ...KEY, MINE: 1 }, ...madeFrom(GLM) },
      });
    });

    const own: [situation: string, env: Record<string, string>, after: Record<string, string>, kept: string[]][] = [
      ["a value that the user has changed", { ...THEN, GONE: "2" }, { ...NOW, GONE: "2" }, ["GONE"]],
      [
        "a model that the user has changed, and its window",
        { ...THEN, [OPUS]: "m" },
        { ...NOW, [OPUS]: "m", [WINDOW]: "1" },
        [OPUS, WINDOW],
      ],
      ["a model of another role, but not the window", { ...THEN, [SONNET]: "m" }, { ...NOW, [SONNET]: "m" }, []],
      ["a value that the user has removed", omit(THEN, OPUS, WINDOW), omit(NOW, OPUS, WINDOW), [OPUS, WINDOW]],
      [
        "a variable that the user set before the preset did",
        { ...THEN, API_TIMEOUT_MS: "5" },
        { ...NOW, API_TIMEOUT_MS: "5" },
        ["API_TIMEOUT_MS"],
      ],
      [
        "a value that already is the new one",
        { ...THEN, [OPUS]: NOW[OPUS] ?? "", [WINDOW]: "7" },
        { ...NOW, [WINDOW]: "7" },
        [WINDOW],
      ],
    ];
    test.each(own)("keeps %s", (_, env, after, kept) => {
      const update = presetUpdate("any", { env: { ...env, ...KEY }, preset: note });
      expect(update?.after.env).toEqual({ ...after, ...KEY });
      expect(update?.kept.map(({ name }) => name).sort()).toEqual(kept.sort());
    });

    test("is not updated where `add --model` set the user's own model", () => {
      const env = {
        ANTHROPIC_BASE_URL: NOW.ANTHROPIC_BASE_URL ?? "",
        ANTHROPIC_MODEL: "m",
        [OPUS]: "m",
        [SONNET]: "m",
      };
      const update = presetUpdate("glm", madeFrom(GLM, { env }));
      expect(update).toMatchObject({ isNeeded: false, kept: [] });
    });

    test("is left alone if this ccc does not have the preset", () => {
      expect(presetUpdate("any", { env: {}, preset: { name: "no-such", env: {} } })).toBeUndefined();
    });
  });

  test.each(PRESETS.map((each) => [each.name, each] as const))(
    "a provider just made from %s is up to date",
    (name, each) => {
      const update = presetUpdate(name, madeFrom(each, { env: { ...presetEnv(each), ...KEY } }));
      expect(update).toMatchObject({ isNeeded: false, kept: [], isGuess: false });
    },
  );

  describe("a provider without a note", () => {
    const url = (ANTHROPIC_BASE_URL: string) => ({ env: { ANTHROPIC_BASE_URL } });
    const table: [name: string, baseUrl: string, guess: string | undefined][] = [
      ["mine", "https://api.z.ai/api/anthropic/", "glm"],
      ["kimi-code-256k", "https://api.kimi.com/coding", "kimi-code-256k"],
      ["mine", "https://api.kimi.com/coding", undefined],
      ["glm", "https://elsewhere.test", undefined],
    ];
    test.each(table)("%s on %s is taken for one of the preset %s", (name, baseUrl, guess) => {
      const origin = presetOrigin(name, url(baseUrl));
      expect(origin.kind === "none" ? undefined : origin.preset?.name).toBe(guess);
    });

    test("gets all values of the preset, and a note", () => {
      const entry = { env: { ...url(NOW.ANTHROPIC_BASE_URL ?? "").env, ...KEY, [OPUS]: "glm-4", MINE: "1" } };
      const update = presetUpdate("mine", entry);
      expect(update).toMatchObject({ isGuess: true, isNeeded: true, from: undefined });
      expect(update?.after).toEqual({ env: { ...NOW, ...KEY, MINE: "1" }, ...madeFrom(GLM) });
    });
  });

  test.each([
    ["other models", { env: THEN, preset: note }, true],
    ["the same models, but another window", { env: { ...THEN, [OPUS]: NOW[OPUS] ?? "" }, preset: note }, false],
    ["the same values", madeFrom(GLM, { env: NOW }), false],
    ["no models for a server of the user's own", { env: { ANTHROPIC_BASE_URL: "https://own.test" } }, false],
  ])("a preset has %s", (_, entry, is) => expect(presetUpdate("any", entry)?.hasOtherModels ?? false).toBe(is));

  function omit(env: Record<string, string>, ...names: string[]): Record<string, string> {
    return Object.fromEntries(Object.entries(env).filter(([name]) => !names.includes(name)));
  }
});

describe("presets", () => {
  const named = (name: string): Preset => {
    const preset = PRESETS.find((one) => one.name === name);
    if (preset === undefined) throw new Error(`unknown preset ${name}`);
    return preset;
  };

  /** A preset as it stands in ccc.json once the user has answered everything. */
  function answered(preset: Preset): Record<string, string> {
    const env = presetEnv(preset);
    if (preset.asksBaseUrl) env.ANTHROPIC_BASE_URL = "https://gateway.example.com";
    for (const name of preset.asks ?? []) env[name] = "an-answer";
    if (preset.token !== undefined) env[preset.token] = preset.tokenDefault ?? "made-up-token";
    return env;
  }

  test("no two presets share a name", () => {
    const names = PRESETS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });

  test("all presets together make a valid ccc.json", () => {
    const providers = Object.fromEntries(PRESETS.map((preset) => [preset.name, { env: answered(preset) }]));
    expect(checkConfig(JSON.stringify({ providers }), "ccc.json").providers).toEqual(providers);
  });

  describe.each(PRESETS.map((preset) => [preset.name, preset] as const))("%s", (name, preset) => {
    test("has a valid name that is not a command", () => {
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(isCommandName(name)).toBe(false);
    });

    test("passes the checks of a launch unchanged, and sends nobody's login to a foreign server", () => {
      const env = answered(preset);
      const config = checkConfig(JSON.stringify({ providers: { [name]: { env } } }), "ccc.json");
      const { problem, configured } = providerLaunch({
        loaded: { config, providers: new Map([[name, config.providers?.[name] ?? {}]]) },
        provider: name,
        env: {},
        managed: [],
        keyCommand: () => "",
        writesKey: false,
      });
      expect(problem).toBeUndefined();
      expect(configured.env).toEqual(env);
    });

    test("keeps the key out of the clear: https, or this machine", () => {
      const url = new URL(preset.baseUrl ?? "https://none.example.com");
      expect(url.protocol === "https:" || ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)).toBe(true);
    });

    test("names the sources and the date of its facts", () => {
      expect(preset.label).not.toBe("");
      expect(new URL(preset.source).protocol).toBe("https:");
      expect(new URL(preset.keyUrl ?? preset.source).protocol).toBe("https:");
      expect(new Date(preset.asOf).toISOString()).toStartWith(`${preset.asOf}T`);
    });

    test("names the page where to get a key, if it needs one", () => {
      const isOwn = preset.asksBaseUrl && preset.baseUrlForm === undefined;
      const needsKey = preset.token !== undefined && preset.tokenDefault === undefined && !isOwn;
      expect(preset.keyUrl !== undefined).toBe(needsKey);
    });

    test("sets no deprecated variable, no key and nothing empty", () => {
      const env = presetEnv(preset);
      for (const variable of ["ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"]) {
        expect(env).not.toContainKey(variable);
      }
      expect(Object.values(env)).not.toContain("");
    });

    test("sets every role, so that none falls back to a model that the server lacks", () => {
      const { models } = preset;
      if (models === undefined) return expect(preset.contextWindow).toBeUndefined();
      for (const role of ["OPUS", "SONNET", "HAIKU", "FABLE"]) {
        expect(presetEnv(preset)).toContainKey(`ANTHROPIC_DEFAULT_${role}_MODEL`);
      }
    });

    test("defers no tools behind tool_reference for a model that is not Claude", () => {
      expect(presetEnv(preset).ENABLE_TOOL_SEARCH).toBe(preset.models === undefined ? undefined : "false");
    });

    test("has an address with one part of the user's own, if it has one", () => {
      const form = preset.baseUrlForm ?? "https://{x}.test";
      expect(form.match(/\{\w+\}/g)).toHaveLength(1);
      expect(URL.canParse(form.replace(/\{\w+\}/, "mine"))).toBe(true);
      expect(preset.baseUrlForm !== undefined && !preset.asksBaseUrl).toBe(false);
    });

    test("promises 1M tokens in a model's name only where the model has them", () => {
      const promises = Object.values(preset.models ?? {}).some((model) => model.endsWith("[1m]"));
      expect(promises && (preset.contextWindow ?? 0) < 1_000_000).toBe(false);
    });
  });

  describe("presetEnv", () => {
    const table: [string, Record<string, string>][] = [
      ["anthropic", {}],
      ["anthropic-api", {}],
      [
        "deepseek",
        {
          ANTHROPIC_BASE_URL: "https://api.deepseek.com/anthropic",
          ANTHROPIC_MODEL: "deepseek-flash[1m]",
          ANTHROPIC_DEFAULT_OPUS_MODEL: "deepseek-flash[1m]",
          ANTHROPIC_DEFAULT_SONNET_MODEL: "deepseek-flash[1m]",
          ANTHROPIC_DEFAULT_HAIKU_MODEL: "deepseek-flash",
          ANTHROPIC_DEFAULT_FABLE_MODEL: "deepseek-flash[1m]",
          ENABLE_TOOL_SEARCH: "false",
          CLAUDE_CODE_SUBAGENT_MODEL: "deepseek-flash",
          CLAUDE_CODE_AUTO_COMPACT_WINDOW: "786432",
        },
      ],
      [
        "glm",
        {
          ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic",
          ANTHROPIC_DEFAULT_OPUS_MODEL: "glm-5.3[1m]",
          ANTHROPIC_DEFAULT_SONNET_MODEL: "glm-5.3[1m]",
          ANTHROPIC_DEFAULT_HAIKU_MODEL: "glm-5.3-flash[1m]",
          ANTHROPIC_DEFAULT_FABLE_MODEL: "glm-5.3[1m]",
          ENABLE_TOOL_SEARCH: "false",
          API_TIMEOUT_MS: "3000000",
          CLAUDE_CODE_AUTO_COMPACT_WINDOW: "1000000",
        },
      ],
      ["bedrock", { CLAUDE_CODE_USE_BEDROCK: "1" }],
      ["vertex", { CLAUDE_CODE_USE_VERTEX: "1", CLOUD_ML_REGION: "global" }],
      ["litellm", {}],
      ["ollama", { ANTHROPIC_BASE_URL: "http://localhost:11434" }],
    ];
    test.each(table)("of %s", (name, expected) => {
      expect(presetEnv(named(name))).toEqual(expected);
    });
  });

  describe("a search", () => {
    const table: [search: string, found: string][] = [
      ["智谱", "glm glm-cn"],
      ["月之暗面", "kimi kimi-cn kimi-code kimi-code-256k"],
      ["豆包", "doubao doubao-agent"],
      ["火山", "doubao doubao-agent"],
      ["百炼", "qwen qwen-cn qwen-coding qwen-coding-cn qwen-token qwen-token-cn"],
      ["小米", "mimo mimo-plan"],
      ["稀宇", "minimax minimax-cn minimax-plan minimax-plan-cn"],
      ["阶跃", "stepfun stepfun-cn"],
      ["深度求索", "deepseek"],
      ["硅基流动", "siliconflow"],
      ["美团", "longcat"],
      ["魔搭", "modelscope"],
      ["百度", "qianfan"],
      ["本地", "ollama lmstudio"],
      ["custom", "litellm"],
      [" OpenRouter ", "openrouter"],
      ["bigmodel.cn", "glm-cn"],
      ["nobody", ""],
    ];
    test.each(table)("for %s finds %s", (search, found) =>
      expect(
        searchPresets(search)
          .map(({ name }) => name)
          .join(" "),
      ).toBe(found),
    );
  });

  describe("a vendor's name", () => {
    const table: [word: string, names: string][] = [
      ["zai", "glm glm-cn"],
      ["Z.AI", "glm glm-cn"],
      ["moonshot", "kimi kimi-cn kimi-code kimi-code-256k"],
      ["claude", "anthropic anthropic-api"],
      ["google", "vertex"],
      ["GLM", "glm"],
      ["glm-cn", "glm-cn"],
      ["z", ""],
      ["work", ""],
    ];
    test.each(table)("%s means %s", (word, names) => expect(vendorPresets(word).join(" ")).toBe(names));

    test("a preset's own name means that one alone, however loosely", () =>
      expect(vendorPresets("glm-cn", true)).toEqual(["glm-cn"]));

    const loosely: [word: string, names: string][] = [
      ["deepsek", "deepseek"],
      ["minmax", "minimax"],
      ["qwne", "qwen"],
      ["glm-4.6", "glm"],
      ["kimi-k2", "kimi"],
      ["qwen3-coder", "qwen"],
      ["moonshot.ai", "kimi kimi-cn kimi-code kimi-code-256k"],
      ["work", ""],
      ["fix", ""],
      ["v2", ""],
    ];
    test.each(loosely)("%s loosely means %s", (word, names) => {
      expect(vendorPresets(word)).toEqual([]);
      expect(vendorPresets(word, true).join(" ")).toBe(names);
    });
  });
});
