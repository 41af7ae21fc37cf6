import type { ApiFailureKind } from "../../claude/api-failure.ts";
import { NO_USAGE, type Usage } from "../../claude/token-usage.ts";
import { CccError, EXIT, type ExitCode, messageOf } from "../../errors.ts";
import type { Criterion } from "../ledger/criterion.ts";
import { NO_COST, type ReviewCost } from "../record/review-cost.ts";

/** How a stop ends. A review that failed has used tokens, too. */
export type Outcome =
  | ({ readonly kind: "done"; readonly rounds: number; readonly feedback: string } & Reviewed)
  | ({
      readonly kind: "rework";
      readonly round: number;
      readonly feedback: string;
      /** The check that failed, as "npm test (exit 1)", if it was not a reviewer who said no. */
      readonly check?: string;
    } & Reviewed)
  /** Only the user can go on. The feedback says what they have to decide or to do. */
  | ({ readonly kind: "needs_user"; readonly rounds: number; readonly feedback: string } & Reviewed)
  | {
      readonly kind: "limit";
      readonly criteria: readonly Criterion[];
      readonly total: ReviewCost;
      /** What the last review, or the last check, asked for. */
      readonly feedback?: string | undefined;
    }
  /** The same criterion remains unmet. */
  | ({ readonly kind: "stalemate"; readonly rounds: number; readonly feedback: string } & Reviewed)
  /** The prompt has used as many tokens as it may. */
  | ({ readonly kind: "budget"; readonly spent: number; readonly feedback: string } & Reviewed)
  | { readonly kind: "skipped"; readonly why: SkipReason }
  | ({
      readonly kind: "unreviewed";
      readonly why: string;
      /** Why the reviewer's API gave no answer, if that is the reason. */
      readonly cause?: ApiFailureKind | undefined;
    } & Looked);

interface Looked {
  readonly usage: Usage;
  /** How long it took, checks included. */
  readonly seconds: number;
  /** What all reviews since the user's prompt took, this one included. */
  readonly total: ReviewCost;
  /** Who reviewed: "provider" or "provider:model". */
  readonly reviewer?: string | undefined;
  /** Why the reviewers before could not review. */
  readonly instead?: string | undefined;
  /** What the reviewer opened and ran. */
  readonly looked: readonly string[];
}

/** Nobody was asked. */
export const NOT_LOOKED: Looked = { usage: NO_USAGE, seconds: 0, total: NO_COST, looked: [] };

interface Reviewed extends Looked {
  /** What must be true, and whether it is. Empty if no review has named anything. */
  readonly criteria: readonly Criterion[];
}

/** The outcome of a stop whose review ended with an error of ccc itself. */
export function notReviewed(error: unknown): Outcome {
  const advice = error instanceof CccError && error.advice !== undefined ? `. ${error.advice}` : "";
  return { kind: "unreviewed", why: `${messageOf(error)}${advice}`, ...NOT_LOOKED };
}

export type SkipReason = keyof typeof SKIPPED;

/** Why there is no review. */
export const SKIPPED = {
  delegated: "a delegated agent is still working; the review starts when it finishes",
  plan: "the session is in plan mode",
  scheduled: "the agent has scheduled a wake-up; the review starts when it stops after that",
  unchanged: "nothing has happened since the last review, which said done",
  off: "supervision was switched off in this session",
  talk: 'no tool ran since your last prompt, and supervisor.when is "changes"',
} as const;

/** A reason on record in words; as it is, if another version recorded it. */
export function skippedBecause(why: string): string {
  return isSkipReason(why) ? SKIPPED[why] : why;
}

function isSkipReason(why: string): why is SkipReason {
  return Object.hasOwn(SKIPPED, why);
}

/** The exit code of a run whose last stop ended like this; undefined if the agent goes on. */
export function exitCodeFor(
  outcome: Pick<Outcome, "kind"> & { readonly why?: string | undefined },
): ExitCode | undefined {
  if (outcome.kind === "skipped") return outcome.why === UNCHANGED ? EXIT.ok : EXIT.notReviewed;
  return EXIT_CODES[outcome.kind];
}

/** Then the last review, which said done, still holds. */
const UNCHANGED: SkipReason = "unchanged";

const EXIT_CODES = {
  done: EXIT.ok,
  rework: undefined,
  needs_user: EXIT.needsUser,
  limit: EXIT.notDone,
  stalemate: EXIT.notDone,
  budget: EXIT.budget,
  unreviewed: EXIT.notReviewed,
} as const;
