import type { ReviewResult } from "../../review/review-result.ts";
import type { CalibrationCase } from "../cases/calibration-case.ts";
import type { CaseReview, PlannedReview } from "./calibration-run.ts";
import { judgeReview } from "./judge-review.ts";

/** What is kept of a review of a case. */
export function caseReview(
  given: CalibrationCase,
  planned: PlannedReview,
  result: ReviewResult & Pick<CaseReview, "model">,
): CaseReview {
  const { feedback, reason, criteria, model, context, seconds, folder } = result;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_usd } = result;
  const verdict = VERDICTS[result.verdict];
  return {
    ...planned,
    mark: judgeReview(given, { verdict, feedback, criteria }),
    verdict,
    // The project was in a temporary folder, which nobody knows.
    said: (verdict === null ? reason : feedback).replaceAll(`${folder}/`, ""),
    model,
    context,
    seconds,
    ...{ input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_usd },
  };
}

const VERDICTS = {
  done: "done",
  "not done": "not done",
  // A case has no checks.
  "check failed": null,
  "needs you": "needs you",
  "not reviewed": null,
} as const;
