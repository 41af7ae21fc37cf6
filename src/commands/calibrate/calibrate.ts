import { cccPaths } from "../../config/ccc-paths.ts";
import { loadConfig } from "../../config/load-config.ts";
import { CccError, EXIT, messageOf, usageError } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import { providerHere } from "../../providers/require-provider.ts";
import { readInstructions } from "../../supervisor/review/instructions.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import { counted } from "../../text/counts.ts";
import { shownTime } from "../../text/duration.ts";
import type { EndSignal, World } from "../../world.ts";
import { describeEstimate, estimateRun } from "./calibration-estimate.ts";
import { wholeNumber } from "./calibration-plan.ts";
import { calibrationProgress } from "./calibration-progress.ts";
import { type CalibrationWish, planRun } from "./plan-run.ts";
import { prepareCalibration } from "./prepare-calibration.ts";
import { keepEntry, readRuns, removeOldRuns, runPath } from "./results/calibration-files.ts";
import { type CalibrationRun, type CaseReview, openReviews } from "./results/calibration-run.ts";
import { withReviewedCase } from "./reviewed-case.ts";
import { runCalibration } from "./run-calibration.ts";
import { type RunOutput, showRun } from "./show-run.ts";

export interface CalibrateArguments extends CalibrationWish {
  readonly jobs: string | undefined;
  readonly yes: boolean;
  readonly anyway: boolean;
  readonly output: RunOutput;
}

/** Plans a run or takes up one that was not finished, asks the user, makes the reviews, and shows the results. */
export async function calibrate(world: World, wish: CalibrateArguments): Promise<number> {
  const log = createLog(world);
  const jobs = wholeNumber("--jobs", wish.jobs, 2, MOST_JOBS);
  const paths = cccPaths(world);
  const loaded = loadConfig(world);
  const instructions = readInstructions(world.files, world.cwd, paths.folder, (message) => log.warn(message));
  const earlier = readRuns(world.files, paths);
  const claude = findClaude(world);
  const begun = await planRun(world, wish, { loaded, paths, claude, instructions, earlier, log });
  const reviewers = await prepareCalibration(world, begun.plan, { loaded, paths, instructions, anyway: wish.anyway });

  const estimate = describeEstimate(estimateRun(begun, earlier, providerHere(undefined, loaded, world)));
  for (const line of announcement(begun, estimate)) log.info(line);
  if (!wish.yes) await askFirst(world);

  const path = begun.path ?? runPath(paths, begun.plan);
  if (begun.path === undefined) keepEntry(world.files, path, { plan: begun.plan });
  keepEntry(world.files, path, { process: world.pid });
  removeOldRuns(world.files, paths);
  const reviews: CaseReview[] = [...begun.reviews];
  const stopped = new Map<string, string>();
  const progress = calibrationProgress(world, begun.plan, reviews.length);
  let signal: EndSignal | undefined;
  try {
    signal = await runCalibration(world, {
      ...{ jobs, open: openReviews(begun) },
      withCase: withReviewedCase(begun, { claude, loaded, instructions, reviewers }),
      onStart: progress.start,
      onReview: (review) => {
        reviews.push(review);
        keepEntry(world.files, path, { review });
        progress.review(review);
      },
      onStopped: (reviewer, why) => {
        stopped.set(reviewer, why);
        keepEntry(world.files, path, { stopped: { reviewer, why } });
        progress.stopped(reviewer, why);
      },
    });
  } catch (error) {
    throw new CccError(messageOf(error), { advice: `What was reviewed is kept. ${GO_ON}` });
  } finally {
    progress.stop();
    keepEntry(world.files, path, { process: null });
  }
  const run = { plan: begun.plan, reviews, stopped };
  const before = earlier.filter(({ plan }) => plan.started_at < begun.plan.started_at);
  if (reviews.length > 0 || wish.output.json) {
    const { reviewers: shown } = showRun(world, run, before, wish.output);
    if (world.isTerminal(1) && shown.some(({ compared }) => compared !== null))
      log.info("to compare it with the run before: ccc calibrate --last");
  }
  return ending(world, run, signal);
}

const MOST_JOBS = 16;

const GO_ON = "Go on with: ccc calibrate --resume";

function announcement(
  { plan, reviews, path }: CalibrationRun & { readonly path: string | undefined },
  estimate: string,
) {
  const { reviewers, cases, repeat, folder, left_out } = plan;
  const times = repeat === 1 ? "" : `, each ${repeat} times`;
  const missing = [...Map.groupBy(left_out, ({ needs }) => needs)];
  return [
    `${counted(cases.length, "case")}${times}, reviewed by ${reviewers.join(", ")}`,
    ...(path === undefined
      ? []
      : [
          `going on with the run of ${shownTime(Date.parse(plan.started_at) / 1000)}: ${counted(reviews.length, "review")} made`,
        ]),
    ...missing.map(([program, all]) => `left out: ${counted(all.length, "case")}, because there is no ${program} here`),
    ...(folder === null ? [] : [`the commands in the cases of ${folder} run on this machine, as you`]),
    `${estimate}. The agents of the cases are scripted and cost nothing`,
  ];
}

async function askFirst(world: World): Promise<void> {
  if (!canAsk(world))
    throw usageError("not a terminal: pass --yes to start without a question", "In a terminal, ccc asks first.");
  if (!(await confirm("Start?", world)))
    throw new CccError("nothing was asked of any provider", { exitCode: EXIT.interrupted });
}

function ending(world: World, run: CalibrationRun, signal: EndSignal | undefined): number {
  const log = createLog(world);
  const { length: open } = openReviews(run);
  if (signal !== undefined) {
    log.info(`interrupted after ${counted(run.reviews.length, "review")}, with ${open} to go. ${GO_ON}`);
    return signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
  }
  if (open > 0) log.info(`${counted(open, "review")} to go. When the provider works again: ccc calibrate --resume`);
  if (run.reviews.every(({ verdict }) => verdict === null)) return EXIT.notReviewed;
  return open > 0 ? EXIT.failure : EXIT.ok;
}
