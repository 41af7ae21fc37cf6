import { describe, expect, test } from "bun:test";
import { type Criterion, newCriterion } from "../../../../src/supervisor/ledger/criterion.ts";
import { deadlocked } from "../../../../src/supervisor/ledger/stalemate.ts";

const criterion = (unmet_reviews: number, unmet_files: string | null, status: Criterion["status"] = "unmet") => ({
  ...newCriterion("C1", "x"),
  ...{ status, unmet_reviews, unmet_files },
});

describe("agent and reviewer get no further", () => {
  const table: [name: string, before: Criterion, after: Criterion, limit: number, isDeadlocked: boolean][] = [
    ["after three reviews in a row", criterion(2, "a"), criterion(3, "b"), 3, true],
    ["not after two with other files", criterion(1, "a"), criterion(2, "b"), 3, false],
    ["after two with the same files", criterion(1, "a"), criterion(2, "a"), 3, true],
    ["not if the files are not known", criterion(1, null), criterion(2, null), 3, false],
    ["not after the first", criterion(0, null), criterion(1, "a"), 3, false],
    ["never if switched off", criterion(8, "a"), criterion(9, "a"), 0, false],
    ["not by a review that did not rule on it", criterion(3, "a"), criterion(3, "a"), 3, false],
    ["not if it is met now", criterion(2, "a"), criterion(0, null, "met"), 3, false],
  ];
  for (const [name, before, after, limit, isDeadlocked] of table) {
    test(name, () => expect(deadlocked([before], [after], limit)).toHaveLength(isDeadlocked ? 1 : 0));
  }
});
