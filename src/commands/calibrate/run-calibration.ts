import type { EndSignal, World } from "../../world.ts";
import { interruptibleWorld } from "../interruptible-world.ts";
import type { CaseReview, PlannedReview } from "./results/calibration-run.ts";
import { type FailedAsk, reviewerEnds } from "./reviewer-ends.ts";

export interface CalibrationJob {
  readonly open: readonly PlannedReview[];
  /** How many cases are worked on at the same time. */
  readonly jobs: number;
  /** Makes the session of a case. `use` gets a function that asks a reviewer about it. */
  readonly withCase: (world: World, id: string, use: (ask: AskAboutCase) => Promise<void>) => Promise<void>;
  readonly onStart: (planned: PlannedReview) => void;
  readonly onReview: (review: CaseReview) => void;
  /** A reviewer will not be asked any more. */
  readonly onStopped: (reviewer: string, why: string) => void;
}

export type AskAboutCase = (planned: PlannedReview) => Promise<AskedReviewer>;

export interface AskedReviewer {
  readonly review: CaseReview;
  /** If its API gave no answer. */
  readonly failed: FailedAsk | undefined;
}

/**
 * Makes the open reviews, several cases at a time, those of one case one after another. Returns the signal that ended it
 * early.
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
    // Whoever refuses has not reviewed: nothing is known about its verdict on this case.
    if (end !== "at once") job.onReview(review);
    // Reviews of other cases may have been going on.
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
