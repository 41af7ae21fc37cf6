import { expect, test } from "bun:test";
import { readReviewerName, reviewerLabel } from "../../../src/config/reviewer-name.ts";

test.each([
  ["kimi", "kimi", undefined],
  ["kimi:kimi-k2", "kimi", "kimi-k2"],
  ["openrouter:moonshotai/kimi-k2:free", "openrouter", "moonshotai/kimi-k2:free"],
  [" kimi : kimi-k2 ", "kimi", "kimi-k2"],
  ["kimi:", "kimi", undefined],
  [":kimi-k2", "", "kimi-k2"],
])("the reviewer %p", (text, provider, model) => {
  expect(readReviewerName(text)).toEqual({ provider, model });
});

test("a name is written as it was read", () => {
  for (const text of ["kimi", "openrouter:a/b:free"]) expect(reviewerLabel(readReviewerName(text))).toBe(text);
});
