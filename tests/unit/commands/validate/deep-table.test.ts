import { expect, test } from "bun:test";
import { deepTable } from "../../../../src/commands/validate/deep-table.ts";
import { NOTHING_ASKED } from "../../../../src/commands/validate/deep-validate.ts";
import { invalid } from "../../../../src/commands/validate/validation.ts";

const SIGNS = { valid: "✓", invalid: "✗", unchecked: "-" };
const check = { check: "tool_call" as const, model: "m", advice: "", setting: null };

test("each check has its sign and its advice, and the end says what they cost", () => {
  const checks = [
    { ...check, status: "valid" as const, detail: "works" },
    { ...check, status: "invalid" as const, detail: "does not", advice: "Change it." },
  ];
  const tokens = { input: 1200, output: 34 };
  expect(deepTable({ ...invalid("incomplete", "", ""), checks, requests: 5, tokens }, SIGNS, 80)).toBe(
    `  ✓ tool call  works
  ✗ tool call  does not
               Change it.
  5 requests, 1,234 tokens as far as the server counted them
`,
  );
});

test("a single request, of which the server counted nothing", () => {
  const none = { ...invalid("key_refused", "", ""), ...NOTHING_ASKED, requests: 1 };
  expect(deepTable(none, SIGNS, 80)).toBe("  1 request\n");
});
