import { describe, expect, test } from "bun:test";
import { keyVariable } from "../../../src/providers/key-variable.ts";

const SERVER = { ANTHROPIC_BASE_URL: "https://my.test" };

describe("the variable of a provider's key", () => {
  const found: [situation: string, name: string, entry: Parameters<typeof keyVariable>[1], variable: string][] = [
    ["the one that has it", "my", { env: { ...SERVER, ANTHROPIC_API_KEY: "k" } }, "ANTHROPIC_API_KEY"],
    ["not an empty one", "my", { env: { ANTHROPIC_API_KEY: "", ANTHROPIC_AUTH_TOKEN: "t" } }, "ANTHROPIC_AUTH_TOKEN"],
    ["for a server without a key", "my", { env: SERVER }, "ANTHROPIC_AUTH_TOKEN"],
    [
      "that of the preset",
      "my",
      { preset: { name: "anthropic-api", as_of: "2026-01-01", env: {} } },
      "ANTHROPIC_API_KEY",
    ],
  ];
  test.each(found)("%s", (_, name, entry, variable) => expect(keyVariable(name, entry)).toBe(variable));

  const none: [situation: string, entry: Parameters<typeof keyVariable>[1], message: string][] = [
    ["a helper", { apiKeyHelper: "x", env: { ANTHROPIC_AUTH_TOKEN: "t" } }, "comes from its apiKeyHelper"],
    ["two keys", { env: { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_API_KEY: "k" } }, '"my" has two keys'],
    ["the login", {}, "it uses your Claude login"],
    ["a cloud", { env: { ...SERVER, CLAUDE_CODE_USE_BEDROCK: "1" } }, "it uses the credentials of"],
  ];
  test.each(none)("none: %s", (_, entry, message) => expect(() => keyVariable("my", entry)).toThrow(message));
});
