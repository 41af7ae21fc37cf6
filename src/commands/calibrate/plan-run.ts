import type { ConsolaInstance } from "consola/core";
import type { Paths } from "../../config/ccc-paths.ts";
import type { ReviewContext } from "../../config/defaults.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { reviewerLabel } from "../../config/reviewer-name.ts";
import { CccError, usageError } from "../../errors.ts";
import { claudeVersion } from "../../launch/claude-version.ts";
import { providerHere, requireProvider } from "../../providers/require-provider.ts";
import type { Instructions } from "../../supervisor/review/instructions.ts";
import type { World } from "../../world.ts";
import { instructionsHash, newPlan, plannedNames, wholeNumber } from "./calibration-plan.ts";
import type { CalibrationCase } from "./cases/calibration-case.ts";
import { chooseCases } from "./cases/choose-cases.ts";
import { withoutMissingPrograms } from "./cases/missing-programs.ts";
import { ownCases } from "./cases/own-cases.ts";
import type { KeptRun } from "./results/calibration-files.ts";
import { type CalibrationRun, openReviews } from "./results/calibration-run.ts";

/** What the user wants to be calibrated. */
export interface CalibrationWish {
  readonly providers: readonly string[];
  readonly model: string | undefined;
  readonly context: ReviewContext | undefined;
  readonly cases: readonly string[];
  readonly repeat: string | undefined;
  readonly resume: boolean;
}

/** A run that is about to go on. */
export interface BegunRun extends CalibrationRun {
  /** Undefined if it is a new one. */
  readonly path: string | undefined;
  readonly cases: readonly CalibrationCase[];
}

interface RunPlace {
  readonly loaded: LoadedConfig;
  readonly paths: Paths;
  readonly claude: string;
  readonly instructions: Instructions;
  readonly earlier: readonly KeptRun[];
  readonly log: ConsolaInstance;
}

export async function planRun(world: World, wish: CalibrationWish, place: RunPlace): Promise<BegunRun> {
  const version = (await claudeVersion(world, place.claude, place.paths)) ?? null;
  if (wish.resume) return resumedRun(world, place, version);
  const { loaded, instructions } = place;
  const repeat = wholeNumber("--repeat", wish.repeat, 1, MOST_REPEATS);
  const { provider, model, context } = loaded.config.supervisor ?? {};
  const usual = { provider: provider ?? providerHere(undefined, loaded, world), model };
  const reviewers = plannedNames(wish.providers, wish.model, usual);
  for (const each of reviewers) requireProvider(each.provider, loaded);
  const { cases, folder } = chooseCases(wish.cases, ownCases(), world);
  const { runnable, leftOut } = withoutMissingPrograms(cases, world);
  if (runnable.length === 0) {
    const programs = [...new Set(leftOut.map(({ needs }) => needs))].join(", ");
    throw new CccError(`no case can run here: there is no ${programs}`, { advice: "Install it, or name other cases." });
  }
  const plan = newPlan({
    ...{ at: world.now(), cccVersion: world.version, claudeVersion: version, reviewers: reviewers.map(reviewerLabel) },
    ...{ context: wish.context ?? context ?? "auto", instructions, folder, cases: runnable, leftOut, repeat },
  });
  return { plan, reviews: [], stopped: new Map(), path: undefined, cases: runnable };
}

const MOST_REPEATS = 20;

/** The last run that was not finished, if its instructions and cases are still the same. */
function resumedRun(world: World, { earlier, instructions, log }: RunPlace, version: string | null): BegunRun {
  const run = earlier.find((each) => openReviews(each).length > 0);
  if (run === undefined) throw usageError("there is no unfinished run to resume", "Start one: ccc calibrate");
  const { plan, process } = run;
  if (process !== null && process !== world.pid && world.isAlive(process))
    throw usageError(
      `that run is still in progress (process ${process})`,
      "Wait until it finishes, or stop it with Ctrl-C.",
    );
  if (instructionsHash(instructions) !== plan.instructions.hash) {
    throw usageError(
      "the reviewer's instructions are not those of the unfinished run",
      `They came from ${plan.instructions.path ?? "ccc itself"}. Go on with the same ones, or start a new run: ccc calibrate`,
    );
  }
  const { cases } = chooseCases(plan.folder === null ? [] : [plan.folder], ownCases(), world);
  const known = newPlan({
    ...{ at: world.now(), cccVersion: world.version, claudeVersion: version, reviewers: plan.reviewers },
    ...{ context: plan.context, instructions, folder: plan.folder, cases, leftOut: [], repeat: plan.repeat },
  }).cases;
  const changed = plan.cases.find(({ id, hash }) => !known.some((each) => each.id === id && each.hash === hash));
  if (changed !== undefined)
    throw usageError(`the case ${changed.id} has changed since that run was started`, "Start a new run: ccc calibrate");
  if (version !== plan.claude_version)
    log.warn(`the run was started with Claude Code ${plan.claude_version}, and goes on with ${version}`);
  return { ...run, cases: cases.filter(({ id }) => plan.cases.some((each) => each.id === id)) };
}
