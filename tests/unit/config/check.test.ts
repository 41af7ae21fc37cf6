import { describe, expect, test } from "bun:test";
import { checkConfig, whereBroken } from "../../../src/config/check.ts";

describe("a file that is not JSON is refused with the place", () => {
  const table: [what: string, text: string, where: string][] = [
    ["nothing in it", "", "value expected at line 1, column 1"],
    ["a comment", '{\n  // mine\n  "providers": {}\n}', "invalid comment token at line 2, column 3"],
    ["a comma too many", '{\n  "providers": {},\n}', "property name expected at line 3, column 1"],
    ["a comma too few", '{ "a": 1 "b": 2 }', "comma expected at line 1, column 10"],
    ["no end", '{ "providers": {', "close brace expected at line 1, column 17"],
    ["too many brackets", "[".repeat(100_000), "it is nested too deeply"],
  ];
  test.each(table)("%s", (_, text, where) => {
    expect(whereBroken(text)).toBe(where);
    expect(() => checkConfig(text, "ccc.json")).toThrow(`ccc.json is not valid JSON: ${where}`);
  });
});

describe("a setting for which Claude Code would drop all others is refused,", () => {
  const table: [where: string, json: object, problem: string][] = [
    ["for all providers", { settings: { permissions: [] } }, "settings.permissions: must be an object"],
    ["for one", { providers: { glm: { permissions: [] } } }, "providers.glm.permissions: must be an object"],
    [
      "beside settings that are right",
      { settings: { model: "m" }, providers: { a: null, b: { model: "m", cleanupPeriodDays: 0 } } },
      "providers.b.cleanupPeriodDays: must be a whole number of at least 1",
    ],
  ];
  test.each(table)("%s", (_, json, problem) =>
    expect(() => checkConfig(JSON.stringify(json), "ccc.json")).toThrow(`ccc.json is not valid\n  ${problem}`),
  );
});

test("settings may be empty, or null", () => {
  const json = { settings: null, providers: { a: null, b: {} } };
  expect(checkConfig(JSON.stringify(json), "ccc.json")).toEqual(json);
});
