import type { LoadedConfig } from "../../config/load.ts";
import { CccError } from "../../errors.ts";
import { withoutFallbackAdvice } from "../../supervisor/review/ask-reviewers.ts";
import type { Instructions } from "../../supervisor/review/instructions.ts";
import { reviewResult } from "../review/review-result.ts";
import { reviewCase } from "./cases/review-case.ts";
import type { BegunRun } from "./plan-run.ts";
import type { CalibrationReviewer } from "./prepare-calibration.ts";
import { caseReview } from "./results/case-review.ts";
import type { CalibrationJob } from "./run-calibration.ts";

/** Asks a reviewer about a case, like about any session of the user's. */
export function askReviewer(
  { plan, cases }: Pick<BegunRun, "plan" | "cases">,
  by: {
    readonly loaded: LoadedConfig;
    readonly instructions: Instructions;
    readonly reviewers: ReadonlyMap<string, CalibrationReviewer>;
  },
): CalibrationJob["ask"] {
  return async (world, session, planned) => {
    const given = cases.find(({ id }) => id === planned.case);
    const reviewer = by.reviewers.get(planned.reviewer);
    if (given === undefined || reviewer === undefined) throw new CccError(`${planned.case} is not in the plan`);
    const review = await reviewCase(world, session, { ...by, context: plan.context, ...reviewer });
    const result = reviewer.redactor.value(reviewResult(session.id, session.project, review));
    const { outcome } = review;
    const cause = outcome.kind === "unreviewed" ? outcome.cause : undefined;
    const why = withoutFallbackAdvice(result.reason);
    return {
      review: caseReview(given, planned, { ...result, reason: why }),
      failed: cause === undefined ? undefined : { cause, why },
    };
  };
}
