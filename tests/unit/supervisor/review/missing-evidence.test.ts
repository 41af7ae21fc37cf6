import { describe, expect, test } from "bun:test";
import { newCriterion } from "../../../../src/supervisor/ledger/criterion.ts";
import { missingFrom } from "../../../../src/supervisor/review/missing-evidence.ts";
import type { Verdict } from "../../../../src/supervisor/review/verdict.ts";

const DONE: Verdict = { completed: true, feedback: "", needsUser: false, rulings: [] };
const file = (path: string) => ({ path, kind: "modified", from: undefined, added: 1, deleted: 0 }) as const;
const changed = (...paths: string[]) => ({
  ...{ since: "", top: "/p", worktree: undefined, more: 0, tree: "t", suspicious: [] },
  files: paths.map(file),
});
const met = (evidence: string) => ({ ...newCriterion("C1", "x"), status: "met" as const, evidence });
const bash = (what: string, seen = "") => ({ name: "Bash", what, seen });
const check = (command: string, output = "") => ({ command, output, ending: "exit 0", isPassed: true, seconds: 1 });

const STOP = {
  criteria: [met("it works")],
  looks: [],
  changes: changed(),
  hasChanged: false,
  checks: [],
  disputes: [],
};
const missing = (verdict: Verdict, stop: Partial<Parameters<typeof missingFrom>[1]>) =>
  missingFrom(verdict, { ...STOP, ...stop });

describe('a "done" lacks something', () => {
  const table: [name: string, stop: Partial<typeof STOP | object>, missing: string[]][] = [
    ["nothing, without criteria and changes", { criteria: [] }, []],
    [
      "a criterion that is not met",
      { criteria: [newCriterion("C1", "x"), newCriterion("C2", "y")] },
      ["it says done, but does not say that C1 and C2 are met"],
    ],
    ["evidence", { criteria: [met("")] }, ["it gives no evidence for C1"]],
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
  const stop = { criteria: [met(named)], changes: { ...changed(), files }, looks: [bash("git diff")] };
  expect(missing(verdict, stop)).toEqual(["the evidence for C1 names src/c.ts, which it neither opened nor ran"]);
});

test("evidence from an earlier review is not required again", () => {
  expect(missing(DONE, { criteria: [met("src/a.ts has it")] })).toEqual([]);
});

test('a "not done" lacks a ruling on what the agent disputes, and nothing else', () => {
  const verdict = { ...DONE, completed: false };
  const disputes = [{ id: "C1", reason: "no" }];
  expect(missing(verdict, { hasChanged: true })).toEqual([]);
  expect(missing(verdict, { disputes })).toEqual(["the agent disputes C1, and it does not rule on that"]);
  const rulings = [{ id: "c1", text: "", status: "unmet" as const, evidence: "" }];
  expect(missing({ ...verdict, rulings }, { disputes })).toEqual([]);
});

test("a question for the user needs no evidence", () => {
  expect(missing({ ...DONE, needsUser: true }, { hasChanged: true, criteria: [newCriterion("C1", "x")] })).toEqual([]);
});
