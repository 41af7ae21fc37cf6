import type { ReviewWay } from "../../claude/reviewer-command.ts";
import type { Program } from "../../world.ts";
import { type Review, type ReviewJob, review } from "./reviewer.ts";

/** One that can be asked for a review. */
export interface Reviewer {
  /** "provider" or "provider:model"; empty if that is not known. */
  readonly name: string;
  /** What it sees first. */
  readonly way: ReviewWay;
  /** The program that reviews, given the agent's current folder. */
  readonly program: (way: ReviewWay, cwd: string) => Promise<Program>;
}

export type AskedReview = Review & {
  /** Who was asked last. */
  readonly reviewer: string;
  /** Why those before could not review. */
  readonly instead: string | undefined;
};

/** Asks the first reviewer, and the next one if it cannot be had. Each has the whole time of a review. */
export async function askReviewers(
  [first, ...others]: readonly [Reviewer, ...Reviewer[]],
  jobFor: (reviewer: Reviewer) => ReviewJob,
): Promise<AskedReview> {
  const reasons: string[] = [];
  let reviewer = first;
  for (;;) {
    const job = jobFor(reviewer);
    const result = await review(job);
    const next = others.shift();
    const instead = reasons.length === 0 ? undefined : reasons.join(". ");
    if (!("failure" in result)) return { ...result, reviewer: reviewer.name, instead };
    if (next === undefined || !result.isUnavailable) {
      const failure = instead === undefined ? alone(reviewer, result) : `${instead}. ${told(reviewer, result)}`;
      return { ...result, failure, reviewer: reviewer.name, instead };
    }
    reasons.push(told(reviewer, result));
    job.onTrouble(`${told(reviewer, result)}. Asking ${next.name}`);
    reviewer = next;
  }
}

type Failed = Extract<Review, { readonly failure: string }>;

function told({ name }: Reviewer, { failure }: Failed): string {
  return `${name}: ${failure}`;
}

/** A reviewer without a name is one that no launch has settled, and then there is no other. */
function alone({ name }: Reviewer, { failure, isUnavailable }: Failed): string {
  if (!isUnavailable || name === "") return failure;
  return failure + FALLBACK_ADVICE;
}

const FALLBACK_ADVICE = ". To have another provider review in such a case, name it in supervisor.fallback";

/** A failure, for those who want this reviewer and no other. */
export function withoutFallbackAdvice(failure: string): string {
  return failure.replace(FALLBACK_ADVICE, "");
}
