import type { Usage } from "../../claude/token-usage.ts";
import type { Criterion } from "../ledger/criterion.ts";
import { deadlocked } from "../ledger/stalemate.ts";
import type { ReviewCost } from "../record/review-cost.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";
import { withCriteria } from "./describe-criteria.ts";
import type { Outcome } from "./outcome.ts";
import type { Verdict } from "./verdict.ts";

/** A review with a verdict that counts. */
export interface DecidedReview {
  readonly verdict: Verdict;
  readonly round: number;
  /** The criteria before the review and after it. */
  readonly before: readonly Criterion[];
  readonly criteria: readonly Criterion[];
  /** Tokens used for the prompt, this review included. */
  readonly spent: number;
  readonly options: Pick<SupervisorOptions, "stalemate" | "budgetTokens">;
  readonly usage: Usage;
  readonly seconds: number;
  readonly total: ReviewCost;
  readonly looked: readonly string[];
  /** Who reviewed, and why not those before. */
  readonly reviewer?: string | undefined;
  readonly instead?: string | undefined;
}

/** How the stop ends: the agent goes on only if that can lead anywhere. */
export function decideOutcome({ verdict, round, before, spent, options, ...reviewed }: DecidedReview): Outcome {
  const { criteria, usage, seconds, total, looked, reviewer, instead } = reviewed;
  const { feedback } = verdict;
  const common = { criteria, usage, seconds, total, looked, reviewer, instead };
  if (verdict.needsUser) return { kind: "needs_user", rounds: round, feedback, ...common };
  if (verdict.completed) return { kind: "done", rounds: round, feedback, ...common };
  if (deadlocked(before, criteria, options.stalemate).length > 0) {
    return { kind: "stalemate", rounds: round, feedback, ...common };
  }
  if (isOver(options.budgetTokens, spent)) return { kind: "budget", spent, feedback, ...common };
  return { kind: "rework", round, feedback: withCriteria(feedback, criteria), ...common };
}

/** Whether a limit of tokens is used up; 0 is no limit. */
export function isOver(limit: number, spent: number): boolean {
  return limit > 0 && spent >= limit;
}
