/** A run of `ccc calibrate`: its plan, the file that keeps it, and how its reviews are made. */
import * as v from "valibot";
import type { ApiFailureKind } from "../../claude/failures.ts";
import { REVIEW_CONTEXTS } from "../../config/defaults.ts";
import type { Paths } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { UsageFieldsSchema } from "../../supervisor/record/stops.ts";
import { parseJson } from "../../text/json.ts";
import type { EndSignal, World } from "../../world.ts";
import { interruptibleWorld } from "../review/review-session.ts";
import { TRUTHS } from "./cases.ts";

/** How a verdict compares with the truth. */
export const MARKS = [
  "right",
  /** The verdict is right, but what it says is not what is wrong with the work. */
  "wrong reason",
  /** "Done", although it is not. */
  "missed",
  /** "Not done" or "needs you", although it is done. */
  "false alarm",
  /** "Needs you", although the agent could continue. */
  "needless question",
  /** Another verdict, although only the user can continue. */
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
  /** Whether a test was weakened and a check can prove it: then the case is also reviewed with that proof. */
  with_proof: v.optional(v.literal(true)),
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
  /** Who confirms a "done" that was reached with the conversation: true for the same reviewer, else its name. */
  confirm: v.optional(v.union([v.boolean(), v.string()]), false),
  instructions: v.object({ path: v.nullable(v.string()), hash: v.string() }),
  /** The folder of the user's own cases. */
  folder: v.nullable(v.string()),
  cases: v.array(CaseFactsSchema),
  /** Cases that need a program that is not installed. */
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
  /** Whether the reviewer had the check of the case, and its proof. */
  with_proof: v.optional(v.literal(true)),
  mark: v.picklist(MARKS),
  verdict: v.nullable(v.picklist(["done", "not done", "needs you"])),
  /** The reviewer's feedback, or why there is no verdict. */
  said: v.string(),
  /** The model that was requested; null if its provider leaves it to Claude Code. */
  model: v.nullable(v.string()),
  context: v.nullable(v.picklist(["session", "fresh"])),
  /** What the fresh review of its "done" came to, if there was one. */
  confirmation: v.optional(
    v.object({ reviewer: v.string(), verdict: v.picklist(["done", "not done", "needs you", "not reviewed"]) }),
  ),
  /** Whether a proof raises a point about the case, without any reviewer; missing for cases without a check. */
  proved: v.optional(v.boolean()),
  seconds: v.number(),
  ...UsageFieldsSchema.entries,
});

export type CaseReview = v.InferOutput<typeof CaseReviewSchema>;

/** A run of `ccc calibrate`, as far as it got. */
export interface CalibrationRun {
  readonly plan: CalibrationPlan;
  readonly reviews: readonly CaseReview[];
  /** Reviewers that were stopped early, and why. */
  readonly stopped: ReadonlyMap<string, string>;
}

export type PlannedReview = Pick<CaseReview, "reviewer" | "case" | "time" | "with_proof">;

/**
 * The reviews that a run still needs. Every reviewer gets a case before the next case begins, so that a run that was
 * interrupted compares them on the same cases.
 */
export function openReviews({ plan, reviews }: Pick<CalibrationRun, "plan" | "reviews">): PlannedReview[] {
  const known = new Set(reviews.map(keyOf));
  return plan.cases
    .flatMap(({ id, with_proof: isProved }) =>
      Array.from({ length: plan.repeat }, (_, index) =>
        [{}, ...(isProved ? [{ with_proof: true as const }] : [])].flatMap((how) =>
          plan.reviewers.map((reviewer) => ({ reviewer, case: id, time: index + 1, ...how })),
        ),
      ),
    )
    .flat()
    .filter((each) => !known.has(keyOf(each)));
}

function keyOf({ reviewer, case: id, time, with_proof: isProved }: PlannedReview): string {
  return JSON.stringify([reviewer, id, time, isProved === true]);
}

export interface KeptRun extends CalibrationRun {
  readonly path: string;
  /** The last process that made reviews, unless it recorded its end. */
  readonly process: number | null;
}

/** Records a new or a resumed run while it is made, and removes the oldest runs. */
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

/** What a run has to do, and who learns how it goes. */
export interface CalibrationJob {
  readonly open: readonly PlannedReview[];
  /** How many cases are worked on at the same time. */
  readonly jobs: number;
  /** Makes the session of a case, and hands `use` a function that asks a reviewer about it. */
  readonly withCase: (world: World, id: string, use: (ask: AskAboutCase) => Promise<void>) => Promise<void>;
  readonly onStart: (planned: PlannedReview) => void;
  readonly onReview: (review: CaseReview) => void;
  /** This reviewer gets no more requests. */
  readonly onStopped: (reviewer: string, why: string) => void;
}

type AskAboutCase = (planned: PlannedReview) => Promise<{
  readonly review: CaseReview;
  readonly failed: FailedRequest | undefined;
}>;

/** Why the reviewer's API gave no answer. */
interface FailedRequest {
  readonly cause: ApiFailureKind;
  readonly why: string;
}

/**
 * Makes the open reviews: several cases at a time, the reviews of one case in sequence. Returns the signal that ended
 * the run early.
 */
export async function runCalibration(world: World, job: CalibrationJob): Promise<EndSignal | undefined> {
  const { world: there, signal, stopListening } = interruptibleWorld(world);
  const waiting = [...Map.groupBy(job.open, (each) => each.case)];
  const ends = reviewerEnds();
  const failures: unknown[] = [];
  const isOver = () => signal() !== undefined || failures.length > 0;

  const reviewOne = async (ask: AskAboutCase, planned: PlannedReview) => {
    if (isOver() || ends.has(planned.reviewer)) return;
    job.onStart(planned);
    const { review, failed } = await ask(planned);
    if (signal() !== undefined) return;
    const isKnown = ends.has(planned.reviewer);
    const end = ends.add(planned.reviewer, failed);
    // A reviewer that refuses has not reviewed, so there is no verdict to judge.
    if (end !== "at once") job.onReview(review);
    // Reviews of other cases, in progress at the time, end with the same failure.
    if (end !== undefined && !isKnown) job.onStopped(planned.reviewer, failed?.why ?? "");
  };
  const workOn = async (id: string, planned: readonly PlannedReview[]) => {
    if (planned.every(({ reviewer }) => ends.has(reviewer))) return;
    await job.withCase(there, id, async (ask) => {
      for (const each of planned) await ends.firstAnswer(each.reviewer, () => reviewOne(ask, each));
    });
  };
  const worker = async () => {
    for (let next = waiting.shift(); next !== undefined && !isOver(); next = waiting.shift()) {
      await workOn(...next).catch((error: unknown) => {
        if (signal() === undefined) failures.push(error);
      });
    }
  };
  await Promise.all(Array.from({ length: job.jobs }, worker)).finally(stopListening);
  if (failures.length > 0) throw failures[0];
  return signal();
}

/**
 * Which reviewers are stopped: at once if the next request would only fail again, else after several failures in a row. Until a reviewer has answered once, it gets one request at a time.
 */
function reviewerEnds() {
  const inARow = new Map<string, number>();
  const ended = new Set<string>();
  const first = new Map<string, Promise<void>>();
  return {
    has: (reviewer: string) => ended.has(reviewer),
    add(reviewer: string, failed: FailedRequest | undefined): "at once" | "after several" | undefined {
      const count = failed === undefined ? 0 : (inARow.get(reviewer) ?? 0) + 1;
      inARow.set(reviewer, count);
      const isHopeless = failed !== undefined && HOPELESS.includes(failed.cause);
      if (!isHopeless && count < MOST_IN_A_ROW) return undefined;
      ended.add(reviewer);
      return isHopeless ? "at once" : "after several";
    },
    /** Runs the first review of a reviewer while the others wait. */
    async firstAnswer(reviewer: string, review: () => Promise<void>): Promise<void> {
      const asked = first.get(reviewer);
      if (asked !== undefined) {
        await asked.catch(() => {});
        return review();
      }
      const answer = review();
      first.set(reviewer, answer);
      return answer;
    },
  };
}

const MOST_IN_A_ROW = 3;

const HOPELESS: readonly ApiFailureKind[] = ["refused", "usage limit", "no credit", "unreachable"];

/** A line of a run's file, written as soon as it is known, so that a run that was killed can be resumed. */
const EntrySchema = v.union([
  v.object({ plan: CalibrationPlanSchema }),
  v.object({ review: CaseReviewSchema }),
  v.object({ stopped: v.object({ reviewer: v.string(), why: v.string() }) }),
  /** The process that makes the reviews from here on; null once it has ended. */
  v.object({ process: v.nullable(v.number()) }),
]);

type RunEntry = v.InferOutput<typeof EntrySchema>;

function runFiles(files: Files, paths: Paths): string[] {
  const folder = runsFolder(paths);
  const names = files.list(folder).filter((name) => name.endsWith(".jsonl"));
  return names.toReversed().map((name) => join(folder, name));
}

function runsFolder(paths: Paths): string {
  return join(paths.generated, "calibration");
}

/** Undefined for a file of another version of ccc. */
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
