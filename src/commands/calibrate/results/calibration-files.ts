import * as v from "valibot";
import type { Paths } from "../../../config/ccc-paths.ts";
import type { Files } from "../../../os/files.ts";
import { join } from "../../../os/path.ts";
import { parseJson } from "../../../text/json.ts";
import {
  type CalibrationPlan,
  CalibrationPlanSchema,
  type CalibrationRun,
  CaseReviewSchema,
} from "./calibration-run.ts";

/** A line of a run's file. It is written as soon as something has happened, so that a run that was killed can go on. */
const EntrySchema = v.union([
  v.object({ plan: CalibrationPlanSchema }),
  v.object({ review: CaseReviewSchema }),
  v.object({ stopped: v.object({ reviewer: v.string(), why: v.string() }) }),
  /** The process that works on it from here on; null when it ends. */
  v.object({ process: v.nullable(v.number()) }),
]);

export type RunEntry = v.InferOutput<typeof EntrySchema>;

export interface KeptRun extends CalibrationRun {
  readonly path: string;
  /** The process that worked on it last and did not say that it ended. */
  readonly process: number | null;
}

/** Where a new run is kept. */
export function runPath(paths: Paths, { started_at }: Pick<CalibrationPlan, "started_at">): string {
  const name = `${started_at.replaceAll(/[:.]/g, "-")}-${crypto.randomUUID().slice(0, 8)}.jsonl`;
  return join(runsFolder(paths), name);
}

export function keepEntry(files: Files, path: string, entry: RunEntry): void {
  files.append(path, `${JSON.stringify(entry)}\n`, Number.POSITIVE_INFINITY);
}

/** The runs on record, the last one first. */
export function readRuns(files: Files, paths: Paths): KeptRun[] {
  return runFiles(files, paths).flatMap((path) => {
    const found = files.entry(path);
    const isReadable = found?.kind === "file" && found.isReadable;
    return isReadable ? (readRun(path, files.read(path) ?? "") ?? []) : [];
  });
}

/** Removes the oldest runs. */
export function removeOldRuns(files: Files, paths: Paths): void {
  for (const path of runFiles(files, paths).slice(MOST_RUNS)) files.remove(path);
}

const MOST_RUNS = 100;

function runFiles(files: Files, paths: Paths): string[] {
  const folder = runsFolder(paths);
  const names = files.list(folder).filter((name) => name.endsWith(".jsonl"));
  return names.toReversed().map((name) => join(folder, name));
}

function runsFolder(paths: Paths): string {
  return join(paths.generated, "calibration");
}

/** Undefined if another version of ccc wrote it. */
export function readRun(path: string, text: string): KeptRun | undefined {
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
    // Whoever goes on with it asks everybody again.
    if (process !== null) stopped.clear();
  }
  return plan && { path, plan, reviews, stopped, process };
}
