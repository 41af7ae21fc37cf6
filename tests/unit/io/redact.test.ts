import { describe, expect, test } from "bun:test";
import { isSecret, secretsIn } from "../../../src/io/redact.ts";

describe("isSecret", () => {
  const table: [name: string, value: string, secret: boolean][] = [
    ["ANTHROPIC_AUTH_TOKEN", "sk-0123456789", true],
    ["ANTHROPIC_AUTH_TOKEN", "12345678", true],
    ["MY_API_KEY", "12345678", true],
    ["API_TOKENS", "a,b", true],
    ["API_TOKENS", "123456,234567", true],
    ["API_TOKENS", "123456789012", true],
    ["ANTHROPIC_CUSTOM_HEADERS", "x-api-key: 1", true],
    ["GITHUB_PAT", "x", true],
    ["CLAUDE_CODE_MAX_OUTPUT_TOKENS", "64000", false],
    ["CLAUDE_CODE_MAX_CONTEXT_TOKENS", "1048576", false],
    ["MAX_THINKING_TOKENS", "0", false],
    ["MAX_THINKING_TOKENS", "sk-pasted-here", true],
    ["ANTHROPIC_MODEL", "glm-4.7", false],
  ];
  for (const [name, value, secret] of table)
    test(`${name}=${value}: ${secret}`, () => expect(isSecret(name, value)).toBe(secret));
});

test("a number of tokens is taken out of no text", () => {
  expect(secretsIn({ MAX_THINKING_TOKENS: "640000", MY_TOKEN: "640000" })).toEqual(["640000", "640000"]);
  expect(secretsIn({ MAX_THINKING_TOKENS: "640000" })).toEqual([]);
});
