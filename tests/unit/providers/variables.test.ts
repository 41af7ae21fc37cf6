import { describe, expect, test } from "bun:test";
import {
  isOtherReference,
  isReference,
  isSecretVariable,
  kindOf,
  PROVIDER_VARIABLES,
  providerVariables,
} from "../../../src/providers/variables.ts";

describe("kindOf", () => {
  const table: [string, ReturnType<typeof kindOf>][] = [
    ["ANTHROPIC_API_KEY", "credential"],
    ["AWS_BEARER_TOKEN_BEDROCK", "credential"],
    ["ANTHROPIC_BASE_URL", "route"],
    ["CLAUDE_CODE_USE_VERTEX", "route"],
    ["ANTHROPIC_DEFAULT_OPUS_MODEL", "model"],
    ["CLAUDE_CODE_SUBAGENT_MODEL", "model"],
    ["ANTHROPIC_INVENTED_TOMORROW", "credential"],
    ["CLAUDE_CODE_USE_TOMORROWS_CLOUD", "credential"],
    ["ANTHROPIC_LOG", undefined],
    ["CLAUDE_CODE_USE_POWERSHELL_TOOL", undefined],
    ["AWS_SECRET_ACCESS_KEY", undefined],
    ["HTTPS_PROXY", undefined],
    ["PATH", undefined],
    ["constructor", undefined],
    ["__proto__", undefined],
  ];
  for (const [name, kind] of table) test(`${name}: ${kind}`, () => expect(kindOf(name)).toBe(kind));
});

test.each([
  ["a credential, whatever its name says", "ANTHROPIC_CUSTOM_HEADERS", "a: b", true],
  ["a credential that a future version may add", "ANTHROPIC_TOMORROW", "x", true],
  ["a key of something else", "OTHER_API_KEY", "x", true],
  ["not a server", "ANTHROPIC_BASE_URL", "https://glm.test", false],
  ["not a number of tokens", "CLAUDE_CODE_MAX_OUTPUT_TOKENS", "32000", false],
  ["not any other variable", "LANG", "C", false],
])("secret is %s", (_, name, value, is) => expect(isSecretVariable(name, value)).toBe(is));

describe("providerVariables", () => {
  test("finds every variable that a launch blanks", () =>
    expect(providerVariables(Object.fromEntries(PROVIDER_VARIABLES.map((name) => [name, ""])))).toEqual([
      ...PROVIDER_VARIABLES,
    ]));
  test("finds what a future version may add, and leaves the rest of a shell alone", () => {
    const names = ["ANTHROPIC_TOMORROW", "CLAUDE_CODE_USE_TOMORROW"];
    const others = ["PATH", "ANTHROPIC_LOG", "AWS_SECRET_ACCESS_KEY", "CLAUDE_CONFIG_DIR", "MY_ANTHROPIC_API_KEY"];
    const env = Object.fromEntries([...others, ...names].map((name) => [name, "x"]));
    expect(providerVariables(env)).toEqual(names);
  });
});

test.each<[string, boolean]>([
  ["env:X", true],
  ["file:/key:1", true],
  ["cmd:pass glm", true],
  ["keychain:glm", true],
  ["env", false],
  ["", false],
  [":", false],
  ["sk-env:X", false],
  ["https://env:x", false],
])("%p is a reference: %p", (value, is) => expect(isReference(value)).toBe(is));

test.each<[string, unknown, boolean]>([
  ["ANTHROPIC_CUSTOM_HEADERS", "cmd:x", true],
  ["MY_API_KEY", "env:X", true],
  ["DATABASE_URL", "file:./x.db", false],
  ["ANTHROPIC_AUTH_TOKEN", "env:X", false],
  ["MY_API_KEY", "plain", false],
  ["MY_API_KEY", 5, false],
])("%s: %p is a reference other than the key: %p", (name, value, is) => expect(isOtherReference(name, value)).toBe(is));
