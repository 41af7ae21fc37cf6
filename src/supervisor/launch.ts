import { refuseSettings } from "../claude/accepted-settings.ts";
import { canWake, hookForm } from "../claude/versions.ts";
import type { Engine } from "../config/defaults.ts";
import { rememberProvider } from "../config/edit.ts";
import { settingsLifetime } from "../config/paths.ts";
import { assumedVersion, claudeVersion, proveSettings } from "../launch/ask-claude.ts";
import type { DecidedParts, LaunchSupervision, LaunchToSupervise, SupervisedLaunch } from "../launch/decide.ts";
import { execute, type LateLaunch } from "../launch/launch.ts";
import type { Plan } from "../launch/plan.ts";
import { showPlan } from "../launch/show.ts";
import { resolveKeys, withResolvedEnv } from "../providers/references.ts";
import { createLog } from "../terminal/dialog.ts";
import { launchLoop, loopArguments, loopPlan } from "./loop/engine.ts";
import { runPrint, waitsForEnd } from "./print.ts";
import { bestEffort } from "./project.ts";
import { launchRecords } from "./record/launch.ts";
import { resumedProvider } from "./record/resumed.ts";
import { supervisePlan, withHandOver } from "./setup/plan.ts";
import { plannedHandOver, prepareSupervision, refuseSupervision, refuseWithoutHooks } from "./setup/prepare.ts";
import { pinnedReviewers, plannedReviewers, planSupervision, type Supervision } from "./setup/supervision.ts";

/** What the layer of launches leaves to others: supervision, and what takes time to load. */
export const LATE_LAUNCH: LateLaunch = {
  assumedVersion,
  resolveKeys,
  claudeVersion,
  createLog,
  proveSettings,
  refuseSettings,
  rememberProvider,
  resumedProvider,
  showPlan,
  superviseLaunch,
  withResolvedEnv,
};

/** The supervision of a launch, by either engine. */
function superviseLaunch(launch: LaunchToSupervise): LaunchSupervision {
  const { provider, pins, request, loaded, world } = launch;
  const planned = planSupervision(loaded, world, request.engine, request.checks);
  // A dry run prints the same whenever it is asked the same.
  const configured = request.dryRun ? { ...planned, launch: NO_LAUNCH } : planned;
  const { supervision, notices } = pinnedReviewers(configured, provider, pins);
  return {
    engine: supervision.engine,
    reviewers: plannedReviewers(provider, supervision).map(({ label }) => label),
    notices,
    refuse: (args, layers) => {
      if (supervision.engine === "hook") refuseWithoutHooks(args, world.env, layers);
    },
    apply: (parts) =>
      supervision.engine === "loop" ? loopLaunch(launch, supervision, parts) : hookLaunch(launch, supervision, parts),
  };
}

/** Stands for the id of a launch that does not take place. */
const NO_LAUNCH = "00000000-0000-4000-8000-000000000000";

function hookLaunch(launch: LaunchToSupervise, supervision: Supervision, parts: DecidedParts): SupervisedLaunch {
  const { request, paths, world } = launch;
  return {
    ...common(launch, supervision),
    planFor: (version) => planWith("hook", launch, supervision, parts, version),
    shown: (plan) => plan,
    start: async (plan, version) => {
      await record(launch, supervision, parts, plan, version);
      const how = { isByEditor: request.claude.length > 0, isOnTerminal: world.isTerminal(1) };
      return waitsForEnd(parts.situation.folded.args, how)
        ? untilEnd(launch, supervision, plan, () => runPrint(plan, supervision.launch, world, paths))
        : execute(plan, world, paths, () => LATE_LAUNCH);
    },
  };
}

function loopLaunch(launch: LaunchToSupervise, supervision: Supervision, parts: DecidedParts): SupervisedLaunch {
  const { request, paths, world } = launch;
  const { folded, layers } = parts.situation;
  const handOver = plannedHandOver(!request.noHandover, folded.args, world, layers);
  const args = loopArguments(folded.args);
  return {
    ...common(launch, supervision),
    planFor: (version) => {
      const plan = planWith("loop", launch, supervision, parts, version);
      return handOver.kind === "supervised"
        ? withHandOver(plan, planWith("hook", launch, supervision, parts, version))
        : plan;
    },
    shown: (plan) => loopPlan(plan, args),
    start: async (plan, version, keys) => {
      const recorded = await record(launch, supervision, parts, plan, version);
      const loop = { plan, args, supervision, record: recorded, paths, keys, handOver };
      return untilEnd(launch, supervision, plan, () => launchLoop(world, loop));
    },
  };
}

/** Runs claude and waits for its end. No hook of the launch runs after that, so nobody needs its record and settings. */
async function untilEnd(
  { paths, world }: LaunchToSupervise,
  supervision: Supervision,
  { settings: { agent, handOver } }: Plan,
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await run();
  } finally {
    bestEffort(createLog(world).warn, "remove the record of the launch", () => {
      launchRecords(world.files, paths).end(supervision.launch);
      for (const { path } of [agent, handOver ?? agent])
        if (settingsLifetime(path) === "supervised launch") world.files.remove(path);
    });
  }
}

function common({ provider, paths, world }: LaunchToSupervise, supervision: Supervision) {
  return {
    engine: supervision.engine,
    reviewers: plannedReviewers(provider, supervision).map(({ label }) => label),
    check: () => refuseSupervision(world, paths, supervision),
  };
}

/** The plan for a version of Claude Code. With the engine "hook", Claude Code runs the session by itself. */
function planWith(
  engine: Engine,
  { world }: LaunchToSupervise,
  supervision: Supervision,
  { plain, situation, isTerminal }: DecidedParts,
  version: string | undefined,
): Plan {
  const form = hookForm(version, world.platform);
  const current = { ...supervision, engine, hookForm: form, canWake: canWake(version) };
  return supervisePlan(plain, situation, current, engine === "hook" && isTerminal);
}

/** Writes down what the reviews of the launch rely on. */
function record(
  { provider, paths, world }: LaunchToSupervise,
  supervision: Supervision,
  { claude }: DecidedParts,
  plan: Plan,
  version: string | undefined,
) {
  const fallback = plan.settings.fallback.map(({ path }) => path);
  return prepareSupervision(world, paths, { provider, claude, version, supervision, fallback, isPersistent: false });
}
