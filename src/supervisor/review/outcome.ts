import type { Usage } from "../../claude/token-usage.ts";

/** How a stop ends. A review that failed has used tokens, too. */
export type Outcome =
  | { readonly kind: "done"; readonly rounds: number; readonly feedback: string; readonly usage: Usage }
  | {
      readonly kind: "rework";
      readonly round: number;
      readonly feedback: string;
      readonly usage: Usage;
      /** The check that failed, as "npm test (exit 1)", if it was not a reviewer who said no. */
      readonly check?: string;
    }
  | { readonly kind: "limit" }
  | { readonly kind: "skipped"; readonly why: SkipReason }
  | { readonly kind: "unreviewed"; readonly why: string; readonly usage: Usage };

export type SkipReason = keyof typeof SKIPPED;

/** Why there is no review. */
export const SKIPPED = {
  delegated: "a delegated agent is still working; the review starts when it finishes",
  plan: "the session is in plan mode",
  scheduled: "the agent has scheduled a wake-up; the review starts when it stops after that",
  unchanged: "nothing has happened since the last review, which said done",
  talk: 'no tool ran since your last prompt, and supervisor.when is "changes"',
} as const;

/** The outcome in one line. */
export function announcement(outcome: Outcome, limit: number, log: string): string {
  switch (outcome.kind) {
    case "done":
      return `supervisor: done after ${outcome.rounds} ${outcome.rounds === 1 ? "round" : "rounds"}${firstSentence(outcome.feedback)}`;
    case "rework":
      return `supervisor ${outcome.round}/${limit}: ${outcome.check === undefined ? "not done" : `check failed: ${outcome.check}`}`;
    case "limit":
      return `supervisor: ${limitReached(limit)}`;
    case "skipped":
      return `supervisor: no review: ${SKIPPED[outcome.why]}`;
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
