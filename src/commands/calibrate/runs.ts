import * as v from "valibot";
import { REVIEW_CONTEXTS } from "../../config/defaults.ts";
import type { Paths } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { UsageFieldsSchema } from "../../supervisor/record/stops.ts";
import { parseJson } from "../../text/json.ts";
import { TRUTHS } from "./cases.ts";

/** A run of `ccc calibrate`, and the file that keeps it. */

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

/** A line of a run's file. It is written as soon as something has happened, so that a run that was killed can be resumed. */
const EntrySchema = v.union([
  v.object({ plan: CalibrationPlanSchema }),
  v.object({ review: CaseReviewSchema }),
  v.object({ stopped: v.object({ reviewer: v.string(), why: v.string() }) }),
  /** The process that works on it from here on; null once it has ended. */
  v.object({ process: v.nullable(v.number()) }),
]);

type RunEntry = v.InferOutput<typeof EntrySchema>;

export interface KeptRun extends CalibrationRun {
  readonly path: string;
  /** The process that worked on it last and did not say that it ended. */
  readonly process: number | null;
}

/** Keeps a run, a new one or one that is resumed, as it goes on. Removes the oldest runs. */
export function keepRun(
  files: Files,
  paths: Paths,
  { plan, path }: { readonly plan: CalibrationPlan; readonly path: string | undefined },
  process: number,
) {
  const name = `${plan.started_at.replaceAll(/[:.]/g, "-")}-${crypto.randomUUID().slice(0, 8)}.jsonl`;
  const file = path ?? join(runsFolder(paths), name);
  const add = (entry: RunEntry) => files.append(file, `${JSON.stringify(entry)}\n`, Number.POSITIVE_INFINITY);
  if (path === undefined) add({ plan });
  add({ process });
  for (const old of runFiles(files, paths).slice(MOST_RUNS)) files.remove(old);
  return {
    review: (review: CaseReview) => add({ review }),
    stopped: (reviewer: string, why: string) => add({ stopped: { reviewer, why } }),
    end: () => add({ process: null }),
  };
}

const MOST_RUNS = 100;

/** The runs on record, the last one first. */
export function readRuns(files: Files, paths: Paths): KeptRun[] {
  return runFiles(files, paths).flatMap((path) => {
    const found = files.entry(path);
    const isReadable = found?.kind === "file" && found.isReadable;
    return isReadable ? (readRun(path, files.read(path) ?? "") ?? []) : [];
  });
}

function runFiles(files: Files, paths: Paths): string[] {
  const folder = runsFolder(paths);
  const names = files.list(folder).filter((name) => name.endsWith(".jsonl"));
  return names.toReversed().map((name) => join(folder, name));
}

function runsFolder(paths: Paths): string {
  return join(paths.generated, "calibration");
}

/** Undefined if another version of ccc wrote it. */
function readRun(path: string, text: string): KeptRun | undefined {
  let plan: CalibrationPlan | undefined;
  let process: number | null = null;
  const reviews: CalibrationRun["reviews"][number][] = [];
  const stopped = new Map<string, string>();
  for (const line of text.split("\n")) {
    const parsed = v.safeParse(EntrySchema, parseJson(line));
    if (!parsed.success) continue;
    const entry = parsed.output;
    if ("plan" in entry) plan = entry.plan;
    if ("review" in entry) reviews.push(entry.review);
    if ("stopped" in entry) stopped.set(entry.stopped.reviewer, entry.stopped.why);
    if (!("process" in entry)) continue;
    ({ process } = entry);
    // A resumed run asks every reviewer again.
    if (process !== null) stopped.clear();
  }
  return plan && { path, plan, reviews, stopped, process };
}
