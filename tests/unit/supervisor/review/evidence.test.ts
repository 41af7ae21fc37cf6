import { describe, expect, test } from "bun:test";
import type { CheckResult } from "../../../../src/supervisor/checks/result.ts";
import { type Criterion, newCriterion } from "../../../../src/supervisor/criteria.ts";
import { EMPTY_LEDGER } from "../../../../src/supervisor/ledger.ts";
import { missingFrom, type ReviewedStop } from "../../../../src/supervisor/review/evidence.ts";
import type { Verdict } from "../../../../src/supervisor/review/verdict.ts";

describe("what the evidence of a verdict names", () => {
  /** What the reviewer and the checks have looked at; files that changed since the prompt, and those that are gone. */
  interface Seen {
    readonly looks: readonly { readonly name: string; readonly what: string; readonly seen: string }[];
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
      each.replace("the evidence for C1 names ", "").replace(", which it neither opened nor ran", ""),
    );
  }

  const NOTHING: Seen = { looks: [], checks: [], changed: [], gone: [] };
  const look = (name: string, what: string, seen = "") => ({ ...NOTHING, looks: [{ name, what, seen }] });
  const ran = (what: string, seen = "") => look("Bash", what, seen);
  const opened = (what: string, seen = "") => look("Read", what, seen);
  const checked = (command: string, output = "") => ({
    ...NOTHING,
    checks: [{ command, output, ending: "exit 0", isPassed: true, seconds: 1 }],
  });
  const DIFF = ran("git diff HEAD");

  describe("evidence that somebody looked at", () => {
    const table: [evidence: string, seen: Seen][] = [
      // A file that was opened, however it is written.
      ["src/a.ts has it", opened("/p/src/a.ts")],
      ["src/a.ts:12 and src/a.ts:12-20, src/a.ts#L3, src/a.ts(3,4)", opened("/p/src/a.ts")],
      ["`./src/a.ts`, [src/a.ts](src/a.ts).", ran("cat src/a.ts")],
      ["/p/src/a.ts has it", ran("cd /p && sed -n '1,80p' src/a.ts")],
      ["a.ts line 12", { ...opened("/p/src/a.ts"), changed: ["src/a.ts"] }],
      ["/p/my project/src/a.ts is right", opened("/p/my project/src/a.ts")],
      ["查看了src/a.ts，第12行已修改", opened("/p/src/a.ts")],
      ["在src/a.ts：12 中，`npm test` 通过", { ...opened("/p/src/a.ts"), ...{ checks: checked("npm test").checks } }],
      ["说明.md 已更新", { ...opened("/p/说明.md"), changed: ["说明.md"] }],
      // A look at more than one file.
      ["src/a.ts is there", ran("ls -l src")],
      ["./src/deep/a.ts is there", ran("find src -name '*.py'")],
      ["/p/src/a.ts is there", ran("ls src/")],
      ["src/a.ts and src/b.ts", ran("cat src/*")],
      ["lib/a.ts", look("Glob", "lib/**")],
      ["src/a.ts does not use it", ran("grep -rn oldName .")],
      ["src/a.ts does not use it", ran("git grep oldName")],
      ["src/a.ts does not use it", look("Grep", "oldName")],
      ["a.ts adds it", { ...ran("cat *.ts"), changed: ["a.ts"] }],
      ["src/a.ts passes", ran("npm test", "ok src/a.ts")],
      ["tests/a.test.ts > adds passes", checked("npm test", "✓ tests/a.test.ts (3)")],
      ["a.ts:12 has it", { ...DIFF, changed: ["src/a.ts"] }],
      ["src/a.ts:12 has it", { ...ran("git -C /p show HEAD"), changed: ["src/a.ts"] }],
      // What is gone cannot be opened.
      ["tests/a.test.ts is gone, as asked", { ...NOTHING, gone: ["tests/a.test.ts"] }],
      ["src/old.ts is now src/new.ts", { ...DIFF, changed: ["src/new.ts"], gone: ["src/old.ts"] }],
      ["src/old.ts does not exist", ran("ls src/old.ts", "Exit code 2\nls: cannot access")],
      // Commands.
      ["`npm test` passes", ran("cd x && CI=1 npm test -- --bail")],
      ["`npm test` passes", ran("npm run test:unit")],
      ["`pytest -q` passes", ran("python3 -m pytest tests")],
      ["`npx vitest run` passes", ran("npm test", "> vitest run\n3 passed")],
      ["`vitest run` passes", checked("npm test", "> vitest run")],
      ["`git diff --stat` shows it", DIFF],
      ["`npm test` passes", checked("npm test")],
      [
        "README.md says `npm install && npm start`",
        { ...opened("/p/README.md", "npm install && npm start"), changed: ["README.md"] },
      ],
      ["the README says `npm start`", { ...ran("git diff", "+run `npm start`"), changed: ["README.md"] }],
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
      ["src/a.ts has it", DIFF, ["src/a.ts"]],
      // Another file of the same name is no look.
      ["src/auth/index.ts checks it", opened("/p/src/other/index.ts"), ["src/auth/index.ts"]],
      ["src/auth/index.ts is gone", { ...NOTHING, gone: ["lib/index.ts"] }, ["src/auth/index.ts"]],
      ["src/a.ts has it", opened("/p/src/data.ts"), ["src/a.ts"]],
      ["`npm test` passes", ran("npm ls"), ["`npm test`"]],
      ["`npm test` passes", opened("/p/README.md", "run npm test"), ["`npm test`"]],
      ["`cargo test` and src/a.rs", NOTHING, ["`cargo test`", "src/a.rs"]],
    ];
    test.each(table)("%s", (evidence, seen, unseen) => expect(unseenIn(evidence, seen)).toEqual(unseen));
  });
});

describe("what a verdict lacks", () => {
  const DONE: Verdict = { completed: true, feedback: "", needsUser: false, rulings: [] };
  const file = (path: string) => ({ path, kind: "modified", from: undefined, added: 1, deleted: 0 }) as const;
  const changed = (...paths: string[]) => ({
    ...{ since: "", top: "/p", worktree: undefined, more: 0, tree: "t", suspicious: [] },
    files: paths.map(file),
  });
  const met = (evidence: string) => ({ ...newCriterion("C1", "x"), status: "met" as const, evidence });
  const bash = (what: string, seen = "") => ({ name: "Bash", what, seen });
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
    const stop = { criteria: [met(named)], ruled: ["C1"], changes: { ...changed(), files }, looks: [bash("git diff")] };
    expect(missing(verdict, stop)).toEqual(["the evidence for C1 names src/c.ts, which it neither opened nor ran"]);
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
