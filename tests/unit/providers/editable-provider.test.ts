import { expect, test } from "bun:test";
import { editableText, editedProvider } from "../../../src/providers/editable-provider.ts";

const ENTRY = {
  env: {
    ANTHROPIC_BASE_URL: "https://x.test",
    ANTHROPIC_AUTH_TOKEN: "sk-secret-0123456789",
    MY_PASSWORD: "another-secret",
    OTHER_KEY: "env:OTHER",
    THIRD_TOKEN: `$${"{THIRD}"}`,
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: 8192,
  },
  permissions: { deny: ["Bash"] },
  preset: { name: "glm", env: { A: "1" } },
};

test("keys are not in the text to edit, references are; nor is ccc's note about the preset", () => {
  expect(JSON.parse(editableText(ENTRY))).toEqual({
    env: { ...ENTRY.env, ANTHROPIC_AUTH_TOKEN: "(unchanged)", MY_PASSWORD: "(unchanged)" },
    permissions: { deny: ["Bash"] },
  });
  expect(editableText({ env: null })).toBe('{\n  "env": null\n}\n');
});

test("an untouched text is the provider as it was", () => {
  expect(editedProvider(editableText(ENTRY), ENTRY)).toEqual(ENTRY);
});

test("a key can be changed, removed, or moved to the other variable", () => {
  const env = { ANTHROPIC_AUTH_TOKEN: "sk-secret-0123456789" };
  const edited = (text: object) => editedProvider(JSON.stringify(text), { env });
  expect(edited({ env: { ANTHROPIC_AUTH_TOKEN: "new" } })).toEqual({ env: { ANTHROPIC_AUTH_TOKEN: "new" } });
  expect(edited({ env: {} })).toEqual({ env: {} });
  expect(edited({ env: { ANTHROPIC_API_KEY: "(unchanged)" } })).toEqual({
    env: { ANTHROPIC_API_KEY: "sk-secret-0123456789" },
  });
});

const mistakes: [text: string, message: string][] = [
  ['{\n  "env": {"A": "1",}\n}', "not valid JSON: property name expected at line 2, column 20"],
  ["", "not valid JSON"],
  ["[]", "must be an object"],
  ['{"env":{"NEW_KEY":"(unchanged)"}}', 'env.NEW_KEY: "(unchanged)" stands for the key that was there'],
];
test.each(mistakes)("%j is refused", (text, message) => {
  expect(() => editedProvider(text, ENTRY)).toThrow(message);
});
