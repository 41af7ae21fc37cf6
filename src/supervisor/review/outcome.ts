/** How a stop ends. */
export type Outcome =
  | { readonly kind: "done"; readonly rounds: number; readonly feedback: string; readonly costUsd: number }
  | {
      readonly kind: "rework";
      readonly round: number;
      readonly feedback: string;
      readonly costUsd: number;
      /** The check that failed, as "npm test (exit 1)", if it was not a reviewer who said no. */
      readonly check?: string;
    }
  | { readonly kind: "limit" }
  | { readonly kind: "waiting" }
  | { readonly kind: "unreviewed"; readonly why: string };

/** The outcome in one line. */
export function announcement(outcome: Outcome, limit: number, log: string): string {
  switch (outcome.kind) {
    case "done":
      return `supervisor: done after ${outcome.rounds} ${outcome.rounds === 1 ? "round" : "rounds"}${firstSentence(outcome.feedback)}`;
    case "rework":
      return `supervisor ${outcome.round}/${limit}: ${outcome.check === undefined ? "not done" : `check failed: ${outcome.check}`}`;
    case "limit":
      return `supervisor: ${limitReached(limit)}`;
    case "waiting":
      return "supervisor: a delegated agent is still working; the review starts when it finishes";
    case "unreviewed":
      return `supervisor could not review: ${outcome.why.replace(/\.$/, "")}. The agent was allowed to stop; see ${log}`;
  }
}

export function limitReached(limit: number): string {
  return `stopped after ${limit} ${limit === 1 ? "review" : "reviews"}: NOT done. The last changes were not reviewed.`;
}

/** The reviewer's first sentence. */
function firstSentence(feedback: string): string {
  const [sentence = ""] = feedback.trim().split(/(?<=[.!?。])\s|\n/);
  return sentence === "" ? "" : `: ${sentence.slice(0, LONGEST_SENTENCE)}`;
}

const LONGEST_SENTENCE = 200;
