import type { LoadedConfig } from "../../config/load.ts";
import { CccError } from "../../errors.ts";
import { withoutFallbackAdvice } from "../../supervisor/review/ask-reviewers.ts";
import type { Instructions } from "../../supervisor/review/instructions.ts";
import { reviewResult } from "../review/review-result.ts";
import { saveProject } from "./cases/case-project.ts";
import { withCaseSession } from "./cases/case-session.ts";
import { reviewCase } from "./cases/review-case.ts";
import type { BegunRun } from "./plan-run.ts";
import type { CalibrationReviewer } from "./prepare-calibration.ts";
import { caseReview } from "./results/case-review.ts";
import type { CalibrationJob } from "./run-calibration.ts";

/**
 * Makes the session of a case once, and asks reviewers about it like about any session of the user's. Each gets the project
 * as the agent left it.
 */
export function withReviewedCase(
  { plan, cases }: Pick<BegunRun, "plan" | "cases">,
  by: {
    readonly claude: string;
    readonly loaded: LoadedConfig;
    readonly instructions: Instructions;
    readonly reviewers: ReadonlyMap<string, CalibrationReviewer>;
  },
): CalibrationJob["withCase"] {
  return async (world, id, use) => {
    const given = cases.find((each) => each.id === id);
    if (given === undefined) throw new CccError(`the case ${id} is not in the plan`);
    await withCaseSession(world, by.claude, given, async (session) => {
      const restore = await saveProject(world, session);
      await use(async (planned) => {
        const reviewer = by.reviewers.get(planned.reviewer);
        if (reviewer === undefined) throw new CccError(`the reviewer ${planned.reviewer} is not in the plan`);
        await restore();
        const review = await reviewCase(world, session, { ...by, context: plan.context, ...reviewer });
        const result = reviewer.redactor.value(reviewResult(session.id, session.project, review));
        const why = withoutFallbackAdvice(result.reason);
        const cause = review.outcome.kind === "unreviewed" ? review.outcome.cause : undefined;
        return {
          review: caseReview(given, planned, { ...result, reason: why, model: reviewer.model }),
          failed: cause && { cause, why },
        };
      });
    });
  };
}
