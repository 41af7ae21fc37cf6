import type { EndSignal, World } from "../../world.ts";
import { interruptibleWorld } from "../interruptible-world.ts";
import type { CalibrationCase } from "./cases/calibration-case.ts";
import { saveProject } from "./cases/case-project.ts";
import { type CaseSession, withCaseSession } from "./cases/case-session.ts";
import type { CaseReview, PlannedReview } from "./results/calibration-run.ts";
import type { FailedAsk } from "./reviewer-ends.ts";
import { reviewerEnds } from "./reviewer-ends.ts";

export interface CalibrationJob {
  readonly claude: string;
  readonly cases: readonly CalibrationCase[];
  readonly open: readonly PlannedReview[];
  /** How many cases are worked on at the same time. */
  readonly jobs: number;
  /** Makes one review. */
  readonly ask: (world: World, session: CaseSession, planned: PlannedReview) => Promise<AskedReviewer>;
  readonly onStart: (planned: PlannedReview) => void;
  readonly onReview: (review: CaseReview) => void;
  /** A reviewer will not be asked any more. */
  readonly onStopped: (reviewer: string, why: string) => void;
}

export interface AskedReviewer {
  readonly review: CaseReview;
  /** If its API gave no answer. */
  readonly failed: FailedAsk | undefined;
}

/**
 * Makes the open reviews, several cases at a time. Each case's session is made once, and every reviewer gets the project
 * as the agent left it. Returns the signal that ended it early.
 */
export async function runCalibration(world: World, job: CalibrationJob): Promise<EndSignal | undefined> {
  const { world: there, signal, stopListening } = interruptibleWorld(world);
  const waiting = [...Map.groupBy(job.open, (each) => each.case)];
  const ends = reviewerEnds();
  const failures: unknown[] = [];
  const isOver = () => signal() !== undefined || failures.length > 0;

  const reviewOne = async (session: CaseSession, planned: PlannedReview) => {
    job.onStart(planned);
    const { review, failed } = await job.ask(there, session, planned);
    if (signal() !== undefined) return;
    const end = ends.add(planned.reviewer, failed);
    // Whoever refuses has not reviewed: nothing is known about its verdict on this case.
    if (end !== "at once") job.onReview(review);
    if (end !== undefined) job.onStopped(planned.reviewer, failed?.why ?? "");
  };
  const workOn = async (id: string, planned: readonly PlannedReview[]) => {
    const given = job.cases.find((each) => each.id === id);
    const wanted = () => planned.filter(({ reviewer }) => !ends.has(reviewer));
    if (given === undefined || wanted().length === 0) return;
    await withCaseSession(there, job.claude, given, async (session) => {
      const restore = await saveProject(there, session);
      for (const each of planned) {
        await ends.firstAnswer(each.reviewer, async () => {
          if (isOver() || ends.has(each.reviewer)) return;
          await restore();
          await reviewOne(session, each);
        });
      }
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
