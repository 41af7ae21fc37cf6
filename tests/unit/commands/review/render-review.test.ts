import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import * as v from "valibot";
import { renderReview } from "../../../../src/commands/review/render-review.ts";
import { ReviewResultSchema, reviewResult } from "../../../../src/commands/review/review-result.ts";
import type { SessionReview } from "../../../../src/commands/review/review-session.ts";
import { newCriterion } from "../../../../src/supervisor/ledger/criterion.ts";

const USAGE = { inputTokens: 1000, cacheReadTokens: 200, cacheWriteTokens: 0, outputTokens: 30, costUsd: undefined };
const MET = { ...newCriterion("C1", "it adds"), status: "met", evidence: "add.py:1" } as const;
const UNMET = { ...newCriterion("C2", "tests pass"), evidence: "\u001b[31mred" };
const LOOKED = { usage: USAGE, seconds: 41, looked: ["Read: add.py"], reviewer: "glm" };
const CHECK = { command: "npm test", ending: "exit 1", isPassed: false, seconds: 3, output: "1 failed" };
const PASSED = { ...CHECK, command: "true", ending: "exit 0", isPassed: true };

/** Only the parts that matter: outcomes have more. */
function reviewed(outcome: object, notes: SessionReview["notes"] = {}, rest: Partial<SessionReview> = {}) {
  const review = { outcome, notes, findings: [], signal: undefined, ...rest } as unknown as SessionReview;
  const result = reviewResult("id", "/p", review);
  expect(v.is(ReviewResultSchema, result)).toBe(true);
  return { result, text: renderReview(result, Number.POSITIVE_INFINITY) };
}

const COST = "Reviewed by glm in 41 s: 1,200 tokens in (200 from the cache), 30 out.\n";

test("docs/review.md explains every field of the JSON", async () => {
  const docs = await Bun.file(join(import.meta.dir, "../../../../docs/review.md")).text();
  const [, section = ""] = docs.split("\n## JSON\n");
  const fields = Object.keys(ReviewResultSchema.entries);
  expect(fields.filter((name) => !section.includes(`\`${name}\``))).toEqual([]);
});

describe("a review", () => {
  test("that says done", () => {
    const done = { kind: "done", rounds: 1, feedback: "fine", criteria: [MET], ...LOOKED };
    const { result, text } = reviewed(done, { feedback: "fine", way: "fresh", checks: [PASSED] });
    expect(result).toMatchObject({ verdict: "done", exit_code: 0, context: "fresh", reviewer: "glm", instead: null });
    expect(text).toBe(
      `Done: 1 of 1 met.\n\n✓ C1: it adds\n    add.py:1\n\n✓ check: true (exit 0)\n\nThe reviewer says:\n  fine\n\n${COST}`,
    );
  });

  test("that says not done has the reviewer's own words, without terminal codes", () => {
    const outcome = { kind: "rework", round: 1, feedback: "for the agent", criteria: [MET, UNMET], ...LOOKED };
    const { result, text } = reviewed(outcome, { feedback: "one\ntwo\u0007", way: "shared" });
    expect(result).toMatchObject({ verdict: "not done", exit_code: 3, feedback: "one\ntwo\u0007", context: "session" });
    expect(text).toBe(
      `NOT done: 1 of 2 met.\n\n✓ C1: it adds\n    add.py:1\n✗ C2: tests pass\n    [31mred\n\nWhat is missing:\n  one\n  two\n\n${COST}`,
    );
  });

  test("that a check prevented asked nobody, and rules on nothing", () => {
    const outcome = {
      kind: "rework",
      round: 1,
      feedback: "A check failed",
      check: "npm test (exit 1)",
      criteria: [UNMET],
    };
    const { result, text } = reviewed({ ...outcome, looked: [], seconds: 41 }, { checks: [PASSED, CHECK] });
    expect(result).toMatchObject({
      verdict: "check failed",
      exit_code: 3,
      reviewer: null,
      context: null,
      criteria: [],
    });
    expect(result.checks.map(({ passed }) => passed)).toEqual([true, false]);
    expect(text).toBe(
      "NOT done: a check failed: npm test (exit 1).\n\n✓ check: true (exit 0)\n\nThe last lines of its output:\n  1 failed\n\nNo model was asked. It took 41 s.\n",
    );
  });

  test.each([
    [0.9, "No model was asked.\n"],
    [1, "No model was asked. It took 1 s.\n"],
  ])("that a check prevented after %d s, silently", (seconds, ending) => {
    const outcome = { kind: "rework", round: 1, feedback: "x", check: "npm test (exit 1)", criteria: [], looked: [] };
    const { text } = reviewed({ ...outcome, seconds }, { checks: [{ ...CHECK, output: " \n" }] });
    expect(text).toBe(`NOT done: a check failed: npm test (exit 1).\n\nIt printed nothing.\n\n${ending}`);
  });

  test("that needs the user", () => {
    const outcome = { kind: "needs_user", rounds: 1, feedback: "Which one?", criteria: [], ...LOOKED };
    const { result, text } = reviewed(outcome, { feedback: "Which one?" });
    expect(result).toMatchObject({ verdict: "needs you", exit_code: 5 });
    expect(text).toBe(`Needs you.\n\nWhat you have to decide or to do:\n  Which one?\n\n${COST}`);
  });

  test("without a verdict says why, and who could not", () => {
    const outcome = { kind: "unreviewed", why: "the API refused the key.", ...LOOKED, instead: "kimi: no credit" };
    const { result, text } = reviewed(outcome, { feedback: "a verdict that does not count" });
    expect(result).toMatchObject({ verdict: "not reviewed", exit_code: 4, feedback: "", criteria: [] });
    const cost = COST.replace("Reviewed by glm in 41 s", "glm was asked for 41 s");
    expect(text).toBe(`NOT reviewed: the API refused the key.\n\nOthers could not review. kimi: no credit.\n\n${cost}`);
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 143],
  ] as const)("that %s ended has exit code %d", (signal, code) =>
    expect(reviewed({ kind: "unreviewed", why: "x", ...LOOKED }, {}, { signal }).result.exit_code).toBe(code),
  );

  test("fits a narrow terminal: what is missing stays in its column", () => {
    const outcome = { kind: "rework", round: 1, feedback: "", criteria: [], ...LOOKED };
    const feedback = "Say in README.md what add.py does, with an example.";
    const { result } = reviewed(outcome, { feedback });
    expect(renderReview(result, 40)).toStartWith(
      "NOT done.\n\nWhat is missing:\n  Say in README.md what add.py does,\n  with an example.\n\nReviewed by glm",
    );
  });
});
