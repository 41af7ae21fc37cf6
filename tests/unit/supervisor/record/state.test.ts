import { describe, expect, test } from "bun:test";
import { newCriterion } from "../../../../src/supervisor/criteria.ts";
import { EMPTY_LEDGER } from "../../../../src/supervisor/ledger.ts";
import { NO_COST } from "../../../../src/supervisor/outcome.ts";
import { openSession } from "../../../../src/supervisor/record/session.ts";
import { reviewState, unsavedState } from "../../../../src/supervisor/record/state.ts";
import { memoryFiles } from "../../fakes.ts";

/** The state in a file with this text. */
function stateIn(text: string) {
  return openSession(memoryFiles({ "/ccc/sessions/s/state.json": text }), { generated: "/ccc" }, "s").state.read();
}

describe("state", () => {
  const PATH = "/state.json";
  const MARK = { prompts: 3, files: "tree" };

  function newPlace() {
    const files = memoryFiles();
    const place = reviewState({ path: PATH, edit: files.edit.bind(undefined, PATH) });
    const claim = (userPromptId: string | undefined, limit = 10) =>
      place.claim({ sessionId: "s", userPromptId, limit, now: "now", agentTokens: 0 }, () => {}).number;
    return { place, claim, state: () => JSON.parse(files.content[PATH] ?? "{}") };
  }

  test("a state of an older version, or a damaged one, is not settled and has cost nothing", () => {
    const old = { session_id: "s", count: 1, created_at: "", updated_at: "" };
    for (const state of [old, { ...old, is_settled: "yes", tokens: "many", reviews: 7 }])
      expect(stateIn(JSON.stringify(state))).toMatchObject({
        is_settled: false,
        tokens: 0,
        reviews: { seconds: 0, tokens: 0 },
        feedback: [],
      });
  });

  test("a session that was never reviewed starts with its first round, and is not settled", () => {
    const { place } = newPlace();
    const claim = { sessionId: "s", userPromptId: "1:a", limit: 10, now: "now", agentTokens: 7 };
    expect(place.claim(claim, () => {})).toEqual({
      number: 1,
      earlier: [],
      ledger: EMPTY_LEDGER,
      isSettled: false,
      tokens: 7,
      cost: NO_COST,
    });
  });

  test("what the reviews took is added up until the next prompt", () => {
    const { place, claim, state } = newPlace();
    const cost = { seconds: 1.5, tokens: 100 };
    claim("1:a");
    place.record({ cost }, "later");
    claim("1:a");
    place.record({ cost }, "later");
    expect(state()).toMatchObject({ tokens: 200, reviews: { seconds: 3, tokens: 200 } });
    const wanted = { sessionId: "s", userPromptId: "1:a", limit: 2, now: "now", agentTokens: 0 };
    expect(place.claim(wanted, () => {}).cost).toEqual({ seconds: 3, tokens: 200 });
    claim("2:b");
    expect(state()).toMatchObject({ reviews: { seconds: 0, tokens: 0 } });
  });

  describe('a "done"', () => {
    test("is known for the prompt that it reviewed", () => {
      const { place, claim } = newPlace();
      claim("1:a");
      expect(place.done("1:a")).toBeUndefined();
      place.record({ cost: { seconds: 1, tokens: 0 }, isDone: true, done: MARK }, "later");
      expect([place.done("1:a"), place.done("2:b"), place.done(undefined)]).toEqual([MARK, undefined, undefined]);
    });
    test("is forgotten when another review starts, however that ends", () => {
      const { place, claim } = newPlace();
      claim("1:a");
      place.record({ cost: { seconds: 1, tokens: 0 }, isDone: true, done: MARK }, "later");
      claim("1:a");
      expect(place.done("1:a")).toBeUndefined();
    });
    test("is forgotten with the next prompt, even at a limit", () => {
      const { place, claim, state } = newPlace();
      claim("1:a");
      place.record({ cost: { seconds: 1, tokens: 0 }, isDone: true, done: MARK }, "later");
      claim("2:b", 0);
      expect(state()).toMatchObject({ count: 0, prompt_id: "2:b" });
      expect(state()).not.toHaveProperty("done");
    });
    test("is unknown without a state", () => {
      const { place } = newPlace();
      place.record({ cost: { seconds: 1, tokens: 0 }, isDone: true, done: MARK }, "later");
      expect(place.done("1:a")).toBeUndefined();
    });
  });
});

describe("unsaved state", () => {
  const CLAIM = { sessionId: "s", userPromptId: undefined, limit: 1, now: "now", agentTokens: 0 };

  test("a review that is not kept rules on the same criteria, and knows nothing of earlier verdicts", () => {
    const met = { ...newCriterion("C1", "it adds"), status: "met", evidence: "seen" } as const;
    const dropped = { ...newCriterion("C2", "it subtracts"), status: "dropped" } as const;
    const saved = stateIn(
      JSON.stringify({
        session_id: "s",
        count: 10,
        created_at: "",
        updated_at: "",
        tokens: 99,
        feedback: ["no"],
        is_settled: true,
        ledger: { criteria: [met, dropped], numbered: 2, noticed: 0, prompts: 1 },
      }),
    );
    const place = reviewState(unsavedState(saved));
    expect(place.claim(CLAIM, () => {})).toMatchObject({
      number: 1,
      earlier: [],
      isSettled: true,
      tokens: 0,
      ledger: { criteria: [newCriterion("C1", "it adds")], numbered: 2, prompts: 1 },
    });
  });

  test("a session without a record starts with an empty list, once", () => {
    const place = reviewState(unsavedState(undefined));
    expect(place.claim(CLAIM, () => {})).toMatchObject({ number: 1, ledger: { criteria: [] } });
    expect(place.claim(CLAIM, () => {}).number).toBeUndefined();
  });
});
