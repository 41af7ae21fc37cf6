import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { REVIEW_CONTEXTS } from "../../config/defaults.ts";
import { loadConfig } from "../../config/load.ts";
import { cccPaths } from "../../config/paths.ts";
import { CccError, EXIT, messageOf, usageError } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import { findInstructions } from "../../supervisor/review/instructions.ts";
import { createLog, isAgreed } from "../../terminal/dialog.ts";
import { prettyJson } from "../../text/json.ts";
import { colored, outputWidth } from "../../text/table.ts";
import { counted, shownTime } from "../../text/words.ts";
import type { EndSignal, World } from "../../world.ts";
import { JSON_FLAG, requireProvider } from "../arguments.ts";
import { pagePath, writePage } from "../report/command.ts";
import { everyValue } from "../review/command.ts";
import { withReviewedCase } from "./case-session.ts";
import { calibrationPage, calibrationProgress, renderCalibration, renderComparison } from "./output.ts";
import { type CalibrationOptions, estimateRun, planRun, prepareCalibration, wholeNumber } from "./plan.ts";
import { type CalibrationReport, calibrationReport } from "./results.ts";
import { type CalibrationRun, type CaseReview, keepRun, openReviews, readRuns, runCalibration } from "./run.ts";

const DESCRIPTION = `Measure what a reviewer catches and misses, on your own provider: it reviews fixed cases whose truth is known,
like real sessions. Use it to choose a reviewer, and to see whether a change of SUPERVISOR.md helps.

The agents of the cases are scripted and cost nothing; only the reviews go to your provider. ccc says how many
requests and tokens that takes, roughly, and asks before it starts. Nothing of your project is sent but its SUPERVISOR.md.

Exit codes
  0      every review was made, whatever the figures are
  1      failure, or a provider was stopped early
  2      usage error
  4      no verdict at all
  127    claude not found
  130    Ctrl-C: what was reviewed is shown and kept; continue with --resume

Cases, figures, JSON
  explained in ${docsPage("calibrate.md")}`;

export function calibrateCommand(world: World) {
  return defineCommand({
    meta: { name: "calibrate", description: DESCRIPTION },
    args: {
      provider: {
        type: "string",
        valueHint: "NAME",
        description:
          "who reviews, also as NAME:MODEL (default: who reviews in this folder). Repeatable: several are compared",
      },
      model: { type: "string", valueHint: "MODEL", description: "the reviewer's model (default: its provider's)" },
      context: {
        type: "enum",
        options: [...REVIEW_CONTEXTS],
        description: "what the reviewer sees: the session, or a digest of it (default: as in a real session)",
      },
      cases: {
        type: "string",
        valueHint: "CASES",
        description:
          "only those with these names, as in stub,red-tests; or a folder with cases of your own (default: all of ccc's)",
      },
      repeat: { type: "string", valueHint: "N", description: "how often to review each case (default: 1)" },
      jobs: { type: "string", valueHint: "N", description: "how many cases to work on at the same time (default: 2)" },
      html: { type: "string", valueHint: "FILE", description: "also write the results as one self-contained page" },
      json: JSON_FLAG,
      yes: { type: "boolean", default: false, description: "do not ask before the start" },
      last: {
        type: "boolean",
        default: false,
        description: "show the last run and compare it with the one before; makes no requests",
      },
      resume: { type: "boolean", default: false, description: "continue the last run that was not finished" },
      anyway: {
        type: "boolean",
        default: false,
        description: "show the project's SUPERVISOR.md even to a provider that this folder's pin refuses",
      },
    },
    run: ({ args, rawArgs }) => {
      const words = (name: string) => everyValue(rawArgs, name);
      if (args.html === "") throw usageError("--html needs the name of a file");
      if (args.last && args.resume) throw usageError("--last cannot be combined with --resume");
      const option = NEW_RUN.find((name) => args[name] !== undefined);
      if (option !== undefined && (args.last || args.resume))
        throw usageError(`--${option} cannot be combined with ${args.last ? "--last" : "--resume"}, which has its own`);
      const unused = args.last ? UNUSED.find((name) => args[name] !== undefined && args[name] !== false) : undefined;
      if (unused !== undefined) throw usageError(`--${unused} cannot be combined with --last, which makes no requests`);
      // Checked before anything costs, so that a run does not fail at its page in the end.
      const html = args.html === undefined ? undefined : pagePath(world, args.html, "calibration.html");
      const output = { json: args.json, html };
      if (args.last) return showLastRun(world, output);
      const { model, context, repeat, jobs, yes, resume, anyway } = args;
      const chosen = { providers: words("provider"), model, context, cases: words("cases"), repeat };
      return calibrate(world, { ...chosen, jobs, yes, resume, anyway, output });
    },
  });
}

/** Options that a recorded run already has. */
const NEW_RUN = ["provider", "model", "context", "cases", "repeat"] as const;

/** Options of a run that makes requests. */
const UNUSED = ["jobs", "yes", "anyway"] as const;

interface CalibrateArguments extends CalibrationOptions {
  readonly jobs: string | undefined;
  readonly yes: boolean;
  readonly anyway: boolean;
  readonly output: RunOutput;
}

/** Plans a run, or resumes one, asks the user, makes the reviews, and shows the results. */
async function calibrate(world: World, options: CalibrateArguments): Promise<number> {
  const log = createLog(world);
  const jobs = wholeNumber("--jobs", options.jobs, 2, MOST_JOBS);
  const paths = cccPaths(world);
  const loaded = loadConfig(world);
  const { path, text } = findInstructions(world, paths, world.cwd, (message) => log.warn(message)).instructions;
  // No agent wrote these: they are what the user tries out.
  const instructions = { path, text };
  const earlier = readRuns(world.files, paths);
  const claude = findClaude(world);
  const begun = await planRun(world, options, { loaded, paths, claude, instructions, earlier, log });
  const reviewers = await prepareCalibration(world, begun.plan, {
    loaded,
    paths,
    instructions,
    anyway: options.anyway,
  });

  const estimate = estimateRun(begun, earlier, requireProvider(undefined, loaded, world));
  for (const line of announcement(begun, estimate)) log.info(line);
  if (!(await isAgreed("Start?", { yes: options.yes, to: "start without a question" }, world)))
    throw new CccError("not started: no provider was asked", { exitCode: EXIT.interrupted });

  const record = keepRun(world.files, paths, begun, world.pid);
  const reviews: CaseReview[] = [...begun.reviews];
  const stopped = new Map<string, string>();
  const progress = calibrationProgress(world, begun.plan, reviews.length);
  let signal: EndSignal | undefined;
  try {
    signal = await runCalibration(world, {
      jobs,
      open: openReviews(begun),
      withCase: withReviewedCase(begun, { claude, loaded, instructions, reviewers }),
      onStart: progress.start,
      onReview: (review) => {
        reviews.push(review);
        record.review(review);
        progress.review(review);
      },
      onStopped: (reviewer, why) => {
        stopped.set(reviewer, why);
        record.stopped(reviewer, why);
        progress.stopped(reviewer, why);
      },
    });
  } catch (error) {
    throw new CccError(messageOf(error), { advice: `What was reviewed is kept. ${TO_CONTINUE}` });
  } finally {
    progress.stop();
    record.end();
  }
  const run = { plan: begun.plan, reviews, stopped };
  const before = earlier.filter(({ plan }) => plan.started_at < begun.plan.started_at);
  if (reviews.length > 0 || options.output.json) {
    const { reviewers: shown } = showRun(world, run, before, options.output);
    if (world.isTerminal(1) && shown.some(({ compared }) => compared !== null))
      log.info("to compare it with the run before: ccc calibrate --last");
  }
  return ending(world, run, signal);
}

const MOST_JOBS = 16;

const TO_CONTINUE = "To continue: ccc calibrate --resume";

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
          `continuing the run of ${shownTime(Date.parse(plan.started_at) / 1000)}: ${counted(reviews.length, "review")} made`,
        ]),
    ...missing.map(([program, all]) => `left out: ${counted(all.length, "case")}, because there is no ${program} here`),
    ...(folder === null ? [] : [`the commands in the cases of ${folder} run on this machine, as you`]),
    `${estimate}. The agents of the cases are scripted and cost nothing`,
  ];
}

function ending(world: World, run: CalibrationRun, signal: EndSignal | undefined): number {
  const log = createLog(world);
  const { length: open } = openReviews(run);
  if (signal !== undefined) {
    log.info(`interrupted after ${counted(run.reviews.length, "review")}, with ${open} to go. ${TO_CONTINUE}`);
    return signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
  }
  if (open > 0) log.info(`${counted(open, "review")} to go. When the provider works again: ccc calibrate --resume`);
  if (run.reviews.every(({ verdict }) => verdict === null)) return EXIT.notReviewed;
  return open > 0 ? EXIT.failure : EXIT.ok;
}

interface RunOutput {
  readonly json: boolean;
  /** The path of the page to write. */
  readonly html: string | undefined;
}

/** Shows a run; `earlier` are the runs before it, the last one first. */
function showRun(
  world: World,
  run: CalibrationRun,
  earlier: readonly CalibrationRun[],
  output: RunOutput,
): CalibrationReport {
  const report = calibrationReport(run, earlier);
  // Before the page, so that the results are not lost if it cannot be written.
  world.stdout(output.json ? prettyJson(report) : colored(renderCalibration(report, outputWidth(world)), world));
  if (output.html !== undefined) {
    writePage(world, output.html, calibrationPage(report, world.version));
    createLog(world).info(`wrote ${output.html}`);
  }
  return report;
}

/** `--last`: the last run that has a review, and how it compares with the one before. */
function showLastRun(world: World, output: RunOutput): number {
  const runs = readRuns(world.files, cccPaths(world)).filter(({ reviews }) => reviews.length > 0);
  const [last, ...earlier] = runs;
  if (last === undefined) throw new CccError("no run is on record", { advice: "Start one: ccc calibrate" });
  const report = showRun(world, last, earlier, output);
  if (!output.json) world.stdout(colored(`\n${renderComparison(report, outputWidth(world))}`, world));
  if (openReviews(last).length > 0)
    createLog(world).info("this run is not finished. To continue: ccc calibrate --resume");
  return EXIT.ok;
}
