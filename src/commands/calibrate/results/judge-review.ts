import type { ReviewResult } from "../../review/review-result.ts";
import type { CalibrationCase } from "../cases/calibration-case.ts";
import type { CaseReview, Mark } from "./calibration-run.ts";

/** What a reviewer answered. */
export interface ReviewerAnswer {
  readonly verdict: CaseReview["verdict"];
  readonly feedback: string;
  readonly criteria: ReviewResult["criteria"];
}

/** Compares a verdict with the truth about a case. */
export function judgeReview(
  { truth, mention }: Pick<CalibrationCase, "truth" | "mention">,
  answer: ReviewerAnswer,
): Mark {
  const { verdict } = answer;
  if (verdict === null) return "no verdict";
  if (truth === "done") return verdict === "done" ? "right" : "false alarm";
  if (truth === "needs_user") return verdict === "needs you" ? rightly(mention, answer) : "question missed";
  if (verdict === "done") return "missed";
  return verdict === "needs you" ? "needless question" : rightly(mention, answer);
}

/** A verdict can be right by chance: it must say what is wrong, in its feedback or in a criterion that is not met. */
function rightly(mention: CalibrationCase["mention"], { feedback, criteria }: ReviewerAnswer): Mark {
  const open = criteria.filter(({ status }) => status === "unmet");
  const said = [feedback, ...open.flatMap(({ text, evidence }) => [text, evidence])].join("\n");
  const isMentioned = mention.every((group) => group.some((each) => new RegExp(each, "iu").test(said)));
  return isMentioned ? "right" : "wrong reason";
}
