import { requestedModel } from "../../claude/model.ts";
import type { Paths } from "../../config/ccc-paths.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { readReviewerName } from "../../config/reviewer-name.ts";
import { usageError } from "../../errors.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { launchPins, otherProviderProblem } from "../../launch/launch-pins.ts";
import { providerHere, requireProvider } from "../../providers/require-provider.ts";
import { knownSecrets } from "../../supervisor/known-secrets.ts";
import { checkSource, type Instructions } from "../../supervisor/review/instructions.ts";
import { planSupervision } from "../../supervisor/setup/plan-supervision.ts";
import { asObject, type Json } from "../../text/json.ts";
import { createRedactor, type Redactor } from "../../text/redactor.ts";
import type { World } from "../../world.ts";
import { type PreparedReviewers, prepareReviewers } from "../review/prepare-reviewers.ts";
import type { CalibrationPlan } from "./results/calibration-run.ts";

/** One that is ready to be asked. */
export interface CalibrationReviewer {
  readonly reviewers: PreparedReviewers;
  readonly redactor: Redactor;
  readonly usesLogin: boolean;
  /** Null if its provider leaves it to Claude Code. */
  readonly model: string | null;
}

/** Prepares the reviewers of a run as a launch in this folder would, by their names. Nobody stands in for them. */
export async function prepareCalibration(
  world: World,
  plan: CalibrationPlan,
  place: {
    readonly loaded: LoadedConfig;
    readonly paths: Paths;
    readonly instructions: Instructions;
    readonly anyway: boolean;
  },
): Promise<ReadonlyMap<string, CalibrationReviewer>> {
  const { loaded, paths, instructions } = place;
  const supervision = planSupervision(loaded, world);
  const agent = providerHere(undefined, loaded, world);
  const ready = new Map<string, CalibrationReviewer>();
  for (const name of plan.reviewers) {
    const { provider, model } = readReviewerName(name);
    requireProvider(provider, loaded);
    if (checkSource(instructions, paths.folder).isProjects && !place.anyway) refusePinned(world, provider, loaded);
    const { usesLogin } = currentLaunch(world, loaded, provider);
    if (usesLogin && plan.context === "session") throw loginProblem(provider);
    const chosen = { ...supervision, reviewerProvider: provider, reviewerModel: model, fallback: [] };
    // With a login there is no conversation to share.
    const reviewers = await prepareReviewers(
      world,
      { agent: usesLogin ? "" : agent, supervision: chosen },
      loaded,
      paths,
    );
    const redactor = createRedactor([...knownSecrets(world, reviewers.contents), ...reviewers.keys]);
    ready.set(name, { reviewers, redactor, usesLogin, model: modelIn(reviewers.contents[0]) });
  }
  return ready;
}

function modelIn(settings: Json | undefined): string | null {
  const env = Object.entries(asObject(settings?.env)).map(([name, value]) => [name, String(value)]);
  return requestedModel(Object.fromEntries(env)) ?? null;
}

/** The instructions are a file of the folder. */
function refusePinned(world: World, provider: string, loaded: LoadedConfig): void {
  const pins = launchPins(loaded.config.claude_args ?? [], loaded, world);
  const problem = otherProviderProblem(provider, pins, `ccc calibrate --anyway --provider ${provider}`);
  if (problem !== undefined) throw problem;
}

/** The conversation of a case is in a folder of its own, in which there is no login. */
function loginProblem(provider: string) {
  return usageError(
    `${provider} uses your Claude login, which works only with --context fresh`,
    `ccc calibrate --context fresh --provider ${provider}`,
  );
}
