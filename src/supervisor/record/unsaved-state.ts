import { prettyJson } from "../../text/json.ts";
import { newCriterion } from "../ledger/criterion.ts";
import { NO_COST } from "./review-cost.ts";
import type { SessionState, StateFile } from "./state.ts";

/**
 * A state for one review that leaves nothing behind. It asks about the criteria on record, but does not know what earlier
 * reviews said about them: it is an opinion of its own.
 */
export function unsavedState(saved: SessionState | undefined): StateFile {
  let text = saved && prettyJson(withoutReviews(saved));
  return {
    path: "",
    edit: (change) => {
      text = change(text) ?? text;
    },
  };
}

function withoutReviews(state: SessionState): SessionState {
  const { ledger } = state;
  const asked = ledger?.criteria.filter(({ status }) => status !== "dropped") ?? [];
  return {
    ...state,
    ...{ count: 0, tokens: 0, reviews: NO_COST, feedback: [], done: undefined },
    ledger: ledger && { ...ledger, criteria: asked.map(({ id, text }) => newCriterion(id, text)) },
  };
}
