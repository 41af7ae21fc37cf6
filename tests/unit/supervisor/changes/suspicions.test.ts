import { describe, expect, test } from "bun:test";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import { cccPaths } from "../../../../src/config/paths.ts";
import type { DiffEntry, Suspicion, SuspicionKind, TextChange } from "../../../../src/supervisor/changes/changes.ts";
import { changesWhenAsked, examineChanges, limitSuspicions } from "../../../../src/supervisor/changes/suspicions.ts";
import type { Baseline } from "../../../../src/supervisor/record/session.ts";
import { fakeWorld, memoryFiles } from "../../fakes.ts";
import { gitPlace } from "../baseline/place.ts";

describe("changes when asked", () => {
  const TREE = { top: "/p", tree: "1".repeat(40), index: "index-1" };
  const baseline = (trees: Baseline["trees"]): Baseline => ({
    at: "",
    prompt_id: null,
    repository: "/p",
    store: crypto.randomUUID(),
    bytes: 0,
    trees,
  });

  /** The changes in a folder where the repository is gone by now, if there was one. */
  function changes(known: Baseline | undefined) {
    const { world } = fakeWorld();
    const launch = { environment: { salt: "", plain: {}, hashed: [] }, checks: { commands: [], left_out: [] } };
    return changesWhenAsked(world, { paths: cccPaths(world), project: "/p", cwd: "/p", launch }, known);
  }

  describe("files that cannot be compared", () => {
    test("are suspicious if they could be compared at the prompt", async () =>
      expect(await changes(baseline([TREE]))()).toEqual({
        why: "not a git repository",
        suspicious: [
          {
            kind: "not compared",
            path: "",
            content: "1970-01-01T00:00:00.000Z",
            text: "ccc could not compare the files with those at the user's prompt (not a git repository), so look for this yourself: deleted, skipped and weakened tests, and changed settings of tests and CI",
          },
        ],
      }));
    test("are not, if they never could", async () => {
      for (const known of [undefined, baseline([])])
        expect(await changes(known)()).toEqual({ why: "not a git repository" });
    });
  });

  test("changes are looked for once", () => {
    const ask = changes(undefined);
    expect(ask()).toBe(ask());
  });
});

describe("examine changes", () => {
  const lines = (count: number) => "expect(1).toBe(1);\n".repeat(count);

  test("tests and scripts before and after, committed or not, in the project and in another worktree", async () => {
    await using place = await gitPlace({ folder: "app" });
    await place.write("app/a.test.ts", lines(3));
    await place.write("app/b.test.ts", 'it("b");\n');
    await place.write("app/c.test.ts", lines(4));
    await place.write("app/package.json", '{"scripts":{"test":"./check.sh"}}');
    await place.write("app/check.sh", "exit 1\n");
    await place.commit();
    const baseline = await place.take();
    const checks = { checks: ["npm test"] };
    expect(await place.suspicions(baseline, checks)).toEqual([]);

    await rm(join(place.project, "app/a.test.ts"));
    await place.write("app/b.test.ts", 'it.skip("b");\n');
    await place.commit();
    await place.write("app/c.test.ts", lines(2));
    await place.write("app/check.sh", "exit 0\n");
    const texts = [
      "app/a.test.ts was deleted",
      'app/b.test.ts: 1 test newly skipped (line 1: it.skip("b"))',
      "app/c.test.ts has 2 assertions, 4 before",
      "app/check.sh changed (+1 -1), which the check `npm test` uses",
    ];
    expect(await place.suspicions(baseline, checks)).toEqual(texts);
    await place.commit();
    expect(await place.suspicions(baseline, checks)).toEqual(texts);
    expect(await place.suspicions(await place.take(baseline), checks)).toEqual([]);

    const worktree = join(place.root, "other");
    const before = await place.take(baseline);
    await place.git("worktree", "add", "-q", "-b", "w", worktree);
    await rm(join(worktree, "app/b.test.ts"));
    await writeFile(join(worktree, "app/check.sh"), "true\n");
    expect(await place.suspicions(before, { ...checks, cwd: worktree })).toEqual([
      `${worktree}/app/b.test.ts was deleted`,
      `${worktree}/app/check.sh changed (+1 -1), which the check \`npm test\` uses`,
    ]);
  });

  test("what cannot be compared is reported: large files, and an earlier version that was replaced", async () => {
    await using place = await gitPlace();
    await place.write("large.test.ts", "x\n");
    await place.write("exchanged.test.ts", lines(3));
    await place.commit();
    const baseline = await place.take();
    await place.write("large.test.ts", "x".repeat(1_000_001));
    await place.write("exchanged.test.ts", lines(1));
    const blob = (await place.git("rev-parse", "HEAD:exchanged.test.ts")).trim();
    const object = join(place.project, ".git/objects", blob.slice(0, 2), blob.slice(2));
    await chmod(object, 0o600);
    await writeFile(object, deflateSync(`blob ${lines(1).length}\0${lines(1)}`));
    expect(await place.suspicions(baseline)).toEqual([
      "exchanged.test.ts changed, but could not be read to compare its tests",
      "large.test.ts changed, but could not be read to compare its tests",
    ]);
  });

  test("a list that is too long ends with what was left out", async () => {
    await using place = await gitPlace();
    const names = Array.from({ length: 230 }, (_, index) => `${index + 100}.test.ts`);
    for (const name of names) await place.write(name, lines(2));
    const baseline = await place.take();
    for (const name of names) await place.write(name, lines(1));
    await rm(join(place.project, "329.test.ts"));
    const texts = (await place.suspicions(baseline)) as string[];
    expect(texts).toHaveLength(20);
    expect(texts.slice(0, 2)).toEqual(["329.test.ts was deleted", "100.test.ts has 1 assertion, 2 before"]);
    expect(texts.slice(-2)).toEqual([
      "183 more changes of this kind: lost assertions (183)",
      "30 more files with tests or settings changed and were not compared",
    ]);
  });

  /** What is suspicious about these files, whose texts are given by their ids. */
  async function examined(entries: DiffEntry[], texts: Record<string, string> | Error) {
    const read = async (ids: readonly string[]) => {
      if (texts instanceof Error) throw texts;
      return new Map(ids.flatMap((id) => (texts[id] === undefined ? [] : [[id, texts[id]] as const])));
    };
    const examine = examineChanges(memoryFiles(), "/p", []);
    return (await examine({ entries, top: "/p", mainTop: "/p", read })).map(({ text }) => text);
  }
  const modified = (path: string, before?: string, after?: string): DiffEntry => ({
    path,
    kind: "modified",
    from: undefined,
    added: 1,
    deleted: 1,
    ids: { before, after },
  });

  test("a single text is enough", async () => {
    const deleted = { ...modified("a.test.ts", "1"), kind: "deleted" as const };
    expect(await examined([deleted], { 1: lines(3) })).toEqual(["a.test.ts was deleted"]);
    const added = { ...modified("b.test.ts", undefined, "2"), kind: "added" as const };
    expect(await examined([added], { 2: 'it.skip("b");' })).toEqual([
      'b.test.ts: 1 test newly skipped (line 1: it.skip("b"))',
    ]);
  });

  test("texts that cannot be read are not compared, and are reported", async () => {
    for (const texts of [{}, { 1: lines(3) }, new Error("git failed")])
      expect(await examined([modified("a.test.ts", "1", "2")], texts)).toEqual([
        "a.test.ts changed, but could not be read to compare its tests",
      ]);
  });

  test("only 200 files are compared, those that were there before first", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => modified(`${index}.test.ts`, "1", "1"));
    const added = { ...modified("new.test.ts", undefined, "2"), kind: "added" as const };
    const texts = { 1: lines(1), 2: 'it.skip("b");' };
    expect(await examined([added, ...many(199)], texts)).toEqual([expect.stringContaining("1 test newly skipped")]);
    expect(await examined([added, ...many(200)], texts)).toEqual([
      "1 more file with tests or settings changed and was not compared",
    ]);
    expect(await examined([added, ...many(201)], texts)).toEqual([
      "2 more files with tests or settings changed and were not compared",
    ]);
  });
});

describe("limit suspicions", () => {
  const some = (count: number, kind: SuspicionKind): Suspicion[] =>
    Array.from({ length: count }, (_, index) => ({ kind, path: `${index}`, text: `${kind} ${index}` }));
  const note: Suspicion = { kind: "not compared", path: "", text: "3 more files were not compared" };
  const texts = (all: readonly Suspicion[]) => limitSuspicions(all).map(({ text }) => text);

  describe("of many suspicions", () => {
    test("20 are all listed, the worst first", () => {
      const configuration = some(18, "configuration");
      const deleted = some(2, "deleted test");
      expect(limitSuspicions([...configuration, ...deleted])).toEqual([...deleted, ...configuration]);
    });
    test("20 are all listed, of which one says what was not looked at", () => {
      const configuration = some(19, "configuration");
      expect(limitSuspicions([note, ...configuration])).toEqual([...configuration, note]);
    });
    test("19 are listed if there are more, and the others counted by kind", () => {
      const all = [...some(18, "deleted test"), ...some(2, "check"), ...some(1, "configuration")];
      expect(texts(all).slice(17)).toEqual([
        "deleted test 17",
        "check 0",
        "2 more changes of this kind: check (1), configuration (1)",
      ]);
    });
    test("what says that something was left out is never left out", () =>
      expect(texts([note, ...some(30, "skipped tests")]).slice(17)).toEqual([
        "skipped tests 17",
        "12 more changes of this kind: skipped tests (12)",
        note.text,
      ]));
  });
});

describe("suspicions", () => {
  const changed = (path: string, before?: string, after?: string): TextChange => ({
    path,
    kind: "modified",
    from: undefined,
    added: undefined,
    deleted: undefined,
    before,
    after,
  });
  const added = (path: string, after: string): TextChange => ({ ...changed(path, "", after), kind: "added" });
  const deleted = (path: string, before: string): TextChange => ({ ...changed(path, before, ""), kind: "deleted" });
  const renamed = (from: string, path: string, before = "", after = before): TextChange => ({
    path,
    kind: "renamed",
    from,
    added: undefined,
    deleted: undefined,
    before,
    after,
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
    ["assertions that moved", [changed("a.test.ts", expects(3), expects(1)), added("b.test.ts", expects(2))], []],
    [
      "assertions that became others, in another file",
      [changed("a.test.ts", expects(3), expects(2)), added("b.test.ts", "expect(2).toBe(2);")],
      ["a.test.ts has 2 assertions, 3 before; other test files have 1 more"],
    ],
    [
      "a test that is gone, with its assertions",
      [changed("a.test.ts", `it("a");\nit("b");\n${expects(3)}`, `it("a");\n${expects(2)}`)],
      ["a.test.ts has 1 test, 2 before (gone: b); 2 assertions, 3 before"],
    ],
    [
      "an expect of the test's own",
      [changed("a.test.ts", expects(1), `const expect = () => ({ toBe() {} });\n${expects(1)}`)],
      ["a.test.ts now defines its own assertions or tests (line 1: const expect = () => ({ toBe() {} }))"],
    ],
    [
      "one that is loaded from a file of the project, and not from a package",
      [
        changed("a.test.ts", expects(1), `import { expect } from "./expect";\n${expects(1)}`),
        changed("b.test.ts", expects(1), `import { ok as expect } from "assert";\n${expects(1)}`),
        changed(
          "c.test.ts",
          `import assert from 'node:assert';\n${expects(1)}`,
          `import assert from "node:assert";\n${expects(1)}`,
        ),
        changed("d.test.ts", expects(1), `import { expect } from "@jest/globals";\n${expects(1)}`),
      ],
      [
        'a.test.ts now defines its own assertions or tests (line 1: import { expect } from "./expect")',
        'b.test.ts now defines its own assertions or tests (line 1: import { ok as expect } from "assert")',
      ],
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

  /** What is suspicious about changed files, whose texts are read by their ids. */
  function examined(changes: readonly TextChange[], commands: readonly string[] = []) {
    const texts = new Map<string, string>();
    const entries = changes.map(({ before, after, content: _, ...file }): DiffEntry => {
      const idOf = (when: string, text: string | undefined, isThere: boolean) => {
        if (text !== undefined) texts.set(`${file.path} ${when}`, text);
        return isThere ? `${file.path} ${when}` : undefined;
      };
      const ids = {
        before: idOf("before", before, file.kind !== "added"),
        after: idOf("now", after, file.kind !== "deleted"),
      };
      return { ...file, ids };
    });
    const read = async (ids: readonly string[]) =>
      new Map(ids.flatMap((id) => (texts.has(id) ? [[id, texts.get(id) ?? ""] as const] : [])));
    return examineChanges(memoryFiles(), "/top", commands)({ entries, top: "/top", mainTop: "/top", read });
  }

  test("a change of a test, and one that the text does not show, comes with the content, which tells it from another one", async () => {
    const changes = [
      changed("jest.config.js"),
      changed("Makefile"),
      changed("pyproject.toml", "", "[tool.pytest]\na = 1"),
      changed("package.json", scripts({ test: "a" }), scripts({ test: "b" })),
      // The text shows that a test is skipped, but not what else changes in the file later.
      changed("a.test.ts", 'test("a", f);', 'test.skip("a", f);'),
    ];
    expect((await examined(changes, ["make"])).map((each) => [each.path, each.content])).toEqual([
      ["a.test.ts", "a.test.ts now"],
      ["Makefile", "Makefile now"],
      ["package.json", undefined],
      ["pyproject.toml", "pyproject.toml now"],
      ["jest.config.js", "jest.config.js now"],
    ]);
  });

  describe("suspicious is", () => {
    for (const [name, changes, texts, commands = []] of cases)
      test(name, async () => expect((await examined(changes, commands)).map(({ text }) => text)).toEqual(texts));
  });

  test("only the texts of tests, and of files with settings of tests, are read", async () => {
    const asked: string[] = [];
    const read = async (ids: readonly string[]) => {
      asked.push(...ids);
      return new Map<string, string>();
    };
    const paths = ["a.test.ts", "package.json", "pyproject.toml", "src/a.ts", "README.md"];
    const entry = { added: 1, deleted: 1 };
    const entries = paths.flatMap((path): DiffEntry[] => [
      { ...entry, path, kind: "modified", from: undefined, ids: { before: `${path} before`, after: undefined } },
      { ...entry, path: "x.md", kind: "renamed", from: path, ids: { before: `${path} renamed`, after: undefined } },
    ]);
    await examineChanges(memoryFiles(), "/top", [])({ entries, top: "/top", mainTop: "/top", read });
    expect(asked).toEqual(paths.slice(0, 3).flatMap((path) => [`${path} before`, `${path} renamed`]));
  });
});
