import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ReviewerLook } from "../../../../src/claude/stream.ts";
import { type Criterion, newCriterion } from "../../../../src/supervisor/criteria.ts";
import { EMPTY_LEDGER } from "../../../../src/supervisor/ledger.ts";
import type { CheckResult } from "../../../../src/supervisor/record/stops.ts";
import { missingFrom, type ReviewedStop } from "../../../../src/supervisor/review/evidence.ts";
import type { Verdict } from "../../../../src/supervisor/review/verdict.ts";

describe("what the evidence of a verdict names", () => {
  /** What the reviewer and the checks have looked at; files that changed since the prompt, and those that are gone. */
  interface Seen {
    readonly looks: readonly ReviewerLook[];
    readonly checks: readonly CheckResult[];
    readonly changed: readonly string[];
    readonly gone: readonly string[];
  }

  /** What the evidence for a criterion names, and nobody has looked at. */
  function unseenIn(evidence: string, { looks, checks, changed, gone }: Seen): string[] {
    const ruling = { id: "C1", text: "x", status: "met", evidence } as const;
    const file = (path: string, kind: "modified" | "deleted") => {
      return { path, kind, from: undefined, added: 1, deleted: 1 };
    };
    const files = [...changed.map((path) => file(path, "modified")), ...gone.map((path) => file(path, "deleted"))];
    const missing = missingFrom(
      { completed: true, feedback: "", needsUser: false, rulings: [ruling] },
      {
        ledger: { ...EMPTY_LEDGER, criteria: [{ ...newCriterion("C1", "x"), ...ruling }] },
        ruled: ["C1"],
        outdated: [],
        looks,
        checks,
        hasChanged: false,
        disputes: [],
        changes: { since: "", top: "/p", worktree: undefined, more: 0, tree: "t", suspicious: [], files },
      },
    );
    return missing.map((each) =>
      each.replace(/^the evidence for C1 names (.*), which it neither opened nor ran$/, "$1"),
    );
  }

  const NOTHING: Seen = { looks: [], checks: [], changed: [], gone: [] };
  const look = (name: string, what: string, seen = "", exitCode = 0) => ({
    ...NOTHING,
    looks: [{ name, what, seen, exitCode }],
  });
  const ran = (what: string, seen = "", exitCode = 0) => look("Bash", what, seen, exitCode);
  const opened = (what: string, seen = "") => look("Read", what, seen);
  const checked = (command: string, output = "") => ({
    ...NOTHING,
    checks: [{ command, output, ending: "exit 0", isPassed: true, seconds: 1 }],
  });
  const all = (...some: Seen[]): Seen => ({
    looks: some.flatMap(({ looks }) => looks),
    checks: some.flatMap(({ checks }) => checks),
    changed: some.flatMap(({ changed }) => changed),
    gone: some.flatMap(({ gone }) => gone),
  });
  const DIFF = ran("git diff HEAD", "diff --git a/src/a.ts b/src/a.ts\n--- a/src/a.ts\n+++ b/src/a.ts\n+x\n");
  const FAILED = ran("npm test", "1 failing", 1);

  test("a script that the reviewer wrote and ran counts by its exit code, and not by the text of the script", () => {
    const script = (exitCode: number) =>
      ran("cat > edge.py <<'EOF'\nassert slug(\"it's\") == '(its'\nEOF\npython3 edge.py", "", exitCode);
    expect(unseenIn("`python3 edge.py` passes", script(0))).toEqual([]);
    expect(unseenIn("`python3 edge.py` passes", script(1)).join()).toContain("python3 edge.py");
    expect(unseenIn("`python3 -` ran", ran("python3 - <<E\nprint(1)\nE", "1"))).toEqual([]);
    expect(unseenIn("`npm test` passes", ran("npm test | tail -1", "5 passed"))).toEqual([]);
    const printed = ran("npm test | tail -1; cat <<E\n5 passed\nE", "5 passed");
    expect(unseenIn("`npm test` passes", printed)).toEqual(["`npm test`"]);
    expect(unseenIn("`npm test` passes", ran("npm test <<< x\ntrue\nx", ""))).toEqual(["`npm test`"]);
    expect(unseenIn("`npm test` passes", ran("cat <<E\nnpm test", ""))).toEqual(["`npm test`"]);
  });

  test("tests of another file, and commands that only list or build tests, are not the tests that evidence names", () => {
    const other: [cited: string, run: string][] = [
      ["pytest tests/test_a.py", "pytest tests/test_b.py -q"],
      ["npx vitest run src/a.test.ts", "npx vitest run src/b.test.ts"],
      ["pytest tests/test_a.py::test_x", "pytest tests/test_b.py::test_x"],
      ["go test ./...", "go test ./... -list ."],
      ["cargo test", "cargo test --no-run"],
      ["make test", "make test --dry-run"],
    ];
    for (const [cited, run] of other)
      expect([cited, unseenIn(`\`${cited}\` passes`, ran(run, "1 passed"))]).toEqual([cited, [`\`${cited}\``]]);
    const same: [cited: string, run: string][] = [
      ["pytest tests/test_a.py", "pytest tests"],
      ["pytest tests/test_a.py", "pytest tests/test_b.py tests/test_a.py"],
      ["pytest tests/test_a.py", "pytest /p/tests/test_a.py::test_x"],
      ["pytest test_a.py", "cd tests && pytest test_a.py"],
      ["pytest tests/test_a.py", "pytest -x"],
      ["node --test a.test.js", "node --test ./a.test.js"],
    ];
    for (const [cited, run] of same)
      expect([cited, unseenIn(`\`${cited}\` passes`, ran(run, "1 passed"))]).toEqual([cited, []]);
  });

  describe("evidence that somebody looked at", () => {
    const table: [evidence: string, seen: Seen][] = [
      // A file that was opened, however it is written.
      ["src/a.ts has it", opened("/p/src/a.ts")],
      ["src/a.ts:12 and src/a.ts:12-20, src/a.ts#L3, src/a.ts(3,4)", opened("/p/src/a.ts")],
      ["`./src/a.ts`, [src/a.ts](src/a.ts).", ran("cat src/a.ts", "x")],
      ["/p/src/a.ts has it", ran("cd /p && sed -n '1,80p' src/a.ts", "x")],
      ["a.ts line 12", { ...opened("/p/src/a.ts"), changed: ["src/a.ts"] }],
      ["/p/my project/src/a.ts is right", opened("/p/my project/src/a.ts")],
      ["查看了src/a.ts，第12行已修改", opened("/p/src/a.ts")],
      ["在src/a.ts：12 中，`npm test` 通过", all(opened("/p/src/a.ts"), checked("npm test"))],
      ["说明.md 已更新", { ...opened("/p/说明.md"), changed: ["说明.md"] }],
      [
        "说明.md 已更新",
        { ...ran("git diff", 'diff --git "a/\\350\\257\\264\\346\\230\\216.md" b\n+x'), changed: ["说明.md"] },
      ],
      // With any program that prints it.
      ["src/a.ts has it", ran("head -50 src/a.ts", "x")],
      ["src/a.ts has it", ran("nl -ba src/a.ts | sed -n '10,20p'", "10 x")],
      ["src/a.ts has it", ran("cat src/a.ts 2>/dev/null | head -50", "x")],
      ["src/a.ts has it", ran("cat /p/src/a.ts", "x")],
      ["src/a.ts has it", ran("cat src/a.ts | grep -n x", "1:x")],
      ["src/a.ts has it", ran("cat < src/a.ts", "x")],
      ["src/a.ts has it, and so has src/b.ts", ran("cat src/a.ts; echo ---; cat src/b.ts", "x\n---\ny")],
      ["src/a.ts has it, and so has src/b.ts", ran("cat src/a.ts && echo && cat src/b.ts", "x\ny")],
      ["src/a.ts has it", ran("cat src/a.ts && npm test", "x\n1 failing", 1)],
      ["src/b.ts has it", ran("cat src/nope.ts; cat src/b.ts", "cat: src/nope.ts: No such file or directory\ny")],
      ["src/b.ts has it", ran("cat src/a.ts && cat src/b.ts; npm test", "x\ny\n1 failing", 1)],
      ["src/a.ts has it", ran("git show HEAD:src/a.ts", "x")],
      ["src/a.ts has it", ran("git blame src/a.ts", "1234 x")],
      ["src/a.ts has it", ran("git log -p -1", "diff --git a/src/a.ts b/src/a.ts\n+x")],
      ["src/a.ts has it", ran("git --no-pager diff -- src/a.ts | head -100", "+x")],
      ["src/a.ts is an empty file", ran("cat src/a.ts", "(Bash completed with no output)")],
      ["src/a.ts is the same as src/b.ts", ran("diff src/a.ts src/b.ts", "")],
      // A look at more than one file.
      ["src/a.ts is there", ran("ls -l src", "-rw-r--r-- 1 u u 1 a.ts")],
      ["./src/deep/a.ts is there", ran("find src -name '*.ts'", "src/deep/a.ts")],
      ["/p/src/a.ts exists", ran("ls src/", "a.ts")],
      ["src/a.ts 已创建", ran("ls src/", "a.ts")],
      ["src/a.ts and src/b.ts", ran("cat src/*", "x")],
      ["lib/a.ts is there", look("Glob", "lib/**", "/p/lib/a.ts")],
      ["src/a.ts calls it", ran("grep -rn newName .", "./src/a.ts:3:newName()")],
      ["src/a.ts calls it", ran("grep -n newName src/a.ts", "3:newName()")],
      ["src/a.ts calls it", ran("grep newName src/a.ts && echo found", "newName()\nfound")],
      ["src/a.ts calls it twice", ran("grep -c newName src/a.ts", "2")],
      ["src/a.ts has it", opened("C:\\p\\src\\a.ts")],
      ["src/a.ts calls it", look("Grep", "newName", "Found 1 file\nsrc/a.ts")],
      ["src/a.ts calls it", look("Grep", "/p/src/a.ts", "3:newName()")],
      ["src/a.ts does not use it", ran("grep -rn oldName .")],
      ["src/a.ts does not use it", ran("grep -rn oldName src", "(Bash completed with no output)")],
      ["src/a.ts 不再使用它", ran("git grep oldName")],
      ["src/a.ts does not use it", look("Grep", "oldName", "No matches found")],
      ["a.ts adds it", { ...ran("cat *.ts", "x"), changed: ["a.ts"] }],
      ["src/a.ts passes", ran("npm test", "ok src/a.ts")],
      ["tests/a.test.ts > adds passes", checked("npm test", "✓ tests/a.test.ts (3)")],
      ["a.ts:12 has it", { ...DIFF, changed: ["src/a.ts"] }],
      ["src/a.ts:12 has it", { ...ran("git -C /p show HEAD", DIFF.looks[0]?.seen), changed: ["src/a.ts"] }],
      ["src/z.ts:12 has it", { ...ran("git diff", "x".repeat(30_000)), changed: ["src/z.ts"] }],
      ["a.txt, see `git status`", { ...ran("git status", "Untracked files:\n\ta.txt"), changed: ["a.txt"] }],
      // What is gone cannot be opened.
      ["tests/a.test.ts is gone, as asked", { ...NOTHING, gone: ["tests/a.test.ts"] }],
      ["src/old.ts is now src/new.ts", all({ ...opened("/p/src/new.ts"), gone: ["src/old.ts"] })],
      ["src/old.ts does not exist", ran("ls src/old.ts", "ls: cannot access 'src/old.ts': No such file", 2)],
      ["src/old.ts was removed", ran("ls src", "new.ts")],
      // Commands.
      ["`npm test` passes", ran("cd x && CI=1 npm test -- --bail")],
      ["`npm test` passes", ran("npm run test:unit")],
      ["`npm run test` passes", ran("npm test")],
      ["`npm --prefix web test` passes", ran("npm test --prefix web")],
      ["`npm test` passes", ran("npm --prefix web test")],
      ["`pytest -q` passes", ran("python3 -m pytest tests")],
      ["`bun test tests/a.test.ts` passes", ran("bun test")],
      ["`npx vitest run` passes", ran("npm test", "> vitest run\n3 passed")],
      ["`vitest run` passes", checked("npm test", "> vitest run")],
      ["`git diff --stat` shows it", DIFF],
      ["`git log --oneline` shows the commit", ran("git log --oneline | head -5", "1234 feat")],
      ["`git log` has the commit", ran("git log | head -5", "fix: 3 errors")],
      ["`npm test` passes", checked("npm test")],
      // Several in one line.
      ["`npm test` passes", ran("npm run lint && npm test", "3 passed")],
      ["`npm run lint` and `npm test` pass", ran("npm run lint && npm test", "3 passed")],
      ["`npm run lint && npm test` passes", all(ran("npm run lint"), ran("npm test"))],
      ["`cd packages/a && npm test` passes", ran("cd packages/a && npm test")],
      // An exit code that the line hides, but the output shows.
      ["`npm test` passes", ran("npm test; echo exit=$?", "> a\nexit=0")],
      ["`npm test` passes", ran('npm test 2>&1 | tail -20; echo "done: $?"', "12 passed\ndone: 0")],
      ["`npm test` passes", ran("npm test 2>&1 | tail -3", "Tests  12 passed (12)")],
      ["`go test ./...` passes", ran("go test ./... | head", "ok  \tpkg\t0.1s")],
      ["`npm test` lists 12 tests", ran("npm test | head -3", "12 tests")],
      // A failure that the evidence reports.
      ["`npm test` fails without the fix, as asked", FAILED],
      ["`npm test` exits with 1, which is what the user wants", FAILED],
      ["fails as it should: `npm test`", FAILED],
      ["`npm test` 失败，符合要求", FAILED],
      ["`npm test` 未通过，因为没有网络；这与需求无关", FAILED],
      ["npm test fails in b.test.ts as before; the new tests pass", FAILED],
      // The last run counts, and the very same command before others.
      ["`npm test` passes", all(FAILED, ran("npm test"))],
      ["`npm test` passes after it failed at first", all(FAILED, ran("npm test"))],
      ["`npm test` passes", all(ran("npm test"), ran("npm run test:e2e", "no browser", 1))],
      ["all tests pass", all(FAILED, ran("npm test"))],
      ["`npm test` passes, 0 failed, no errors", ran("npm test", "12 passed, 0 failed")],
      // In prose.
      ["npm test passes: 12 tests", ran("npm test")],
      ["运行 npm test 全部通过", ran("npm test")],
      ["Ran pytest; everything is green.", ran("python -m pytest -q")],
      ["make sure that it passes, and go test it", NOTHING],
      [
        "README.md says `npm install && npm start`",
        { ...opened("/p/README.md", "npm install && npm start"), changed: ["README.md"] },
      ],
      [
        "the README says `npm start`",
        { ...ran("git diff", "+++ b/README.md\n+run `npm start`"), changed: ["README.md"] },
      ],
      // Neither files nor commands.
      ["`parse(x)` handles it, and/or 1.2", NOTHING],
      ["it speaks HTTP/1.1 and Mozilla/5.0, 1.0/2.0, fs/promises.readFile", NOTHING],
      ["see https://example.com/a.html and localhost:3000/api/a.json", NOTHING],
      ["the answer explains it", NOTHING],
      ["the test passes, run by ccc", { ...NOTHING, changed: ["bin/test", "bin/ccc", "run"] }],
    ];
    test.each(table)("%s", (evidence, seen) => expect(unseenIn(evidence, seen)).toEqual([]));
  });

  describe("evidence that nobody looked at", () => {
    const table: [evidence: string, seen: Seen, unseen: string[]][] = [
      ["src/a.ts has it", opened("/p/src/b.ts"), ["src/a.ts"]],
      ["src/a.ts is there", ran("cat src/b.ts"), ["src/a.ts"]],
      ["see a.ts.", { ...opened("/p/b.ts"), changed: ["src/a.ts"] }, ["a.ts"]],
      ["查看了src/a.ts", opened("/p/src/b.ts"), ["src/a.ts"]],
      ["说明.md 已更新", { ...opened("/p/b.md"), changed: ["说明.md"] }, ["说明.md"]],
      ["查看了 lib/工具.py", { ...opened("/p/b.py"), changed: ["lib/工具.py"] }, ["lib/工具.py"]],
      ["src/b.ts has it", DIFF, ["src/b.ts"]],
      [
        "bin/run does it, and so does the Makefile",
        { ...DIFF, changed: ["bin/run", "Makefile"] },
        ["Makefile", "bin/run"],
      ],
      // Another file of the same name is no look.
      ["src/auth/index.ts checks it", opened("/p/src/other/index.ts"), ["src/auth/index.ts"]],
      ["src/auth/index.ts is gone", { ...NOTHING, gone: ["lib/index.ts"] }, ["src/auth/index.ts"]],
      ["src/a.ts has it", opened("/p/src/data.ts"), ["src/a.ts"]],
      // Commands that name a file, but do not show it.
      ["src/a.ts has it", ran("echo src/a.ts", "src/a.ts"), ["src/a.ts"]],
      ["src/a.ts has it", ran("echo see src/a.ts; ls lib", "see src/a.ts\nb.ts"), ["src/a.ts"]],
      ["src/a.ts has it", ran("printf 'src/a.ts\\n'; git status", "src/a.ts\nnothing to commit"), ["src/a.ts"]],
      ["src/a.ts has it", ran("true src/a.ts"), ["src/a.ts"]],
      ["src/a.ts has it", ran("head -0 src/a.ts"), ["src/a.ts"]],
      ["src/a.ts has it", ran("cat src/b.ts # and src/a.ts", "x"), ["src/a.ts"]],
      ["src/a.ts has it", ran("sed -n 900,950p src/a.ts", "(Bash completed with no output)"), ["src/a.ts"]],
      ["src/a.ts has it", ran("ls src/a.ts", "src/a.ts"), ["src/a.ts"]],
      ["src/a.ts has it", ran("wc -l src/a.ts", "3 src/a.ts"), ["src/a.ts"]],
      ["src/a.ts has it", ran("cat src/a.ts | wc -l", "3"), ["src/a.ts"]],
      ["src/a.ts has it", ran("cat src/a.ts > /dev/null"), ["src/a.ts"]],
      ["src/a.ts has it", ran("cat src/a.ts > 2; git status", "clean"), ["src/a.ts"]],
      ["src/a.ts has it", ran("cat src/a.ts &>/dev/null; git status", "clean"), ["src/a.ts"]],
      ["src/a.ts has it", ran("git diff --stat", "src/a.ts | 2 +-"), ["src/a.ts"]],
      ["src/a.ts has it", ran("git diff --stat src/a.ts", "src/a.ts | 2 +-"), ["src/a.ts"]],
      ["src/a.ts has it", ran("git log --oneline -- src/a.ts", "1234 x"), ["src/a.ts"]],
      ["src/a.ts has it", ran("git diff", "diff --git a/README.md b/README.md\n+see src/a.ts"), ["src/a.ts"]],
      ["src/a.ts has it", { ...ran("git diff"), changed: ["src/a.ts"] }, ["src/a.ts"]],
      ["src/a.ts calls it", ran("grep newName src/a.ts"), ["src/a.ts"]],
      ["src/a.ts calls it", ran("grep newName src/a.ts; echo src/a.ts", "src/a.ts"), ["src/a.ts"]],
      ["src/a.ts calls it", ran("grep src/a.ts README.md", "see src/a.ts"), ["src/a.ts"]],
      ["src/a.ts calls it", ran("grep -rn src/a.ts .", "./README.md:1:see src/a.ts"), ["src/a.ts"]],
      ["src/a.ts calls it", ran("grep -c newName src/a.ts", "0"), ["src/a.ts"]],
      ["src/a.ts calls it", ran("grep -rc newName src", "src/a.ts:0\nsrc/b.ts:2"), ["src/a.ts"]],
      ["src/a.ts calls it", look("Grep", "newName", "No matches found"), ["src/a.ts"]],
      ["src/a.ts is there", ran("ls src", "b.ts"), ["src/a.ts"]],
      ["src/a.ts has it", look("Glob", "src/**", "/p/src/a.ts"), ["src/a.ts"]],
      // Commands that failed, or may not have run.
      ["src/a.ts has it", ran("cat src/a.ts", "cat: src/a.ts: No such file or directory", 1), ["src/a.ts"]],
      ["src/a.ts has it", ran("cat src/a.ts | head", "cat: src/a.ts: No such file or directory"), ["src/a.ts"]],
      ["src/a.ts has it", ran("cat src/a.ts; ls", "cat: src/a.ts: No such file or directory\nb.ts"), ["src/a.ts"]],
      ["src/a.ts has it", ran("cat src/a.ts 2>/dev/null; ls", "b.ts"), ["src/a.ts"]],
      ["src/a.ts has it", ran("cat src/a.ts || true", "cat: src/a.ts: Permission denied"), ["src/a.ts"]],
      ["src/a.ts has it", ran("ls || cat src/a.ts", "b.ts"), ["src/a.ts"]],
      ["src/a.ts has it", ran("npm test && cat src/a.ts", "1 failing", 1), ["src/a.ts"]],
      ["src/a.ts has it", ran("false && cat src/a.ts; ls", "b.ts"), ["src/a.ts"]],
      ["src/b.ts has it", ran("cat nope && cat src/b.ts; ls", "cat: nope: No such file or directory"), ["src/b.ts"]],
      ["src/a.ts is there", ran("ls src/a.ts", "ls: cannot access 'src/a.ts': No such file", 2), ["src/a.ts"]],
      ["tests/a.test.ts covers it", ran("npm test", "✗ tests/a.test.ts", 1), ["tests/a.test.ts"]],
      // Commands that are only named.
      ["`npm test` passes", ran("npm ls"), ["`npm test`"]],
      ["`npm test` passes", opened("/p/README.md", "run npm test"), ["`npm test`"]],
      ["`npm test` passes", ran('grep "npm test" README.md', "run npm test"), ["`npm test`"]],
      [
        "`npm test` passes",
        { ...ran('grep "npm test" README.md', "run npm test"), changed: ["README.md"] },
        ["`npm test`"],
      ],
      ["`npm test` passes", ran("echo npm test", "npm test"), ["`npm test`"]],
      ["`npm test` passes", ran("cat package.json # npm test", "x"), ["`npm test`"]],
      ["`npm test` passes", ran("true || npm test"), ["`npm test`"]],
      ["`pytest` passes", ran("pytest --collect-only", "12 tests collected"), ["`pytest`"]],
      ["npm test passes", ran("npm ls"), ["`npm test`"]],
      ["运行 npm test 全部通过", NOTHING, ["`npm test`"]],
      ["`cargo test` and src/a.rs", NOTHING, ["`cargo test`", "src/a.rs"]],
    ];
    test.each(table)("%s", (evidence, seen, unseen) => expect(unseenIn(evidence, seen)).toEqual(unseen));
  });

  describe("evidence that contradicts what the reviewer saw", () => {
    const table: [evidence: string, seen: Seen, flaw: string][] = [
      ["`npm test` passes", FAILED, "says that `npm test` passes, but it exited 1"],
      ["npm test passes", FAILED, "says that `npm test` passes, but it exited 1"],
      ["All green: `npm test`", FAILED, "says that `npm test` passes, but it exited 1"],
      ["`npm test` 全部通过", FAILED, "says that `npm test` passes, but it exited 1"],
      ["运行 npm test，没有失败", FAILED, "says that `npm test` passes, but it exited 1"],
      ["`npm test` has no failures", FAILED, "says that `npm test` passes, but it exited 1"],
      ["`npm test`", FAILED, "names `npm test`, but it exited 1"],
      ["see npm test", FAILED, "names `npm test`, but it exited 1"],
      [
        "`npm run lint` and `npm test` pass",
        all(ran("npm run lint"), FAILED),
        "says that `npm test` passes, but it exited 1",
      ],
      ["`npm test` passes", all(ran("npm test"), FAILED), "says that `npm test` passes, but it exited 1"],
      ["`npm test` passes; the old failure is fixed", FAILED, "says that `npm test` passes, but it exited 1"],
      [
        "`npm test` passes",
        ran("npm run test:unit", "x", 2),
        "says that `npm test` passes, but `npm run test:unit` exited 2",
      ],
      [
        "`npm test` passes",
        ran("npm run lint && npm test", "x", 1),
        "says that `npm test` passes, but `npm run lint && npm test` exited 1",
      ],
      ["`npm test` passes", ran("npm test; echo exit=$?", "x\nexit=1"), "says that `npm test` passes, but it exited 1"],
      [
        "`npm test` passes",
        ran("npm test || true", "1 failing"),
        "says that `npm test` passes, but the output of `npm test || true` reports failures",
      ],
      [
        "`npm test` passes",
        ran("npm test | cat", "hi"),
        "names `npm test`, but `npm test | cat` hides its exit code: run it on its own",
      ],
      [
        "I ran `npm test`. No failures.",
        ran("npm test | head", "hi"),
        "names `npm test`, but `npm test | head` hides its exit code: run it on its own",
      ],
      [
        "`npm test` passes",
        ran("npm test; ls", "hi"),
        "names `npm test`, but `npm test; ls` hides its exit code: run it on its own",
      ],
      [
        "`npm test` passes",
        ran("npm test && npm run lint", "hi", 1),
        "names `npm test`, but `npm test && npm run lint` hides its exit code: run it on its own",
      ],
      ["all 12 tests pass", FAILED, "says that tests pass, but `npm test` exited 1"],
      ["测试全部通过", FAILED, "says that tests pass, but `npm test` exited 1"],
      ["ran the tests, all OK", FAILED, "says that tests pass, but `npm test` exited 1"],
      ["12/12 tests ok", FAILED, "says that tests pass, but `npm test` exited 1"],
      ...["npm test || true", "npm test; true"].map((line): [string, Seen, string] => {
        const says = `says that tests pass, but \`${line}\` hides its exit code: run it on its own`;
        return ["all tests pass", ran(line, "boom"), says];
      }),
    ];
    test.each(table)("%s", (evidence, seen, flaw) => {
      expect(unseenIn(evidence, seen)).toEqual([`the evidence for C1 ${flaw}`]);
    });
  });

  test("property: no command line and no evidence makes it throw", () => {
    const piece = fc.constantFrom(
      ..."npm|test| |&&|||;|`|'|\"|\\|#|>|2>&1|<|$?|(|)|\n|src/a.ts|echo|*|[".split("|"),
      "|",
      "||",
    );
    const text = fc
      .array(fc.oneof(piece, fc.string({ maxLength: 3 })), { maxLength: 12 })
      .map((parts) => parts.join(""));
    fc.assert(fc.property(text, text, text, (line, output, evidence) => void unseenIn(evidence, ran(line, output, 1))));
  });
});

describe("what a verdict lacks", () => {
  const DONE: Verdict = { completed: true, feedback: "", needsUser: false, rulings: [] };
  const file = (path: string) => ({ path, kind: "modified", from: undefined, added: 1, deleted: 0 }) as const;
  const changed = (...paths: string[]) => ({
    since: "",
    top: "/p",
    worktree: undefined,
    more: 0,
    tree: "t",
    suspicious: [],
    files: paths.map(file),
  });
  const met = (evidence: string) => ({ ...newCriterion("C1", "x"), status: "met" as const, evidence });
  const bash = (what: string, seen = "", exitCode = 0) => ({ name: "Bash", what, seen, exitCode });
  const check = (command: string, output = "") => ({ command, output, ending: "exit 0", isPassed: true, seconds: 1 });

  interface Stop extends Partial<Omit<ReviewedStop, "ledger">> {
    readonly criteria?: readonly Criterion[];
  }
  const STOP: Omit<ReviewedStop, "ledger"> = {
    ruled: [],
    outdated: [],
    looks: [],
    changes: changed(),
    hasChanged: false,
    checks: [],
    disputes: [],
  };
  const missing = (verdict: Verdict, { criteria = [met("it works")], ...stop }: Stop) =>
    missingFrom(verdict, { ...STOP, ...stop, ledger: { ...EMPTY_LEDGER, criteria } });

  describe('a "done" lacks something', () => {
    const table: [name: string, stop: Stop, missing: string[]][] = [
      ["nothing, without criteria and changes", { criteria: [] }, []],
      [
        "a criterion that is not met",
        { criteria: [newCriterion("C1", "x"), newCriterion("C2", "y")] },
        ["it says done, but does not say that C1 and C2 are met"],
      ],
      ["evidence", { criteria: [met("")] }, ["it gives no evidence for C1"]],
      [
        "a ruling on what was met in other files",
        { outdated: ["C1"] },
        ["it does not rule on C1: only an earlier review did, and files may have changed since"],
      ],
      ["a look, if files changed", { hasChanged: true }, ["files changed, but it opened no file and ran no command"]],
      ["no look if a check ran", { hasChanged: true, checks: [check("npm test")] }, []],
      ["nothing after a look", { hasChanged: true, looks: [bash("git diff")] }, []],
      [
        "a look at the project",
        {
          hasChanged: true,
          looks: [
            "cat /dev/null",
            "head -n 1 /dev/null",
            "wc -l < /dev/null",
            "echo a | cat",
            "echo a | grep a",
            "git --version",
            "ls /dev/null",
            "node /dev/null",
          ].map((line) => bash(line, "0")),
        },
        ["files changed, but it opened no file, and no command that shows something of them succeeded"],
      ],
      ...[
        "cat a /dev/null",
        "grep -n x a /dev/null",
        "git diff | head -n 5",
        "git diff | grep a",
        "echo a | grep -r a",
        "npm test < /dev/null",
        "pytest -c /dev/null",
        "ls < /dev/null",
      ].map((line): [string, Stop, string[]] => [
        `nothing after ${line}`,
        { hasChanged: true, looks: [bash(line, "x")] },
        [],
      ]),
      [
        "a look that succeeded",
        { hasChanged: true, looks: [bash("cat a", "cat: a: No such file", 1), bash("echo a", "a"), bash("true")] },
        ["files changed, but it opened no file, and no command that shows something of them succeeded"],
      ],
    ];
    for (const [name, stop, expected] of table) test(name, () => expect(missing(DONE, stop)).toEqual(expected));
  });

  test("the reviewer must have looked at what its evidence names", () => {
    const named = "src/a.ts was src/b.ts, tests/gone.test.ts is gone, and src/c.ts is right";
    const verdict = { ...DONE, rulings: [{ id: "C1", text: "", status: "met" as const, evidence: named }] };
    const files = [
      { ...file("src/a.ts"), kind: "renamed" as const, from: "src/b.ts" },
      { ...file("tests/gone.test.ts"), kind: "deleted" as const },
    ];
    const stop = {
      criteria: [met(named)],
      ruled: ["C1"],
      changes: { ...changed(), files },
      looks: [bash("git diff", "+++ b/src/a.ts")],
    };
    expect(missing(verdict, stop)).toEqual(["the evidence for C1 names src/c.ts, which it neither opened nor ran"]);
  });

  test("the feedback must not contradict what the reviewer saw", () => {
    const looks = [bash("npm test", "1 failing", 1)];
    const flaw = (feedback: string) => missing({ ...DONE, feedback }, { looks });
    expect(flaw("All done, `npm test` passes.")).toEqual(["its feedback says that `npm test` passes, but it exited 1"]);
    expect(flaw("Run `npm test` once more.")).toEqual([]);
    expect(flaw("`npm test` fails as before.")).toEqual([]);
  });

  test("evidence from an earlier review is not required again", () => {
    expect(missing(DONE, { criteria: [met("src/a.ts has it")] })).toEqual([]);
  });

  test("an id with another text is no ruling on the criterion of that id", () => {
    const rulings = [{ id: "c1", text: "y", status: "met" as const, evidence: "seen" }];
    expect(missing({ ...DONE, rulings }, { criteria: [newCriterion("C1", "x")] })).toEqual([
      "it says done, but does not say that C1 is met",
      'what it calls C1 is not the C1 that was given ("x")',
    ]);
  });

  test('a "not done" lacks a ruling on what the agent disputes, and nothing else', () => {
    const verdict = { ...DONE, completed: false };
    const disputes = [{ id: "C1", reason: "no" }];
    expect(missing(verdict, { hasChanged: true })).toEqual([]);
    expect(missing(verdict, { disputes })).toEqual(["the agent disputes C1, and it does not rule on that"]);
    expect(missing(verdict, { disputes, ruled: ["C1"] })).toEqual([]);
  });

  test("a question for the user needs no evidence", () => {
    expect(missing({ ...DONE, needsUser: true }, { hasChanged: true, criteria: [newCriterion("C1", "x")] })).toEqual(
      [],
    );
  });
});
