import { counted, shortTokens } from "../../text/counts.ts";
import { figuresOf } from "./results/calibration-figures.ts";
import { type CalibrationPlan, type CalibrationRun, openReviews } from "./results/calibration-run.ts";

/** What the open reviews of a run will roughly take. */
export interface Estimate {
  readonly reviews: number;
  readonly tokens: number;
  /** Whether earlier runs on record tell what a review of each reviewer takes. */
  readonly isMeasured: boolean;
}

/** `earlier` are the runs on record, the last one first; `agent` is the provider that runs the agent in this folder. */
export function estimateRun(
  run: Pick<CalibrationRun, "plan" | "reviews">,
  earlier: readonly CalibrationRun[],
  agent: string,
): Estimate {
  const { context } = run.plan;
  const each = openReviews(run).map(({ reviewer }) => {
    const usual = context === "auto" ? (reviewer === agent ? "session" : "fresh") : context;
    return { tokens: measured(reviewer, run.plan, earlier), assumed: PER_REVIEW[usual] };
  });
  return {
    reviews: each.length,
    tokens: each.reduce((sum, { tokens, assumed }) => sum + (tokens ?? assumed), 0),
    isMeasured: each.every(({ tokens }) => tokens !== undefined),
  };
}

/** "48 reviews, about 288 requests: roughly 2.3M tokens, most of them input" */
export function describeEstimate({ reviews, tokens, isMeasured }: Estimate): string {
  const amounts = `about ${reviews * REQUESTS} requests: roughly ${shortTokens(tokens)}`;
  return `${counted(reviews, "review")}, ${amounts}, ${isMeasured ? "by the last run" : "most of them input"}`;
}

/** How many requests a review takes is up to the reviewer: it looks around first. */
const REQUESTS = 6;

/**
 * Requests about small cases are about 20 kB without the conversation, and 60 kB with it, because they have all tools of
 * Claude Code in them. Some models get a longer system prompt, and each look makes the next request longer.
 */
const PER_REVIEW = { fresh: REQUESTS * 8_000, session: REQUESTS * 20_000 } as const;

function measured(
  reviewer: string,
  { context }: CalibrationPlan,
  earlier: readonly CalibrationRun[],
): number | undefined {
  for (const { plan, reviews } of earlier) {
    const own = reviews.filter((each) => each.reviewer === reviewer && each.verdict !== null);
    if (plan.context === context && own.length > 0) return figuresOf(plan, own).tokens ?? undefined;
  }
  return undefined;
}
