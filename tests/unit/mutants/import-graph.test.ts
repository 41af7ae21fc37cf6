import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { readImports, testsOf } from "../../mutants/import-graph.ts";

const imports = new Map([
  ["tests/unit/config/load.test.ts", ["src/config/load.ts"]],
  ["tests/unit/cli/run.test.ts", ["src/cli/run.ts"]],
  ["tests/unit/cli/other.test.ts", ["src/cli/other.ts"]],
  ["tests/unit/a/first.test.ts", ["src/config/load.ts"]],
  ["src/cli/run.ts", ["src/config/load.ts"]],
  ["src/cli/other.ts", []],
  ["src/config/load.ts", ["src/config/check.ts"]],
  ["src/config/check.ts", ["src/config/load.ts"]],
]);

describe("the tests of a file", () => {
  test("nearest first, then by similarity of the path", () =>
    expect(testsOf("src/config/load.ts", imports)).toEqual([
      { test: "tests/unit/config/load.test.ts", steps: 1 },
      { test: "tests/unit/a/first.test.ts", steps: 1 },
      { test: "tests/unit/cli/run.test.ts", steps: 2 },
    ]));
  test("also through other files, and with circular imports", () =>
    expect(testsOf("src/config/check.ts", imports).map(({ steps }) => steps)).toEqual([2, 2, 3]));
  test("none, if no test imports it", () => expect(testsOf("src/lonely.ts", imports)).toEqual([]));
});

test("what a file imports is read from the file, without types", () => {
  const own = readImports(join(import.meta.dir, "../../.."), ["tests/mutants"]);
  expect(own.get("tests/mutants/choose.ts")).toEqual(["tests/attack/random.ts", "tests/mutants/mutations.ts"]);
});
