import { createFooter, isAnimated } from "../../terminal/footer.ts";
import { counted } from "../../text/counts.ts";
import { shortDuration } from "../../text/duration.ts";
import { shortLine } from "../../text/one-line.ts";
import type { World } from "../../world.ts";
import { judgement } from "./output/calibration-words.ts";
import { type CalibrationPlan, type CaseReview, isRight, type PlannedReview } from "./results/calibration-run.ts";

/** Shows on stderr each review that has ended and, on a terminal, what is going on. */
export function calibrationProgress(world: World, plan: CalibrationPlan, made: number) {
  const total = plan.cases.length * plan.repeat * plan.reviewers.length;
  const truths = new Map(plan.cases.map(({ id, truth }) => [id, truth]));
  const columns = () => world.columns(2);
  const footer = createFooter({ write: world.stderr, isAnimated: isAnimated(world), columns, now: world.now });
  let count = made;
  return {
    start({ case: id, reviewer }: PlannedReview): void {
      footer.start(`${count} of ${counted(total, "review")} made; ${reviewer} is reviewing ${id}`);
    },
    review(review: CaseReview): void {
      const { mark, verdict, said, seconds } = review;
      const sign = verdict === null ? "–" : isRight(mark) ? "✓" : "✗";
      const what = judgement(mark, verdict, truths.get(review.case) ?? "done");
      const why = verdict === null ? `: ${shortLine(said, LONGEST_REASON)}` : "";
      footer.print(
        `${sign} ${++count}/${total} ${review.case}, ${review.reviewer}: ${what}${why} (${shortDuration(seconds)})`,
      );
    },
    stopped(reviewer: string, why: string): void {
      footer.print(`– ${reviewer} is not asked any more: ${why}`);
    },
    stop(): void {
      footer.stop();
      // The results follow on the same screen.
      if (footer.isAnimated) world.stderr("\n");
    },
  };
}

const LONGEST_REASON = 200;
