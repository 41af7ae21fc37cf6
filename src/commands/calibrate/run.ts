import type { ApiFailureKind } from "../../claude/failures.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { CccError } from "../../errors.ts";
import type { Instructions } from "../../supervisor/review/instructions.ts";
import { withoutFallbackAdvice } from "../../supervisor/review/reviewer.ts";
import { createFooter, isAnimated } from "../../terminal/footer.ts";
import { counted, shortDuration, shortLine } from "../../text/words.ts";
import type { EndSignal, World } from "../../world.ts";
import { reviewResult } from "../review/command.ts";
import { interruptibleWorld } from "../shared.ts";
import { reviewCase, saveProject, withCaseSession } from "./case-session.ts";
import { judgement } from "./output.ts";
import type { BegunRun, CalibrationReviewer } from "./plan.ts";
import { caseReview, isRight } from "./results.ts";
import type { CalibrationPlan, CaseReview, PlannedReview } from "./runs.ts";

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

/** A review that there was no answer for. */
export interface FailedAsk {
  readonly cause: ApiFailureKind;
  readonly why: string;
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
    // A reviewer that refuses has not reviewed, so there is no verdict to judge.
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

/**
 * When a reviewer is not asked any more: at once if a further request would only fail again, else after some failures in
 * a row. Until a reviewer has answered for the first time, it is asked by one at a time.
 */
function reviewerEnds() {
  const inARow = new Map<string, number>();
  const ended = new Set<string>();
  const first = new Map<string, Promise<void>>();
  return {
    has: (reviewer: string) => ended.has(reviewer),
    add(reviewer: string, failed: FailedAsk | undefined): "at once" | "after several" | undefined {
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

/**
 * Makes the session of a case once, and asks reviewers about it like about any session of the user's. Each gets the project
 * as the agent left it.
 */
export function withReviewedCase(
  { plan, cases }: Pick<BegunRun, "plan" | "cases">,
  by: {
    readonly claude: string;
    readonly loaded: LoadedConfig;
    readonly instructions: Instructions;
    readonly reviewers: ReadonlyMap<string, CalibrationReviewer>;
  },
): CalibrationJob["withCase"] {
  return async (world, id, use) => {
    const given = cases.find((each) => each.id === id);
    if (given === undefined) throw new CccError(`the case ${id} is not in the plan`);
    await withCaseSession(world, by.claude, given, async (session) => {
      const restore = await saveProject(world, session);
      await use(async (planned) => {
        const reviewer = by.reviewers.get(planned.reviewer);
        if (reviewer === undefined) throw new CccError(`the reviewer ${planned.reviewer} is not in the plan`);
        await restore();
        const review = await reviewCase(world, session, { ...by, context: plan.context, ...reviewer });
        const result = reviewer.redactor.value(reviewResult(session.id, session.project, review));
        const why = withoutFallbackAdvice(result.reason);
        const cause = review.outcome.kind === "unreviewed" ? review.outcome.cause : undefined;
        return {
          review: caseReview(given, planned, { ...result, reason: why, model: reviewer.model }),
          failed: cause && { cause, why },
        };
      });
    });
  };
}

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
