import { describe, expect, test } from "bun:test";
import { newCriterion } from "../../../src/supervisor/criteria.ts";
import {
  announcement,
  meaningOf,
  type Outcome,
  type OutcomeMeaning,
  recordedOutcome,
} from "../../../src/supervisor/outcome.ts";
import { NOT_LOOKED } from "../../../src/supervisor/review/review.ts";
import { SAYS_DONE } from "../../supervised.ts";

const met = { ...newCriterion("C1", "it works"), status: "met" } as const;
const open = newCriterion("C2", "it is fast");
const dropped = { ...newCriterion("C3", "it is blue"), status: "dropped" } as const;

/** One review that took 41 seconds and 3,100 tokens; with those before, 2m10s and 9,000. */
const took = {
  ...NOT_LOOKED,
  seconds: 41.3,
  total: { seconds: 130.4, tokens: 9_000 },
  usage: { ...NOT_LOOKED.usage, inputTokens: 3_000, outputTokens: 100 },
};
const seen = { ...took, feedback: "", criteria: [met, met, dropped] };
const missing = { ...took, feedback: "Make it fast.", criteria: [met, open] };
const nothing = { ...NOT_LOOKED, feedback: "", criteria: [] };

const TABLE: [outcome: Outcome, told: string][] = [
  [{ kind: "done", rounds: 3, ...seen }, "Review 3 of 10: done, 2 of 2 met (2m10s, 9k tokens in all)"],
  [
    { kind: "done", rounds: 1, ...seen, feedback: "I ran the tests. They pass." },
    "Review 1 of 10: done, 2 of 2 met (2m10s, 9k tokens). I ran the tests.",
  ],
  [{ kind: "done", rounds: 1, ...nothing }, "Review 1 of 10: done"],
  [
    { kind: "done", rounds: 2, ...nothing, total: { seconds: 0.2, tokens: 1 } },
    "Review 2 of 10: done (1 s, 1 token in all)",
  ],
  [{ kind: "rework", round: 2, ...missing }, "Review 2 of 10: not done, 1 of 2 met (41 s, 3.1k tokens)"],
  [{ kind: "rework", round: 1, ...missing, usage: NOT_LOOKED.usage }, "Review 1 of 10: not done, 1 of 2 met (41 s)"],
  [{ kind: "rework", round: 1, ...nothing }, "Review 1 of 10: not done"],
  [
    { kind: "rework", round: 2, ...missing, check: "npm test (exit 1)" },
    "Review 2 of 10: check failed: npm test (exit 1)",
  ],
  [
    { kind: "needs_user", rounds: 2, ...missing, feedback: "Which database?\n\nPostgres  or SQLite?" },
    "Needs you: Which database? Postgres or SQLite? (1 of 2 met after 2 reviews, 2m10s, 9k tokens)",
  ],
  [{ kind: "needs_user", rounds: 1, ...nothing, feedback: "Which one?" }, "Needs you: Which one? (after 1 review)"],
  [
    { kind: "limit", criteria: [met, open], total: took.total },
    "Stopped after 10 reviews: NOT done, 1 of 2 met (2m10s, 9k tokens). The last changes were not reviewed. Not met: C2 it is fast",
  ],
  [
    { kind: "limit", criteria: [], total: NOT_LOOKED.total, feedback: "A check failed: npm test (exit 1)." },
    "Stopped after 10 reviews: NOT done. The last changes were not reviewed. Last feedback: A check failed: npm test (exit 1).",
  ],
  [
    {
      kind: "limit",
      criteria: [],
      total: NOT_LOOKED.total,
      feedback: "A check failed: test ! -f a (exit 1). And more.",
    },
    "Stopped after 10 reviews: NOT done. The last changes were not reviewed. Last feedback: A check failed: test ! -f a (exit 1).",
  ],
  [
    { kind: "limit", criteria: [], total: NOT_LOOKED.total },
    "Stopped after 10 reviews: NOT done. The last changes were not reviewed.",
  ],
  [
    { kind: "stalemate", rounds: 3, ...missing },
    "Stopped after 3 reviews: NOT done, 1 of 2 met (2m10s, 9k tokens). The last reviews brought no progress. Not met: C2 it is fast",
  ],
  [
    { kind: "budget", spent: 5_000, ...missing },
    "Stopped after 5,000 tokens for this prompt (supervisor.budget_tokens): NOT done, 1 of 2 met. Not met: C2 it is fast. Last feedback: Make it fast.",
  ],
  [
    { kind: "budget", spent: 5_000, ...nothing, feedback: "写测试。然后运行。" },
    "Stopped after 5,000 tokens for this prompt (supervisor.budget_tokens): NOT done. Last feedback: 写测试。",
  ],
  [
    { kind: "nudged", why: "tool_call", number: 2, feedback: "Make the call." },
    "Nudge 2 of 3: the agent wrote a tool call as text, so nothing ran",
  ],
  [{ kind: "skipped", why: "plan" }, "No review: the session is in plan mode"],
  [
    { kind: "skipped", why: "delegated" },
    "No review: a delegated agent is still working; the review starts when it finishes",
  ],
  [
    { kind: "unreviewed", why: "no key.", ...NOT_LOOKED },
    "NOT reviewed: no key. The agent was allowed to stop; see .claude/ccc/supervisor.log",
  ],
];

describe("an outcome in one line", () => {
  test.each(TABLE)("%j", (outcome, told) => expect(announcement(outcome, 10, ".claude/ccc/supervisor.log")).toBe(told));
  test("a first review that says done begins as the tests with a screen expect", () =>
    expect(`Stop says: ${announcement({ kind: "done", rounds: 1, ...seen }, 10, "")}`).toStartWith(SAYS_DONE));
  test("one review is in the singular", () =>
    expect(announcement({ kind: "limit", criteria: [], total: took.total }, 1, "")).toBe(
      "Stopped after 1 review: NOT done (2m10s, 9k tokens). The last changes were not reviewed.",
    ));
  test("it has no control characters", () => {
    const evil = "a\u001b]0;title\u0007\nb";
    const rulings = { ...nothing, feedback: evil, criteria: [newCriterion("C1", evil)], check: evil };
    for (const kind of ["done", "needs_user", "stalemate"] as const)
      expect(announcement({ kind, rounds: 1, ...rulings }, 10, "")).not.toMatch(/\p{Cc}/u);
    expect(announcement({ kind: "rework", round: 1, ...rulings }, 10, "")).toBe("Review 1 of 10: check failed: a b");
    expect(announcement({ kind: "unreviewed", why: evil, ...NOT_LOOKED }, 10, "")).toStartWith(
      "NOT reviewed: a b. The",
    );
  });
  test("a long question is cut", () => {
    const told = announcement({ kind: "needs_user", rounds: 1, ...nothing, feedback: "x".repeat(9_000) }, 10, "");
    expect(told).toBe(`Needs you: ${"x".repeat(600)}… (after 1 review)`);
  });
});

describe("to those who wait for it, an outcome means", () => {
  const table: [outcome: Outcome, meaning: Partial<OutcomeMeaning>][] = [
    [
      { kind: "done", rounds: 1, ...seen },
      { verdict: "done", exitCode: 0, feedback: undefined, why: "" },
    ],
    [
      { kind: "rework", round: 1, ...missing },
      { verdict: "not done", exitCode: undefined, feedback: "Make it fast.", why: "Make it fast." },
    ],
    [
      { kind: "rework", round: 1, ...missing, check: "npm test (exit 1)" },
      { verdict: "check failed", exitCode: undefined, feedback: "Make it fast." },
    ],
    [
      { kind: "needs_user", rounds: 1, ...missing, feedback: "Which one?" },
      { verdict: "needs you", exitCode: 5, feedback: undefined, why: "Which one?" },
    ],
    [
      { kind: "limit", criteria: [met, open], total: took.total },
      {
        verdict: "not done",
        exitCode: 3,
        why: "the review limit was reached; the last changes were not reviewed. Not met: C2 it is fast",
      },
    ],
    [
      { kind: "stalemate", rounds: 3, ...missing },
      { verdict: "not done", exitCode: 3, feedback: undefined },
    ],
    [
      { kind: "budget", spent: 5_000, ...missing },
      { verdict: "not done", exitCode: 6, feedback: undefined },
    ],
    [
      { kind: "nudged", why: "empty", number: 1, feedback: "Go on." },
      { verdict: "not reviewed", exitCode: undefined, feedback: "Go on.", why: "the agent's answer was empty" },
    ],
    [
      { kind: "skipped", why: "plan" },
      { verdict: "not reviewed", exitCode: 0, why: "the session is in plan mode" },
    ],
    [
      { kind: "skipped", why: "talk" },
      { verdict: "not reviewed", exitCode: 0 },
    ],
    [
      { kind: "skipped", why: "delegated" },
      { verdict: "not reviewed", exitCode: 4 },
    ],
    [
      { kind: "skipped", why: "unchanged" },
      { verdict: "not reviewed", exitCode: 0 },
    ],
    [
      { kind: "unreviewed", why: "no key", ...NOT_LOOKED },
      { verdict: "not reviewed", exitCode: 4, feedback: undefined, why: "no key" },
    ],
  ];
  test.each(table)("%j", (outcome, meaning) => expect(meaningOf(outcome)).toMatchObject(meaning));
});

test("an accidental stop is told from the record as it was at the stop", () => {
  expect(recordedOutcome("nudged", "empty").why).toBe("the agent's answer was empty");
  expect(recordedOutcome("nudged", "a reason of a later version").why).toBe("a reason of a later version");
});
