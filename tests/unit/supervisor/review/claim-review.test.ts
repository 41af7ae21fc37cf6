import { describe, expect, test } from "bun:test";
import { EMPTY_LEDGER } from "../../../../src/supervisor/ledger/ledger.ts";
import { NO_COST } from "../../../../src/supervisor/record/review-cost.ts";
import type { StateFile } from "../../../../src/supervisor/record/state.ts";
import { claimReview } from "../../../../src/supervisor/review/claim-review.ts";
import { supervisorOptions } from "../../../../src/supervisor/supervisor-options.ts";
import { fakeWorld } from "../../fakes.ts";

const broken: StateFile = {
  path: "broken.json",
  edit: () => {
    throw new Error("the disk is full");
  },
};

function working(): StateFile {
  let text: string | undefined;
  const edit: StateFile["edit"] = (change) => {
    text = change(text) ?? text;
  };
  return { path: "state.json", edit };
}

/** Claims a review of a session with these places for its state. */
function claimed(states: readonly StateFile[], isRepeated = false) {
  const said: string[] = [];
  const log = { say: (message: string) => void said.push(message) };
  const session = { world: fakeWorld().world, id: "s", states, options: supervisorOptions({ supervisor: {} }), log };
  const stop = { asked: { prompts: ["do it"], userPromptId: "p1" }, isRepeated, agentTokens: 20 };
  return { ...claimReview(session, stop), said };
}

describe("a review is counted", () => {
  test("in the first place where the state can be saved", () => {
    const place = working();
    const states = [broken, place, working()];
    expect(claimed(states)).toMatchObject({ round: { number: 1 }, place });
    expect(claimed(states)).toMatchObject({
      round: { number: 2 },
      said: ["could not save the state: the disk is full"],
    });
  });
});

describe("where no state can be saved", () => {
  test("the first stop of a prompt is reviewed, as if nothing had been before", () =>
    expect(claimed([broken, broken])).toEqual({
      round: { number: 1, earlier: [], ledger: EMPTY_LEDGER, isSettled: false, tokens: 20, cost: NO_COST },
      place: undefined,
      said: Array(2).fill("could not save the state: the disk is full"),
    }));
  test("a repeated stop is not: without a count there would be no end", () =>
    expect(claimed([broken], true).round).toEqual({ earlier: [], ledger: EMPTY_LEDGER, cost: NO_COST }));
});
