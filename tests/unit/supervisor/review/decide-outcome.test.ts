import { describe, expect, test } from "bun:test";
import { CccError, EXIT } from "../../../../src/errors.ts";
import { newCriterion } from "../../../../src/supervisor/ledger/criterion.ts";
import { type DecidedReview, decideOutcome } from "../../../../src/supervisor/review/decide-outcome.ts";
import { exitCodeFor, NOT_LOOKED, notReviewed } from "../../../../src/supervisor/review/outcome.ts";

const met = { ...newCriterion("C1", "it builds"), status: "met" as const };
const open = { ...newCriterion("C2", "it is fast"), evidence: "2 s", unmet_reviews: 1, unmet_files: "a" };
const decided = (verdict: Partial<DecidedReview["verdict"]>, more: Partial<DecidedReview> = {}) =>
  decideOutcome({
    verdict: { completed: false, feedback: "Make it fast.", needsUser: false, rulings: [], ...verdict },
    ...{ round: 2, before: [], criteria: [met, open], spent: 5_000, ...NOT_LOOKED },
    options: { stalemate: 3, budgetTokens: 0 },
    ...more,
  });

describe("a review ends as", () => {
  test("done", () => {
    const outcome = decided({ completed: true, feedback: "Seen." }, { criteria: [met] });
    expect(exitCodeFor(outcome)).toBe(EXIT.ok);
  });
  test("needs you, never as done", () => {
    const outcome = decided({ completed: true, needsUser: true, feedback: "Which database?" });
    expect([outcome.kind, exitCodeFor(outcome)]).toEqual(["needs_user", 5]);
  });
  test("rework, with the open criteria and how to dispute one", () => {
    const outcome = decided({});
    expect([outcome.kind, exitCodeFor(outcome)]).toEqual(["rework", undefined]);
    expect("feedback" in outcome && outcome.feedback).toBe(
      'Make it fast.\n\nNot met:\n- C2: it is fast (2 s)\nMet: C1.\n\nIf one of these is wrong, say so in your answer on a line of its own, with evidence: "C2 disputed: …". The next review will rule on it.',
    );
  });
  test("rework with the reviewer's words alone, if it names no criteria", () => {
    expect(decided({}, { criteria: [] })).toMatchObject({ kind: "rework", feedback: "Make it fast." });
  });
  test("a stalemate", () => {
    const outcome = decided({}, { before: [open], criteria: [met, { ...open, unmet_reviews: 2 }] });
    expect([outcome.kind, exitCodeFor(outcome)]).toEqual(["stalemate", 3]);
  });
  test("over the budget", () => {
    const options = { stalemate: 3, budgetTokens: 5_000 };
    const outcome = decided({}, { options });
    expect([outcome.kind, exitCodeFor(outcome)]).toEqual(["budget", 6]);
    expect(decided({ completed: true }, { options }).kind).toBe("done");
    expect(decided({}, { options: { stalemate: 3, budgetTokens: 5_001 } }).kind).toBe("rework");
    expect(decided({}, { options: { stalemate: 3, budgetTokens: 1 } }).kind).toBe("budget");
  });
  test("the limit", () => expect(exitCodeFor({ kind: "limit" })).toBe(3));
});

test("a stop without a review is not reviewed, unless nothing happened since the last done", () => {
  expect(exitCodeFor({ kind: "skipped", why: "unchanged" })).toBe(EXIT.ok);
  expect(exitCodeFor({ kind: "skipped", why: "talk" })).toBe(EXIT.notReviewed);
  expect(exitCodeFor({ kind: "unreviewed" })).toBe(EXIT.notReviewed);
});

test("an error of ccc's own ends as not reviewed, with the error and its advice", () => {
  expect(notReviewed(new Error("disk full"))).toMatchObject({ kind: "unreviewed", why: "disk full" });
  expect(notReviewed(new CccError("no claude", { advice: "Install it." }))).toMatchObject({
    kind: "unreviewed",
    why: "no claude. Install it.",
  });
});
