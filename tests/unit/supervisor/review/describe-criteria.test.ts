import { describe, expect, test } from "bun:test";
import type { Criterion } from "../../../../src/supervisor/ledger/criterion.ts";
import type { OpenLedger } from "../../../../src/supervisor/ledger/ledger.ts";
import { describeCriteria, withCriteria } from "../../../../src/supervisor/review/describe-criteria.ts";

const criterion = (id: string, status: Criterion["status"] = "unmet", evidence = ""): Criterion =>
  ({ id, text: `${id} holds`, status, evidence, unmet_reviews: 0, unmet_files: null }) as Criterion;
const told = (ledger: Partial<OpenLedger>) =>
  describeCriteria({ criteria: [], numbered: 0, canAdd: false, canDrop: [], ...ledger } as OpenLedger).split("\n");

describe("the reviewer is told", () => {
  test("to write criteria, if there are none", () =>
    expect(told({})).toEqual([
      "Write down what must be true for the user's request to be done: at most seven criteria, C1, C2, …",
    ]));
  test("to continue the numbering of earlier criteria", () => expect(told({ numbered: 4 })[0]).toEndWith("C5, C6, …"));
  test("to rule on the existing ones, and what the last review saw", () =>
    expect(told({ criteria: [criterion("C1"), criterion("C2", "met", "npm test passes")] })).toEqual([
      "Rule on each of these, by its id:",
      "- C1: C1 holds",
      "- C2: C2 holds (last review: met, npm test passes)",
      "The list is complete: add nothing. What you leave out keeps its status.",
    ]));

  test("to rule on what ccc noticed as well, and by which measure", () =>
    expect(told({ criteria: [criterion("T1")] }).slice(1)).toEqual([
      expect.stringMatching(/^ccc noticed the following\..* unmet if it only makes the work look done\.$/),
      "- T1: T1 holds",
    ]));

  const rules: [situation: string, ledger: Partial<OpenLedger>, rule: string][] = [
    [
      "it may drop some",
      { canDrop: ["C1"] },
      "The list is complete: add nothing; drop one of C1 only if they no longer want it.",
    ],
    [
      "it may add some",
      { canAdd: true },
      "These always hold here. Add what the user's request asks for besides: at most seven criteria, from C3 on.",
    ],
    [
      "there is a new prompt",
      { canAdd: true, canDrop: ["C1", "C2"] },
      "The user has written a new prompt since: add what it asks for, from C3 on; drop one of C1, C2 only if they no longer want it.",
    ],
  ];
  test.each(rules)("%s", (_, ledger, rule) =>
    expect(told({ criteria: [criterion("C1")], numbered: 2, ...ledger }).at(-1)).toStartWith(rule),
  );
});

describe("the agent is told", () => {
  test("the feedback alone, if nothing is open", () =>
    expect(withCriteria("go on", [criterion("C1", "met")])).toBe("go on"));
  test("what is open and what is met, and how to object", () => {
    const lines = withCriteria("go on", [criterion("C1", "unmet", "no test"), criterion("C2"), criterion("C3", "met")]);
    expect(lines.split("\n")).toEqual([
      "go on",
      "",
      "Not met:",
      "- C1: C1 holds (no test)",
      "- C2: C2 holds",
      "Met: C3.",
      "",
      expect.stringContaining('"C1 disputed: …"'),
    ]);
    expect(withCriteria("go on", [criterion("C1")])).not.toContain("Met: ");
  });
});
