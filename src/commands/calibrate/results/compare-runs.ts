import { figuresOf } from "./calibration-figures.ts";
import type { ComparedReviewer } from "./calibration-report.ts";
import { type CalibrationRun, type CaseReview, isRight } from "./calibration-run.ts";

/**
 * A reviewer now and in an earlier run, on the cases that both have. Undefined if the earlier run does not have it, or
 * they have no case in common.
 */
export function compareRuns(
  reviewer: string,
  now: CalibrationRun,
  before: CalibrationRun,
): ComparedReviewer | undefined {
  const [here, there] = [now, before].map(({ plan, reviews }) => {
    const own = reviews.filter((each) => each.reviewer === reviewer);
    return { plan, own, ids: new Set(own.map((each) => each.case)) };
  });
  if (here === undefined || there === undefined) return undefined;
  const earlier = new Map(there.plan.cases.map(({ id, hash }) => [id, hash]));
  const common = here.plan.cases.filter(
    ({ id, hash }) => earlier.get(id) === hash && here.ids.has(id) && there.ids.has(id),
  );
  if (common.length === 0) return undefined;
  const figures = ({ plan, own }: typeof here) => figuresOf({ ...plan, cases: common }, own);
  const changed = common.map(({ id }) => ({ id, change: shareOf(here.own, id) - shareOf(there.own, id) }));
  return {
    started_at: before.plan.started_at,
    cases: common.length,
    changed: whatChanged(now, before, here.own, there.own),
    before: figures(there),
    now: figures(here),
    better: changed.filter(({ change }) => change > 0).map(({ id }) => id),
    worse: changed.filter(({ change }) => change < 0).map(({ id }) => id),
  };
}

/** How much of a case was judged rightly; a right verdict for the wrong reason counts less. */
function shareOf(reviews: readonly CaseReview[], id: string): number {
  const own = reviews.filter((each) => each.case === id);
  const worth = own.map(({ mark }) => (mark === "right" ? 1 : isRight(mark) ? 0.5 : 0));
  return worth.reduce<number>((sum, each) => sum + each, 0) / Math.max(1, own.length);
}

function whatChanged(
  { plan: now }: CalibrationRun,
  { plan: before }: CalibrationRun,
  ownNow: readonly CaseReview[],
  ownBefore: readonly CaseReview[],
): string[] {
  const isSame = (field: "model" | "context") => {
    const [one, other] = [ownNow, ownBefore].map((reviews) => new Set(reviews.map((each) => each[field])));
    return one?.symmetricDifference(other ?? new Set()).size === 0;
  };
  return [
    ...(now.instructions.hash === before.instructions.hash ? [] : ["instructions"]),
    ...(isSame("model") ? [] : ["model"]),
    ...(isSame("context") ? [] : ["context"]),
    ...(now.claude_version === before.claude_version ? [] : ["Claude Code"]),
    ...(now.ccc_version === before.ccc_version ? [] : ["ccc"]),
  ];
}
