import { messageOf } from "../../errors.ts";
import { claimRound, type Exhausted, NOTHING_CLAIMED, type Round, type StateFile } from "../record/state.ts";
import type { Session, Stop } from "./supervised-stop.ts";

export interface ClaimedReview {
  readonly round: Round | Exhausted;
  /** Where the state is; undefined if it cannot be saved anywhere. */
  readonly place: StateFile | undefined;
}

/** Counts the review, unless the limit is reached. */
export function claimReview(
  { world, id, states, options, log }: Pick<Session, "world" | "id" | "states" | "options" | "log">,
  { asked, isRepeated, agentTokens }: Pick<Stop, "asked" | "isRepeated" | "agentTokens">,
): ClaimedReview {
  const now = world.now().toISOString();
  const { userPromptId, seen } = asked;
  const wanted = { sessionId: id, userPromptId, seen, limit: options.maxIterations, now, agentTokens };
  for (const place of states) {
    try {
      return { round: claimRound(place, wanted, log.say), place };
    } catch (error) {
      log.say(`could not save the state: ${messageOf(error)}`);
    }
  }
  // Without a count the loop could be endless: review only the first stop of a prompt.
  const first = { ...NOTHING_CLAIMED, number: 1, isSettled: false, tokens: agentTokens };
  return { round: isRepeated ? NOTHING_CLAIMED : first, place: undefined };
}
