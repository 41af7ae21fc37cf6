import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { mutantOf, withMutant } from "../../mutants/choose.ts";
import { e2eTestsOf, pathsOf, TABLE } from "../../mutants/e2e-tests.ts";
import { EQUIVALENTS, whyEquivalent } from "../../mutants/equivalents.ts";
import { type Fate, judgeByE2eTests } from "../../mutants/judge-mutant.ts";
import { chosenParts } from "../../mutants/parts.ts";
import { missedGoals, ratesTable } from "../../mutants/rates.ts";
import { firstFailure, runTests } from "../../mutants/run-tests.ts";
import { TEMPORARY } from "../../mutants/tree-copy.ts";

const PROJECT = join(import.meta.dir, "../../..");
const folder = mkdtempSync(join(tmpdir(), "mutants-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const source = "first();\n  if (a === b) c();\nlast();\n";
const at = source.indexOf("===");
const mutant = mutantOf("src/file.ts", source, { start: at, end: at + 3, text: "!==" });

test("a mutant is shown by its line, before and after", () =>
  expect(mutant).toMatchObject({ line: 2, before: "if (a === b) c();", after: "if (a !== b) c();" }));

test("a mutant over several lines is shown with all of them", () => {
  const { before, after } = mutantOf("src/file.ts", source, { start: 0, end: at, text: "" });
  expect([before, after]).toEqual(["first();\n  if (a === b) c();", "=== b) c();"]);
});

test("a run restores the file, even if it fails", async () => {
  mkdirSync(join(folder, "src"));
  writeFileSync(join(folder, "src/file.ts"), source);
  const inside = () => readFileSync(join(folder, "src/file.ts"), "utf8");
  expect(await withMutant(mutant, folder, async () => inside())).toBe(source.replace("===", "!=="));
  const failing = withMutant(mutant, folder, () => Promise.reject(new Error("no")));
  expect(failing).rejects.toThrow("no");
  await failing.catch(() => {});
  expect(inside()).toBe(source);
});

describe("mutants that change nothing", () => {
  test("are known by their code, wherever it stands", () => {
    const known = { code: mutant.before, becomes: mutant.after, why: "because" };
    expect(whyEquivalent(mutant, [known])).toBe("because");
    expect(whyEquivalent({ ...mutant, file: "src/other.ts", line: 7 }, [known])).toBe("because");
    expect(whyEquivalent({ ...mutant, after: "other" }, [known])).toBeUndefined();
  });
  test("are made of code that exists, and have a reason", () => {
    const source = [...new Bun.Glob("src/**/*.ts").scanSync(PROJECT)].map((file) =>
      readFileSync(join(PROJECT, file), "utf8"),
    );
    const wrong = EQUIVALENTS.filter(({ code, why }) => !source.some((text) => text.includes(code)) || why === "");
    expect(wrong).toEqual([]);
  });
});

describe("parts of src", () => {
  const names = (only: string[], file: string) =>
    chosenParts(only)
      .filter((part) => part.includes(file))
      .map(({ name }) => name);
  test.each([
    ["src/config/load.ts", "config"],
    ["src/supervisor/review/verdict.ts", "supervisor"],
    ["src/cli/route.ts", "the rest of src"],
    ["src/config-like.ts", "the rest of src"],
  ])("%s is in %s", (file, part) => expect(names([], file)).toEqual([part]));
  test.each(["cli", "src/cli/", "cli/route.ts"])("the user may name %s", (only) =>
    expect(names([only], "src/cli/route.ts")).toHaveLength(1),
  );
  test("and then no other part is tried", () => expect(names(["cli"], "src/config/load.ts")).toEqual([]));
});

describe("end-to-end tests", () => {
  const texts = new Map([
    ["tests/e2e/launch.test.ts", 'ccc(["why", "glm"])'],
    ["tests/e2e/why.test.ts", 'ccc(["why"])'],
    ["tests/e2e/hook.test.ts", "why"],
    ["tests/e2e/supervisor.test.ts", ""],
    ["tests/thorough/print-outcome.test.ts", ""],
  ]);
  test("of a command: those that run it, its own first, then those for everything", () =>
    expect(e2eTestsOf("src/commands/why/run.ts", texts).slice(0, 3)).toEqual([
      "tests/e2e/why.test.ts",
      "tests/e2e/launch.test.ts",
      "tests/e2e/supervisor.test.ts",
    ]));
  test("the longest entry of the table counts", () =>
    expect(e2eTestsOf("src/supervisor/print.ts", texts)[0]).toBe("tests/thorough/print-outcome.test.ts"));
  test("the table names folders and tests that exist", () => {
    const exists = (path: string) => existsSync(join(PROJECT, path));
    expect(Object.keys(TABLE).filter((folder) => !exists(folder))).toEqual([]);
    expect(
      Object.values(TABLE)
        .flat()
        .filter((name) => !pathsOf(name).some(exists)),
    ).toEqual([]);
  });
});

const judged = (...fates: Fate["fate"][]) =>
  fates.map((fate) => ({ mutant, result: { fate, by: "", why: "" } as Fate }));

test("rates leave out what changes nothing, and weigh the parts by their size", () => {
  const parts = [
    { part: { name: "config", size: 3000, chosen: [] }, judged: judged("unit", "e2e", "equivalent") },
    { part: { name: "launch", size: 1000, chosen: [] }, judged: judged("unit", "unit", "survived", "survived") },
  ];
  expect(ratesTable(parts, "all").split("\n").slice(2)).toEqual([
    "| config | 3,000 | 3 | 1 | 50 % | 100 % |",
    "| launch | 1,000 | 4 | 0 | 50 % | 50 % |",
    "| all | 4,000 | 7 | 1 | 50 % | 88 % |",
  ]);
  expect(ratesTable(parts)).not.toContain("| all |");
});

test("those that no end-to-end test was tried on count as the others do", () => {
  const rate = (...fates: Fate["fate"][]) =>
    ratesTable([{ part: { name: "config", size: 9, chosen: [] }, judged: judged(...fates) }])
      .split(" | ")
      .slice(-2);
  expect(rate("unit", "unit", "unit", "alive")).toEqual(["75 %", "? |"]);
  expect(rate("unit", "unit", "e2e", "survived", "alive", "alive")).toEqual(["33 %", "67 % |"]);
  expect(rate("unit", "unit")).toEqual(["100 %", "100 % |"]);
  expect(rate("equivalent")).toEqual(["?", "? |"]);
});

describe("goals", () => {
  const times = (count: number, fate: Fate["fate"]) => Array.from({ length: count }, () => fate);
  const missed = (name: string, ...fates: Fate["fate"][]) =>
    missedGoals([{ part: { name, size: 9, chosen: [] }, judged: judged(...fates) }]);
  test("unit tests notice 85 % in a core part, the whole suite 95 % everywhere", () => {
    expect(missed("config", ...times(17, "unit"), ...times(2, "e2e"), "survived")).toEqual([]);
    expect(missed("config", ...times(16, "unit"), ...times(4, "e2e"))).toEqual([
      "Of config, 80 % die by unit tests; at least 85 % should.",
    ]);
    expect(missed("cli", ...times(16, "unit"), ...times(4, "e2e"))).toEqual([]);
    expect(missed("cli", ...times(9, "unit"), "survived")).toEqual([
      "90 % die by the whole suite; at least 95 % should.",
    ]);
  });
  test("are not missed by what was not measured", () => {
    expect(missed("config", ...times(9, "unit"), "alive")).toEqual([]);
    expect(missed("config")).toEqual([]);
  });
});

test.each([
  ["(pass) one [1.00ms]\n(fail) a folder > its name [12.34ms]\n", { by: "a folder > its name" }],
  [
    "tests/unit/a.test.ts:\n(pass) one\n\ntests/unit/b.test.ts:\n(fail) two [2ms]\n\ntests/unit/c.test.ts:\n",
    { by: "two", file: "tests/unit/b.test.ts" },
  ],
  ["error: Cannot find module\n", { by: "error: Cannot find module" }],
  ["SyntaxError: no\n", { by: "SyntaxError: no" }],
  ["", { by: "ended with an error" }],
])("which test failed: %j", (output, failure) => expect(firstFailure(output)).toEqual(failure));

/** Writes a test file with one test, named like the file. */
function testFile(tree: string, name: string, code: string): string {
  const path = `tests/${name}.test.ts`;
  mkdirSync(join(tree, dirname(path)), { recursive: true });
  mkdirSync(join(tree, TEMPORARY), { recursive: true });
  writeFileSync(
    join(tree, path),
    `import { expect, test } from "bun:test";\ntest("${path}", async () => { ${code} });\n`,
  );
  return path;
}

test("a test that fails once does not count, one that fails twice does", async () => {
  const once =
    'if (require("fs").existsSync(".t/x")) return; require("fs").writeFileSync(".t/x", ""); expect(1).toBe(2);';
  const fine = testFile(folder, "fine", "");
  const wrong = testFile(folder, "wrong", "expect(1).toBe(2);");
  const run = (...tests: string[]) => runTests(folder, tests, 60_000);
  expect(await run(fine, testFile(folder, "once", once))).toEqual({ passed: true });
  expect(await run(fine, wrong)).toEqual({ passed: false, by: wrong, file: wrong });
});

test("an end-to-end test that fails without the mutant, too, does not count", async () => {
  const tree = join(folder, "tree");
  for (const name of ["src", "scripts"]) mkdirSync(join(tree, name), { recursive: true });
  writeFileSync(join(tree, "src/file.ts"), source);
  writeFileSync(join(tree, "build.ts"), 'await Bun.write("dist/ccc", Bun.file("src/file.ts"));');
  writeFileSync(join(tree, "scripts/reference.ts"), "");
  const always = testFile(tree, "e2e/launch", "expect(1).toBe(2);");
  const notices = testFile(tree, "e2e/hook", 'expect(await Bun.file("dist/ccc").text()).toContain("===");');
  const judge = (...tests: string[]) =>
    judgeByE2eTests(mutant, tree, {
      imports: new Map(),
      e2e: new Map(tests.map((test) => [test, ""])),
      unitLimitMs: 60_000,
      e2eLimitMs: 60_000,
    });
  expect(await judge(always, notices)).toEqual({ fate: "e2e", by: notices });
  expect(await judge(always)).toEqual({ fate: "survived" });
});
