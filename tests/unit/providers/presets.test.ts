import { describe, expect, test } from "bun:test";
import { checkConfig } from "../../../src/config/check.ts";
import { isCommandName } from "../../../src/config/command-names.ts";
import { configuredSettings } from "../../../src/providers/configured-settings.ts";
import { requireCredential } from "../../../src/providers/isolate.ts";
import { presetEnv } from "../../../src/providers/preset-env.ts";
import { PRESETS, type Preset, searchPresets } from "../../../src/providers/presets.ts";

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
    const { identity } = configuredSettings(config, name, config.providers?.[name] ?? {}, {});
    expect(identity.env).toEqual(env);
    expect(() => requireCredential(identity, name)).not.toThrow();
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
