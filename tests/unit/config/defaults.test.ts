import { describe, expect, test } from "bun:test";
import { readReviewerName, reviewerLabel, supervisorVariable } from "../../../src/config/defaults.ts";

describe("reviewer name", () => {
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
});

describe("supervisor variable", () => {
  describe("CCC_SUPERVISOR", () => {
    const table: [value: string | undefined, meaning: boolean | undefined][] = [
      [undefined, undefined],
      ["", undefined],
      ...["1", "true", "YES", "On", " 1 "].map((value): [string, boolean] => [value, true]),
      ...["0", "false", "No", "OFF"].map((value): [string, boolean] => [value, false]),
    ];
    test.each(table)("%p is %p", (value, meaning) => {
      expect(supervisorVariable({ CCC_SUPERVISOR: value })).toBe(meaning);
    });

    test.each(["2", "enabled", "01", "constructor"])("%p is an error", (value) => {
      const read = () => supervisorVariable({ CCC_SUPERVISOR: value });
      expect(read).toThrow(expect.objectContaining({ exitCode: 2, message: "CCC_SUPERVISOR is neither on nor off" }));
    });
  });
});
