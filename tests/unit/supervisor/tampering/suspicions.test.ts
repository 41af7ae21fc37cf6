import { describe, expect, test } from "bun:test";
import type { TextChange } from "../../../../src/supervisor/tampering/suspicion.ts";
import { needsText, suspicions } from "../../../../src/supervisor/tampering/suspicions.ts";

const changed = (path: string, before?: string, after?: string): TextChange => ({
  ...{ path, kind: "modified", from: undefined, added: undefined, deleted: undefined, before, after },
});
const added = (path: string, after: string): TextChange => ({ ...changed(path, "", after), kind: "added" });
const deleted = (path: string, before: string): TextChange => ({ ...changed(path, before, ""), kind: "deleted" });
const renamed = (from: string, path: string, before = "", after = before): TextChange => ({
  ...{ path, kind: "renamed", from, added: undefined, deleted: undefined, before, after },
});

const scripts = (value: object) => JSON.stringify({ name: "x", scripts: value });
const expects = (count: number) => "expect(1).toBe(1);\n".repeat(count);

const cases: [name: string, changes: TextChange[], texts: string[], commands?: string[]][] = [
  ["nothing", [], []],
  ["code that has nothing to do with tests", [changed("src/a.ts", "assert(a);\nassert(b);", "")], []],
  ["a deleted test", [deleted("tests/a.test.ts", expects(3))], ["tests/a.test.ts was deleted"]],
  ["a renamed test", [renamed("tests/a.test.ts", "tests/b.test.ts")], []],
  [
    "a test renamed so that it no longer is a test",
    [renamed("tests/a.test.ts", "tests/a.test.ts.bak", expects(2))],
    ["tests/a.test.ts was renamed to tests/a.test.ts.bak, which is not the name of a test"],
  ],
  [
    "a test renamed so that no runner finds it",
    [renamed("tests/a.test.ts", "tests/a.old.ts", expects(2)), renamed("tests/b.rs", "tests/c.rs")],
    ["tests/a.test.ts was renamed to tests/a.old.ts, which is not the name of a test"],
  ],
  [
    "a file in a folder of tests that gets another name there",
    [renamed("tests/harness.ts", "tests/helpers.ts"), renamed("tests/a_test.rs", "tests/b.rs")],
    [],
  ],
  [
    "a helper that leaves the folder of tests",
    [renamed("tests/harness.ts", "src/harness.ts")],
    ["tests/harness.ts was renamed to src/harness.ts, which is not the name of a test"],
  ],
  ["a deleted fixture", [deleted("tests/fixtures/a.js", "1")], []],
  [
    "newly skipped tests",
    [changed("a.test.ts", 'it("a");\nit("b");\nit.skip("c");', 'it.skip("a");\n\nxit("b");\nit.skip("c");')],
    ['a.test.ts: 2 tests newly skipped (line 1: it.skip("a"); line 3: xit("b"))'],
  ],
  [
    "skipped tests with their code, which is not shown",
    [
      changed(
        "a.test.ts",
        "",
        'it.skip("a", async () => {\nxit("b", (t) => {});\nit.skip("c", function () {\nit.skip(name, done =>',
      ),
    ],
    ['a.test.ts: 4 tests newly skipped (line 1: it.skip("a"); line 2: xit("b", (t) => {}); line 3: it.skip("c"); …)'],
  ],
  [
    "code that is not a callback",
    [changed("a_test.go", "", "\tt.Skip()")],
    ["a_test.go: 1 test newly skipped (line 1: t.Skip())"],
  ],
  ["a test that is no longer skipped", [changed("a.test.ts", 'it.skip("a");', 'it("a");')], []],
  [
    "one skipped instead of another",
    [changed("a.test.ts", 'it("a");\nit.skip("b");', 'it.skip("a");\nit("b");')],
    ['a.test.ts: 1 test newly skipped (line 1: it.skip("a"))'],
  ],
  [
    "a decorator that skips another test than before",
    [
      changed(
        "test_a.py",
        "@pytest.mark.skip\n\n@slow\ndef test_a(): pass\n\ndef test_b(): pass",
        "def test_a(): pass\n\n@pytest.mark.skip\n@slow\ndef test_b(): pass",
      ),
    ],
    ["test_a.py: 1 test newly skipped (line 3: @pytest.mark.skip)"],
  ],
  [
    "a decorator that moved with its test",
    [
      changed(
        "test_a.py",
        "@pytest.mark.skip\ndef test_a(): pass\n",
        "x = 1\n\n@pytest.mark.skip\n@slow\ndef test_a(): pass\n",
      ),
    ],
    [],
  ],
  [
    "a call that skips another test than before",
    [
      changed(
        "a_test.go",
        "func TestA(t *testing.T) {\n\tx := 1\n\tt.Skip()\n}\nfunc TestB(t *testing.T) {\n}",
        "func TestA(t *testing.T) {\n}\nfunc TestB(t *testing.T) {\n\tx := 1\n\tt.Skip()\n}",
      ),
    ],
    ["a_test.go: 1 test newly skipped (line 5: t.Skip())"],
  ],
  ["a skipped test that moved", [changed("a.test.ts", 'it.skip("a");', ""), added("b.test.ts", 'it.skip("a");')], []],
  [
    "skipped tests in a renamed file",
    [renamed("a.test.ts", "b.test.ts", 'it.skip("a");', 'it.skip("a");\nit.skip("b");')],
    ['b.test.ts: 1 test newly skipped (line 2: it.skip("b"))'],
  ],
  [
    "skipped tests in a file that becomes a test",
    [renamed("src/a.ts", "src/a.test.ts", 'it.skip("a");')],
    ['src/a.test.ts: 1 test newly skipped (line 1: it.skip("a"))'],
  ],
  [
    "a new test that is skipped",
    [added("test_a.py", "@pytest.mark.skip\ndef test_a(): pass")],
    ["test_a.py: 1 test newly skipped (line 1: @pytest.mark.skip)"],
  ],
  [
    "a focused test",
    [changed("a.test.ts", 'it("a");', 'it.only("a");')],
    ['a.test.ts: 1 test newly focused (line 1: it.only("a"))'],
  ],
  [
    "many skipped tests, and long lines",
    [changed("a.test.ts", "", `it.skip("${"x".repeat(200)}");\n${'it.skip("b");\n'.repeat(9)}`)],
    [
      `a.test.ts: 10 tests newly skipped (line 1: it.skip("${"x".repeat(70)}…; line 2: it.skip("b"); line 3: it.skip("b"); …)`,
    ],
  ],
  [
    "a line that is just not too long",
    [changed("a.test.ts", "", `it.skip("${"x".repeat(69)}");`)],
    [`a.test.ts: 1 test newly skipped (line 1: it.skip("${"x".repeat(69)}"))`],
  ],
  ["fewer assertions", [changed("a.test.ts", expects(9), expects(5))], ["a.test.ts has 5 assertions, 9 before"]],
  ["no assertions left", [changed("a.test.ts", expects(9), "")], ["a.test.ts has no assertions, 9 before"]],
  ["more assertions", [changed("a.test.ts", expects(5), expects(9))], []],
  [
    "assertions that moved",
    [changed("a.test.ts", expects(3), expects(1)), added("b.test.ts", expects(2))],
    ["a.test.ts has 1 assertion, 3 before; other test files have 2 more"],
  ],
  [
    "a single assertion that moved",
    [changed("a.test.ts", expects(3), expects(2)), added("b.test.ts", expects(1))],
    ["a.test.ts has 2 assertions, 3 before; other test files have 1 more"],
  ],
  [
    "a test module in Rust",
    [changed("src/lib.rs", "#[cfg(test)]\nmod t {\nassert!(a);\n}", "assert!(a); // in the program")],
    ["src/lib.rs has no assertions, 1 before"],
  ],
  [
    "a test that could not be read",
    [changed("a.test.ts", undefined, expects(1))],
    ["a.test.ts changed, but could not be read to compare its tests"],
  ],
  ["a name that cannot be printed", [deleted("tests/a\n\uDCFF.ts", "")], ["tests/a\\n\\xff.ts was deleted"]],
  [
    "test and CI configuration",
    [
      changed(".github/workflows/ci.yml"),
      added(".github/workflows/new.yml", ""),
      { ...changed("vitest.config.ts"), added: 3, deleted: 1 },
      added("jest.config.js", ""),
      deleted("biome.json", ""),
      changed("packages/a/pytest.ini"),
      changed("tests/conftest.py", "", ""),
      renamed(".gitlab-ci.yml", "old.yml"),
      changed("node_modules/x/jest.config.js"),
      changed("src/config.ts"),
      changed("tests/fixtures/app/vitest.config.ts"),
      changed("tests/fixtures/app/package.json", scripts({ test: "a" }), scripts({ test: "b" })),
    ],
    [
      ".github/workflows/ci.yml changed",
      "vitest.config.ts changed (+3 -1)",
      "jest.config.js was added",
      "biome.json was deleted",
      "packages/a/pytest.ini changed",
      "tests/conftest.py changed",
      ".gitlab-ci.yml was renamed to old.yml",
    ],
  ],
  [
    "sections of pyproject.toml",
    [
      changed(
        "pyproject.toml",
        '[project]\nversion = "1"\n[tool.pytest.ini_options]\naddopts = "-q"\n# old\n[tool.mypy]\nstrict = true\n',
        '[project]\nversion = "2"\n[tool.pytest.ini_options]\naddopts = "-q"\n[tool.mypy]\nstrict = false\n[tool.ruff]\nx = 1\n',
      ),
    ],
    ["pyproject.toml: the section [tool.mypy] changed", "pyproject.toml: the section [tool.ruff] was added"],
  ],
  ["other sections", [changed("Cargo.toml", "[dependencies]\na = 1", "[dependencies]\na = 2")], []],
  [
    "scripts of package.json",
    [
      changed(
        "package.json",
        scripts({ test: "vitest", lint: "eslint .", build: "tsc", start: "a", typecheck: "tsc" }),
        scripts({ test: "true", build: "bun", pretest: "x", "test:e2e": "y", typecheck: "tsc" }),
      ),
    ],
    [
      "package.json: the script test changed: `vitest` → `true`",
      "package.json: the script lint was removed: `eslint .`",
      "package.json: the script pretest was added: `x`",
    ],
  ],
  [
    "settings of test tools in package.json",
    [changed("package.json", '{"jest":{"bail":1},"version":"1"}', '{"jest":{"bail":2},"version":"2"}')],
    ["package.json: the section jest changed"],
  ],
  [
    "a package.json that is not JSON",
    [changed("package.json", scripts({}), "{")],
    ["package.json changed, but its scripts could not be compared"],
  ],
  [
    "a script that a check uses",
    [changed("package.json", scripts({ test: "vitest" }), scripts({ test: "true" }))],
    ["package.json: the script test changed, which the check `npm test` uses: `vitest` → `true`"],
    ["npm test"],
  ],
  [
    "a script that no check uses",
    [changed("package.json", scripts({ build: "a", lint: "b" }), scripts({ build: "b", lint: "true" }))],
    ["package.json: the script lint changed: `b` → `true`"],
    ["npm test"],
  ],
  [
    "a script of another package",
    [changed("packages/a/package.json", scripts({ build: "a" }), scripts({ build: "b" }))],
    [],
    ["npm run build"],
  ],
  [
    "what a script of a check ran before it was changed",
    [
      changed("package.json", scripts({ build: "node tools/build.js" }), scripts({ build: "true" })),
      deleted("tools/build.js", ""),
    ],
    [
      "tools/build.js was deleted, which the check `npm run build` uses",
      "package.json: the script build changed, which the check `npm run build` uses: `node tools/build.js` → `true`",
    ],
    ["npm run build"],
  ],
  [
    "what a check looks at, unless it is new",
    [added("out.txt", ""), changed("expected.txt"), added("run.sh", "")],
    [
      "expected.txt changed, which the check `sh run.sh && diff out.txt expected.txt` uses",
      "run.sh was added, which the check `sh run.sh && diff out.txt expected.txt` uses",
    ],
    ["sh run.sh && diff out.txt expected.txt"],
  ],
  [
    "files that checks use",
    [
      changed("scripts/check.sh"),
      changed("Makefile"),
      changed("tests/run.sh", "", ""),
      changed("jest.config.js"),
      changed("a.test.ts", "", ""),
      changed("other.sh"),
    ],
    [
      "scripts/check.sh changed, which the check `./scripts/check.sh` uses",
      "Makefile changed, which the check `make test` uses",
      "tests/run.sh changed, which the check `bash tests/run.sh` uses",
      "jest.config.js changed, which the check `jest -c jest.config.js a.test.ts` uses",
    ],
    ["./scripts/check.sh", "make test", "bash tests/run.sh", "jest -c jest.config.js a.test.ts"],
  ],
  [
    "a file that is moved away from a check, and one that takes its place",
    [renamed("check.sh", "old.sh"), renamed("weak.sh", "check.sh")],
    [
      "check.sh was renamed to old.sh, which the check `./check.sh` uses",
      "weak.sh was renamed to check.sh, which the check `./check.sh` uses",
    ],
    ["./check.sh"],
  ],
  [
    "a long command of a check, which is cut",
    [changed("a.sh"), changed("b.sh")],
    [
      `a.sh changed, which the check \`./a.sh ${"x".repeat(73)}\` uses`,
      `b.sh changed, which the check \`./b.sh ${"x".repeat(72)}…\` uses`,
    ],
    [`./a.sh ${"x".repeat(73)}`, `./b.sh ${"x".repeat(74)}`],
  ],
  [
    "a script that a check runs, whatever its name",
    [changed("run-tests.sh", "npx jest", "true"), changed("ci/test.sh", "", ""), changed("b_test.py", "", "")],
    [
      "run-tests.sh changed, which the check `sh -e run-tests.sh || exit 1` uses",
      "ci/test.sh changed, which the check `./ci/test.sh b_test.py` uses",
    ],
    ["sh -e run-tests.sh || exit 1", "./ci/test.sh b_test.py"],
  ],
];

test("a change that the text does not show comes with the content, which tells it from another one", () => {
  const content = "1234";
  const changes = [
    { ...changed("jest.config.js"), content },
    { ...changed("Makefile"), content },
    { ...changed("pyproject.toml", "", "[tool.pytest]\na = 1"), content },
    { ...changed("package.json", scripts({ test: "a" }), scripts({ test: "b" })), content },
  ];
  const place = { commands: ["make"], folder: "", top: "/top", scriptsIn: () => undefined };
  expect(suspicions(changes, place).map((each) => [each.path, each.content])).toEqual([
    ["Makefile", content],
    ["package.json", undefined],
    ["pyproject.toml", content],
    ["jest.config.js", content],
  ]);
});

describe("suspicious is", () => {
  for (const [name, changes, texts, commands = []] of cases)
    test(name, () => {
      const place = { commands, folder: "", top: "/top", scriptsIn: () => undefined };
      expect(suspicions(changes, place).map(({ text }) => text)).toEqual(texts);
    });
});

test.each([
  ["a.test.ts", true],
  ["package.json", true],
  ["pyproject.toml", true],
  ["src/a.ts", false],
  ["README.md", false],
])("whether the text of %s matters: %p", (path, isNeeded) => {
  expect(needsText({ path, from: undefined })).toBe(isNeeded);
  expect(needsText({ path: "README.md", from: path })).toBe(isNeeded);
});
