import * as v from "valibot";
import { REVIEW_CONTEXTS } from "../../../config/defaults.ts";
import { UsageFieldsSchema } from "../../../supervisor/record/usage-fields.ts";
import { TRUTHS } from "../cases/case-schema.ts";

/** How a verdict compares with the truth. */
export const MARKS = [
  "right",
  /** The verdict is right, but what it says is not what is wrong with the work. */
  "wrong reason",
  /** "Done", although it is not. */
  "missed",
  /** "Not done" or "needs you", although it is done. */
  "false alarm",
  /** "Needs you", although the agent could go on. */
  "needless question",
  /** Another verdict, although only the user can go on. */
  "question missed",
  "no verdict",
] as const;

export type Mark = (typeof MARKS)[number];

/** Whether somebody who only looks at the verdict would call it right. */
export function isRight(mark: Mark): boolean {
  return mark === "right" || mark === "wrong reason";
}

const CaseFactsSchema = v.object({
  id: v.string(),
  /** Changes with the case. */
  hash: v.string(),
  kind: v.string(),
  truth: v.picklist(TRUTHS),
  why: v.string(),
});

export type CaseFacts = v.InferOutput<typeof CaseFactsSchema>;

/** What a run was started with. */
export const CalibrationPlanSchema = v.object({
  version: v.literal(1),
  started_at: v.string(),
  ccc_version: v.string(),
  claude_version: v.nullable(v.string()),
  /** Each is a "provider" or a "provider:model". */
  reviewers: v.array(v.string()),
  context: v.picklist(REVIEW_CONTEXTS),
  instructions: v.object({ path: v.nullable(v.string()), hash: v.string() }),
  /** The folder of the user's own cases. */
  folder: v.nullable(v.string()),
  cases: v.array(CaseFactsSchema),
  /** Cases that need a program that is not there. */
  left_out: v.array(v.object({ case: v.string(), needs: v.string() })),
  repeat: v.number(),
});

export type CalibrationPlan = v.InferOutput<typeof CalibrationPlanSchema>;

/** One review of one case. */
export const CaseReviewSchema = v.object({
  reviewer: v.string(),
  case: v.string(),
  /** Counts from 1 to the plan's `repeat`. */
  time: v.number(),
  mark: v.picklist(MARKS),
  verdict: v.nullable(v.picklist(["done", "not done", "needs you"])),
  /** The reviewer's feedback, or why there is no verdict. */
  said: v.string(),
  /** The model that was requested; null if its provider leaves it to Claude Code. */
  model: v.nullable(v.string()),
  context: v.nullable(v.picklist(["session", "fresh"])),
  seconds: v.number(),
  ...UsageFieldsSchema.entries,
});

export type CaseReview = v.InferOutput<typeof CaseReviewSchema>;

/** A run of `ccc calibrate`, as far as it got. */
export interface CalibrationRun {
  readonly plan: CalibrationPlan;
  readonly reviews: readonly CaseReview[];
  /** Reviewers that could not be asked any more, and why. */
  readonly stopped: ReadonlyMap<string, string>;
}

export type PlannedReview = Pick<CaseReview, "reviewer" | "case" | "time">;

/**
 * The reviews that a run still needs. Every reviewer gets a case before the next case begins, so that a run that was
 * interrupted compares them on the same cases.
 */
export function openReviews({ plan, reviews }: Pick<CalibrationRun, "plan" | "reviews">): PlannedReview[] {
  const known = new Set(reviews.map(keyOf));
  return plan.cases
    .flatMap(({ id }) =>
      Array.from({ length: plan.repeat }, (_, index) =>
        plan.reviewers.map((reviewer) => ({ reviewer, case: id, time: index + 1 })),
      ),
    )
    .flat()
    .filter((each) => !known.has(keyOf(each)));
}

function keyOf({ reviewer, case: id, time }: PlannedReview): string {
  return JSON.stringify([reviewer, id, time]);
}
