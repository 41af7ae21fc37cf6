import { describe, expect, test } from "bun:test";
import { type Given, settle } from "../../../../src/commands/provider/settle.ts";
import { newSettings } from "../../../../src/providers/new-provider.ts";

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
          CLAUDE_CODE_SUBAGENT_MODEL: "m",
        },
      },
    });
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
    ["no key", { name: "glm" }, "the key is missing"],
    ["no address", { preset: "litellm", model: "m", key: KEY }, "--base-url is missing"],
    ["no model", { preset: "ollama" }, "--model is missing"],
    ["no region", { name: "bedrock" }, "AWS_REGION"],
    ["a key for a login", { name: "anthropic", key: KEY }, "takes no key"],
    ["a reference that is none", { name: "glm", reference: "pass show glm" }, "--token-ref takes"],
    ["a key with a space", { name: "glm", key: "a b" }, "no spaces"],
    ["a key that is a reference", { name: "glm", key: "cmd:x" }, "--token-ref"],
    ["a key that is a variable", { name: "glm", key: "${X}" }, "--token-ref env:NAME"],
    ["no URL", { name: "x", baseUrl: "nowhere", key: KEY }, "must begin with https://"],
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
});
