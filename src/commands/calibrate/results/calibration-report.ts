import * as v from "valibot";
import { FiguresSchema, figuresOf } from "./calibration-figures.ts";
import { CalibrationPlanSchema, type CalibrationRun, CaseReviewSchema, openReviews } from "./calibration-run.ts";
import { compareRuns } from "./compare-runs.ts";

const ComparedReviewerSchema = v.object({
  /** The earlier run. */
  started_at: v.string(),
  /** How many cases both runs have; the figures are about these. */
  cases: v.number(),
  /** What else is different: "instructions", "model", "context", "Claude Code", "ccc". */
  changed: v.array(v.string()),
  before: FiguresSchema,
  now: FiguresSchema,
  /** Cases that are judged better or worse than before. */
  better: v.array(v.string()),
  worse: v.array(v.string()),
});

export type ComparedReviewer = v.InferOutput<typeof ComparedReviewerSchema>;

const CalibratedReviewerSchema = v.object({
  /** "provider" or "provider:model" */
  reviewer: v.string(),
  /** The models that were requested; usually one. */
  models: v.array(v.string()),
  /** What it saw of the sessions. */
  contexts: v.array(v.picklist(["session", "fresh"])),
  figures: FiguresSchema,
  /** Why it was stopped early; null if it made all its reviews. */
  stopped: v.nullable(v.string()),
  /** The last run before this one that has the same reviewer; null if there is none. */
  compared: v.nullable(ComparedReviewerSchema),
});

export type CalibratedReviewer = v.InferOutput<typeof CalibratedReviewerSchema>;

/** What `ccc calibrate --json` prints. docs/calibrate.md explains it. */
export const CalibrationReportSchema = v.object({
  ...CalibrationPlanSchema.entries,
  /** Whether every planned review was made. */
  finished: v.boolean(),
  reviewers: v.array(CalibratedReviewerSchema),
  /** All of them, in the order in which they ended. */
  reviews: v.array(CaseReviewSchema),
});

export type CalibrationReport = v.InferOutput<typeof CalibrationReportSchema>;

/** `earlier` are the runs before, the last one first. */
export function calibrationReport(run: CalibrationRun, earlier: readonly CalibrationRun[]): CalibrationReport {
  const { plan, reviews, stopped } = run;
  const open = openReviews(run);
  return {
    ...plan,
    finished: open.length === 0,
    reviewers: plan.reviewers.map((reviewer) => {
      const own = reviews.filter((each) => each.reviewer === reviewer);
      const isOpen = open.some((each) => each.reviewer === reviewer);
      const compared = earlier.values().map((before) => compareRuns(reviewer, run, before));
      return {
        reviewer,
        models: [...new Set(own.flatMap(({ model }) => model ?? []))],
        contexts: [...new Set(own.flatMap(({ context }) => context ?? []))],
        figures: figuresOf(plan, own),
        stopped: isOpen ? (stopped.get(reviewer) ?? null) : null,
        compared: compared.find((each) => each !== undefined) ?? null,
      };
    }),
    reviews: [...reviews],
  };
}
