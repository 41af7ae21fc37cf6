import { expect, test } from "bun:test";
import { newCriterion } from "../../../../src/supervisor/ledger/criterion.ts";
import { claimRound, savedState } from "../../../../src/supervisor/record/state.ts";
import { unsavedState } from "../../../../src/supervisor/record/unsaved-state.ts";

const CLAIM = { sessionId: "s", userPromptId: undefined, limit: 1, now: "now", agentTokens: 0 };

test("a review that is not kept rules on the same criteria, and knows nothing of earlier verdicts", () => {
  const met = { ...newCriterion("C1", "it adds"), status: "met", evidence: "seen" } as const;
  const dropped = { ...newCriterion("C2", "it subtracts"), status: "dropped" } as const;
  const saved = savedState(
    JSON.stringify({
      ...{ session_id: "s", count: 10, created_at: "", updated_at: "", tokens: 99, feedback: ["no"], is_settled: true },
      ledger: { criteria: [met, dropped], numbered: 2, noticed: 0, prompts: 1 },
    }),
  );
  const place = unsavedState(saved);
  expect(claimRound(place, CLAIM, () => {})).toMatchObject({
    ...{ number: 1, earlier: [], isSettled: true, tokens: 0 },
    ledger: { criteria: [newCriterion("C1", "it adds")], numbered: 2, prompts: 1 },
  });
});

test("a session without a record starts with an empty list, once", () => {
  const place = unsavedState(savedState(undefined));
  expect(claimRound(place, CLAIM, () => {})).toMatchObject({ number: 1, ledger: { criteria: [] } });
  expect(claimRound(place, CLAIM, () => {}).number).toBeUndefined();
});
