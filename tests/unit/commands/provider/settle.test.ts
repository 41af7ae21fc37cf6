import { describe, expect, test } from "bun:test";
import { type Given, settle } from "../../../../src/commands/provider/settle.ts";
import { newSettings } from "../../../../src/providers/new-provider.ts";
import { SHORTEST_KEY } from "../../../../src/text/secret.ts";

const KEY = "sk-0123456789abcdef";

/** The entry that ccc.json gets. */
function entry(given: Given, env: Record<string, string> = {}) {
  const { name, provider, key, written } = settle(given, env);
  return { [name]: newSettings(provider, key ?? written) };
}

describe("settle", () => {
  test("a preset by its own name, with its models", () => {
    const { glm } = entry({ name: "glm", key: KEY });
    expect(glm?.env).toMatchObject({
      ANTHROPIC_BASE_URL: "https://api.z.ai/api/anthropic",
      ANTHROPIC_AUTH_TOKEN: KEY,
      ANTHROPIC_DEFAULT_SONNET_MODEL: expect.any(String),
    });
  });
  test("a preset under another name", () => {
    expect(Object.keys(entry({ name: "work", preset: "kimi", reference: "env:K" }))).toEqual(["work"]);
  });
  test("a server of the user's own, and a model for every role", () => {
    expect(entry({ baseUrl: "https://llm.example.com/x/", model: "m", reference: "file:k" })).toEqual({
      llm: {
        env: {
          ANTHROPIC_BASE_URL: "https://llm.example.com/x",
          ANTHROPIC_AUTH_TOKEN: "file:k",
          ANTHROPIC_MODEL: "m",
          ANTHROPIC_DEFAULT_OPUS_MODEL: "m",
          ANTHROPIC_DEFAULT_SONNET_MODEL: "m",
          ANTHROPIC_DEFAULT_HAIKU_MODEL: "m",
          ANTHROPIC_DEFAULT_FABLE_MODEL: "m",
          ENABLE_TOOL_SEARCH: "false",
          CLAUDE_CODE_SUBAGENT_MODEL: "m",
        },
      },
    });
  });
  describe("a model", () => {
    const env = (given: Given) => Object.values(entry({ reference: "env:K", ...given }))[0]?.env ?? {};
    const own = { baseUrl: "https://llm.example.com" };
    const table: [what: string, given: Given, expected: Record<string, string | undefined>][] = [
      [
        "that is Claude keeps tool search",
        { ...own, model: "anthropic/claude-sonnet-5" },
        { ENABLE_TOOL_SEARCH: undefined },
      ],
      ["that is not named keeps tool search", own, { ENABLE_TOOL_SEARCH: undefined }],
      [
        "at Anthropic's own server is Claude whatever its name",
        { preset: "anthropic-api", model: "next" },
        { ENABLE_TOOL_SEARCH: undefined },
      ],
      [
        "in a cloud is Claude whatever its name",
        { preset: "bedrock", model: "arn:x", reference: undefined, asked: { AWS_REGION: "r" } },
        { ENABLE_TOOL_SEARCH: undefined },
      ],
      [
        "of one's own replaces what a preset knows of its own",
        { preset: "glm", model: "glm-4.7" },
        {
          CLAUDE_CODE_AUTO_COMPACT_WINDOW: undefined,
          ANTHROPIC_DEFAULT_FABLE_MODEL: "glm-4.7",
          ENABLE_TOOL_SEARCH: "false",
        },
      ],
      ["may get the full system prompt", { ...own, fullPrompt: true }, { CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT: "0" }],
      ["gets the short one otherwise", { preset: "glm" }, { CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT: undefined }],
    ];
    for (const [what, given, expected] of table)
      test(what, () => {
        const found = env(given);
        for (const [name, value] of Object.entries(expected)) expect([name, found[name]]).toEqual([name, value]);
      });
  });
  test("a key goes into x-api-key on request", () => {
    const asApiKey = true;
    expect(entry({ name: "glm", key: KEY, asApiKey }).glm?.env).toMatchObject({ ANTHROPIC_API_KEY: KEY });
    expect(entry({ name: "glm", key: KEY, asApiKey }).glm?.env).not.toContainKey("ANTHROPIC_AUTH_TOKEN");
    expect(entry({ baseUrl: "http://127.0.0.1:8000", asApiKey }).local?.env).toMatchObject({
      ANTHROPIC_API_KEY: "none",
    });
    expect(() => settle({ name: "anthropic", key: KEY, asApiKey }, {})).toThrow("takes no key");
  });
  test("for an address with a part that the user fills in, that part is enough", () => {
    const given = { preset: "qwen", reference: "env:K" };
    const whole = "https://ws-1.ap-southeast-1.maas.aliyuncs.com/apps/anthropic";
    expect(entry({ ...given, baseUrl: "ws-1" }).qwen?.env).toMatchObject({ ANTHROPIC_BASE_URL: whole });
    expect(entry({ name: "qwen", reference: "env:K", baseUrl: "ws-1" }).qwen?.env).toMatchObject({
      ANTHROPIC_BASE_URL: whole,
      ANTHROPIC_DEFAULT_OPUS_MODEL: "qwen3.7-max",
    });
    expect(entry({ ...given, baseUrl: whole }).qwen?.env).toMatchObject({ ANTHROPIC_BASE_URL: whole });
    expect(() => settle(given, {})).toThrow("for example https://{WorkspaceId}.");
  });
  test("a server on this machine needs no key", () => {
    expect(entry({ baseUrl: "http://127.0.0.1:8000" })).toEqual({
      local: { env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:8000", ANTHROPIC_AUTH_TOKEN: "none" } },
    });
  });
  test("a login needs no key and no server", () => {
    expect(entry({ name: "anthropic" })).toEqual({ anthropic: {} });
  });
  test("variables that only the user knows come from the environment", () => {
    expect(entry({ name: "bedrock" }, { AWS_REGION: "eu-central-1" }).bedrock?.env).toMatchObject({
      AWS_REGION: "eu-central-1",
      CLAUDE_CODE_USE_BEDROCK: "1",
    });
  });

  test.each<[string, Given, string]>([
    ["nothing", {}, "--preset or --base-url is missing"],
    ["an unknown name", { name: "mine" }, 'unknown preset "mine"'],
    ["a near miss", { preset: "gml" }, 'did you mean "glm"?'],
    ["a company's name", { name: "豆包" }, 'did you mean "doubao"?'],
    ["a window in words", { name: "glm", key: KEY, contextWindow: "200k" }, "--context-window takes a number"],
    ["no key", { name: "glm" }, "the key is missing"],
    ["no address", { preset: "litellm", model: "m", key: KEY }, "--base-url is missing"],
    ["no model", { preset: "ollama" }, "--model is missing"],
    ["no region", { name: "bedrock" }, "AWS_REGION"],
    ["a key for a login", { name: "anthropic", key: KEY }, "takes no key"],
    ["an invalid reference", { name: "glm", reference: "pass show glm" }, "--token-ref takes"],
    ["a key with a space", { name: "glm", key: "a b" }, "no spaces"],
    ["a key that is a reference", { name: "glm", key: "cmd:x" }, "--token-ref"],
    ["a key that is a variable", { name: "glm", key: "${X}" }, "--token-ref env:NAME"],
    ["no URL", { name: "x", baseUrl: "nowhere", key: KEY }, "must begin with https://"],
    ["a user name in a URL", { name: "x", baseUrl: "https://u@h", key: KEY }, "must not contain a user name"],
    ["a password alone", { name: "x", baseUrl: "https://:p@h", key: KEY }, "must not contain a user name"],
    ["a space in a URL", { name: "x", baseUrl: "https://h/a b", key: KEY }, "must not contain ?, # or spaces"],
    ["a fragment", { name: "x", baseUrl: "https://h/#a", key: KEY }, "must not contain ?, #"],
    [
      "no key for a gateway, even here",
      { preset: "litellm", model: "m", baseUrl: "http://127.0.0.1:4000" },
      "key is missing",
    ],
    ["a password in a URL", { name: "x", baseUrl: "https://u:p@h", key: KEY }, "password"],
    ["a key over http", { name: "x", baseUrl: "http://example.com", key: KEY }, "https://"],
    ["a server that only looks local", { name: "x", baseUrl: "http://127.0.0.1.evil.example" }, "https://"],
    ["a query", { name: "x", baseUrl: "https://h/?a=b", key: KEY }, "must not contain ?, #"],
    ["a command of claude's", { name: "mcp", preset: "glm", key: KEY }, "a command of claude"],
    ["an invisible character", { name: "glm", key: "sk-\u200b0123" }, "no spaces"],
    ["a command's name", { name: "doctor", preset: "glm", key: KEY }, "is a command of ccc"],
    ["a name that cannot be typed", { name: "a b", preset: "glm", key: KEY }, "letters, digits"],
  ])("%s is a mistake", (_, given, message) => {
    expect(() => settle(given, {})).toThrow(message);
    expect(() => settle(given, {})).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  test("an unknown preset that may be a key is not repeated", () => {
    const shown = "k".repeat(SHORTEST_KEY - 1);
    expect(() => settle({ preset: shown }, {})).toThrow(`unknown preset "${shown}"`);
    expect(() => settle({ preset: `${shown}k` }, {})).toThrow(/^unknown preset$/);
  });
});
