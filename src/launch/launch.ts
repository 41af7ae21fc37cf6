import { supervisorSettings } from "../config/defaults.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Paths } from "../config/paths.ts";
import { EXIT } from "../errors.ts";
import type { checkReferences, withResolvedEnv } from "../providers/keys.ts";
import { isOtherReference } from "../providers/variables.ts";
import type { World } from "../world.ts";
import type { assumedVersion, claudeVersion, proveSettings } from "./ask-claude.ts";
import { type ChosenLaunch, chooseLaunch, decideLaunch, type LateDecision, type LaunchRequest } from "./decide.ts";
import { execute, type LateExecution } from "./execute.ts";
import { needsProof, type Plan } from "./plan.ts";
import type { showPlan } from "./show.ts";

/** What few launches need. It is handed in, and loaded when its first part is used: a plain launch loads none of it. */
export interface LateLaunch extends LateDecision, LateExecution {
  readonly assumedVersion: typeof assumedVersion;
  readonly checkReferences: typeof checkReferences;
  readonly claudeVersion: typeof claudeVersion;
  readonly proveSettings: typeof proveSettings;
  readonly showPlan: typeof showPlan;
  readonly withResolvedEnv: typeof withResolvedEnv;
}

/** Runs Claude Code on a provider, or prints the plan (`--dry-run`). */
export function launch(
  request: LaunchRequest,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
  late: () => LateLaunch,
): number | Promise<number> {
  const chosen = chooseLaunch(request, loaded, paths, world, late);
  const { provider: reviewer = chosen.provider, fallback } = supervisorSettings(loaded.config);
  const names = [chosen.provider, reviewer, ...fallback.map((each) => each.provider)];
  if (request.dryRun || !hasOtherReferences(loaded, names))
    return launchOn(chosen, request, loaded, paths, world, late);
  return late()
    .withResolvedEnv(loaded, names, world)
    .then((resolved) => launchOn(chosen, request, resolved, paths, world, late));
}

function launchOn(
  chosen: ChosenLaunch,
  request: LaunchRequest,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
  late: () => LateLaunch,
): number | Promise<number> {
  const { claude, supervised, plain, planFor } = decideLaunch(chosen, request, loaded, paths, world, late);
  if (request.dryRun) {
    const plan = planFor(supervised && late().assumedVersion(world, claude, paths));
    const { engine, reviewers } = supervised ?? {};
    const decisions = { why: chosen.why, supervised: engine && reviewers ? { engine, reviewers } : null };
    late().showPlan(supervised?.shown(plan) ?? plan, decisions, request, world);
    return EXIT.ok;
  }
  const proven = async (plan: Plan) =>
    needsProof(plan, plain, world, paths) ? late().proveSettings(plan, world, paths) : plan;
  if (supervised === undefined) {
    const plan = planFor(undefined);
    if (plan.references.length === 0 && !needsProof(plan, plain, world, paths))
      return execute(plan, world, paths, late);
    return late()
      .checkReferences(plan.references, world)
      .then(async () => execute(await proven(plan), world, paths, late));
  }
  return late()
    .claudeVersion(world, claude, paths)
    .then(async (version) => {
      const planned = planFor(version);
      const keys = await late().checkReferences(planned.references, world);
      return supervised.start(await proven(planned), version, keys);
    });
}

function hasOtherReferences({ config, providers }: LoadedConfig, names: readonly string[]): boolean {
  for (const settings of [config.settings, ...names.map((name) => providers.get(name))]) {
    for (const name in settings?.env) if (isOtherReference(name, settings.env[name])) return true;
  }
  return false;
}
