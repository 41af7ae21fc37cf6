import { expect, test } from "bun:test";
import type { ProviderEntry } from "../../../src/config/schema.ts";
import { replaceSettings } from "../../../src/providers/replace-settings.ts";
import { shownChanges } from "../../../src/providers/shown-changes.ts";

const GLM = "https://api.z.ai/api/anthropic";
const note = (name: string, env: Record<string, string>) => ({ name, as_of: "2026-01-01", env });

const table: [situation: string, before: ProviderEntry, next: ProviderEntry, after: ProviderEntry][] = [
  [
    "permissions and variables of the user's own stay",
    { permissions: { deny: ["Bash"] }, env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "old", MY_OWN: 1 } },
    { env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "new" } },
    { permissions: { deny: ["Bash"] }, env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "new", MY_OWN: 1 } },
  ],
  [
    "a value that the new description sets is the new one",
    { env: { API_TIMEOUT_MS: "5" } },
    { env: { API_TIMEOUT_MS: "3000000" } },
    { env: { API_TIMEOUT_MS: "3000000" } },
  ],
  [
    "models, windows and the other key are gone, also if the new description has none",
    {
      env: {
        ANTHROPIC_BASE_URL: GLM,
        ANTHROPIC_API_KEY: "old",
        ANTHROPIC_MODEL: "old-model",
        CLAUDE_CODE_MAX_CONTEXT_TOKENS: "1000",
      },
    },
    { env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "new" } },
    { env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "new" } },
  ],
  [
    "what the old preset had set is gone, what the user changed of it stays",
    { env: { API_TIMEOUT_MS: "1", OTHER: "mine" }, preset: note("glm", { API_TIMEOUT_MS: "1", OTHER: "2" }) },
    { env: { ANTHROPIC_AUTH_TOKEN: "k" }, preset: note("kimi", {}) },
    { env: { ANTHROPIC_AUTH_TOKEN: "k", OTHER: "mine" }, preset: note("kimi", {}) },
  ],
  [
    "on the same server, headers, a model setting and a helper stay",
    { apiKeyHelper: "pass", model: "opus", env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_CUSTOM_HEADERS: "a: b" } },
    { env: { ANTHROPIC_BASE_URL: GLM } },
    { model: "opus", apiKeyHelper: "pass", env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_CUSTOM_HEADERS: "a: b" } },
  ],
  [
    "a helper gives way to a key",
    { apiKeyHelper: "pass", env: { ANTHROPIC_BASE_URL: GLM } },
    { env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "k" } },
    { env: { ANTHROPIC_BASE_URL: GLM, ANTHROPIC_AUTH_TOKEN: "k" } },
  ],
  [
    "nothing that authenticates at the old server, or is a model of its, reaches the new one",
    {
      apiKeyHelper: "pass",
      model: "glm-4",
      env: {
        ANTHROPIC_BASE_URL: GLM,
        ANTHROPIC_CUSTOM_HEADERS: "x-key: 1",
        ANTHROPIC_SMALL_FAST_MODEL: "m",
        MY_OWN: "1",
      },
    },
    { env: { ANTHROPIC_BASE_URL: "https://other.test" } },
    { env: { ANTHROPIC_BASE_URL: "https://other.test", MY_OWN: "1" } },
  ],
  [
    "a cloud is another server",
    { env: { CLAUDE_CODE_USE_BEDROCK: "1", AWS_REGION: "us-east-1" } },
    { env: { ANTHROPIC_API_KEY: "k" } },
    { env: { ANTHROPIC_API_KEY: "k", AWS_REGION: "us-east-1" } },
  ],
  ["a provider without anything stays so", {}, {}, {}],
];

test.each(table)("replacing a provider: %s", (_, before, next, after) => {
  expect(replaceSettings("name", before, next)).toEqual(after);
});

test("what changes is shown with secrets masked, and without the note about the preset", () => {
  const before = {
    env: {
      ANTHROPIC_AUTH_TOKEN: "sk-old-0123456789-abcd",
      MY_SECRET: "sk-own-0123456789-efgh",
      STAYS: "1",
      API_TIMEOUT_MS: 1,
    },
    apiKeyHelper: "echo sk-own-0123456789-efgh",
    permissions: { deny: ["Bash"] },
  };
  const after = {
    env: { ANTHROPIC_AUTH_TOKEN: "env:GLM_KEY", STAYS: "1", API_TIMEOUT_MS: "2", NEW: "" },
    permissions: { deny: ["Bash", "Write"] },
    preset: note("glm", {}),
  };
  expect(shownChanges(before, after)).toEqual([
    ["~", "ANTHROPIC_AUTH_TOKEN", "***abcd → env:GLM_KEY"],
    ["-", "MY_SECRET", "***efgh"],
    ["~", "API_TIMEOUT_MS", "1 → 2"],
    ["+", "NEW", "(empty)"],
    ["-", "apiKeyHelper", "(a command)"],
    ["~", "permissions", '{"deny":["Bash"]} → {"deny":["Bash","Write"]}'],
  ]);
});

test("a long setting is cut where it is shown", () => {
  const shown = (letters: number) => shownChanges({}, { language: "x".repeat(letters) })[0]?.[2];
  expect(shown(58)).toBe(`"${"x".repeat(58)}"`);
  expect(shown(59)).toBe(`"${"x".repeat(59)}…`);
});
