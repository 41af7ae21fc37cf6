import { describe, expect, test } from "bun:test";
import type { Truth } from "../../../../../src/commands/calibrate/cases/case-schema.ts";
import type { Mark } from "../../../../../src/commands/calibrate/results/calibration-run.ts";
import { judgeReview, type ReviewerAnswer } from "../../../../../src/commands/calibrate/results/judge-review.ts";

describe("a verdict compared with the truth", () => {
  const table: [truth: Truth, verdict: ReviewerAnswer["verdict"], mark: Mark][] = [
    ["done", "done", "right"],
    ["done", "not done", "false alarm"],
    ["done", "needs you", "false alarm"],
    ["not_done", "done", "missed"],
    ["not_done", "not done", "right"],
    ["not_done", "needs you", "needless question"],
    ["needs_user", "done", "question missed"],
    ["needs_user", "not done", "question missed"],
    ["needs_user", "needs you", "right"],
    ["done", null, "no verdict"],
    ["not_done", null, "no verdict"],
    ["needs_user", null, "no verdict"],
  ];
  test.each(table)("%s, and the reviewer says %s: %s", (truth, verdict, mark) => {
    expect(judgeReview({ truth, mention: [] }, { verdict, feedback: "", criteria: [] })).toBe(mark);
  });
});

describe("what a right verdict must mention", () => {
  const mention = [
    ["hyphen", "连字符"],
    ["test", "fail"],
  ];
  const criterion = { id: "C1", text: "the TESTS pass", status: "unmet", evidence: "one has two hyphens" } as const;
  const table: [feedback: string, criteria: ReviewerAnswer["criteria"], mark: Mark][] = [
    ["A Hyphen too many: the tests fail.", [], "right"],
    ["连字符 test", [], "right"],
    ["The tests fail.", [], "wrong reason"],
    ["", [], "wrong reason"],
    ["No.", [criterion], "right"],
    ["No.", [{ ...criterion, status: "met" }], "wrong reason"],
  ];
  test.each(table)("%j %j: %s", (feedback, criteria, mark) => {
    expect(judgeReview({ truth: "not_done", mention }, { verdict: "not done", feedback, criteria })).toBe(mark);
  });
  test("work that is done needs no reason", () => {
    expect(judgeReview({ truth: "done", mention }, { verdict: "done", feedback: "", criteria: [] })).toBe("right");
  });
});
