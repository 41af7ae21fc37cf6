import { readReviewerName } from "../config/defaults.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Paths } from "../config/paths.ts";
import { EXIT } from "../errors.ts";
import { type ChosenLaunch, chooseLaunch, decideLaunch, type LaunchRequest } from "../launch/decide.ts";
import { execute } from "../launch/execute.ts";
import type { Plan } from "../launch/plan.ts";
import { needsProof } from "../launch/plan.ts";
import { lazy } from "../lazy.ts";
import { isOtherReference } from "../providers/identity.ts";
import type { World } from "../world.ts";

/** Runs Claude Code on a provider, or prints the plan (`--dry-run`). */
export function launch(
  request: LaunchRequest,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
): number | Promise<number> {
  const chosen = chooseLaunch(request, loaded, paths, world);
  const { provider: reviewer = chosen.provider, fallback = [] } = loaded.config.supervisor ?? {};
  const names = [chosen.provider, reviewer, ...fallback.map((name) => readReviewerName(name).provider)];
  if (request.dryRun || !hasOtherReferences(loaded, names)) return launchOn(chosen, request, loaded, paths, world);
  return lazy()
    .withResolvedEnv(loaded, names, world)
    .then((resolved) => launchOn(chosen, request, resolved, paths, world));
}

function launchOn(
  chosen: ChosenLaunch,
  request: LaunchRequest,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
): number | Promise<number> {
  const { provider, why } = chosen;
  const decided = decideLaunch(chosen, request, loaded, paths, world);
  const { claude, folded, supervision, loop, handOver, plain, planFor } = decided;
  if (request.dryRun) {
    const plan = planFor(supervision && lazy().assumedVersion(world, claude, paths));
    const reviewers = supervision && lazy().plannedReviewers(provider, supervision);
    const shown = lazy().printablePlan(loop === undefined ? plan : lazy().loopPlan(plan, loop), {
      why,
      supervised:
        supervision && reviewers
          ? { engine: supervision.engine, reviewers: reviewers.map(({ label }) => label) }
          : null,
    });
    world.stdout(request.json ? lazy().prettyJson(shown) : lazy().describePlan(shown, lazy().outputWidth(world)));
    return EXIT.ok;
  }
  const proven = async (plan: Plan) =>
    needsProof(plan, plain, world, paths) ? lazy().proveSettings(plan, world, paths) : plan;
  if (supervision === undefined) {
    const plan = planFor(undefined);
    if (plan.references.length === 0 && !needsProof(plan, plain, world, paths)) return execute(plan, world, paths);
    return lazy()
      .checkReferences(plan.references, world)
      .then(async () => execute(await proven(plan), world, paths));
  }
  return lazy()
    .claudeVersion(world, claude, paths)
    .then(async (version) => {
      const planned = planFor(version);
      const keys = await lazy().checkReferences(planned.references, world);
      const plan = await proven(planned);
      const fallback = plan.settings.fallback.map(({ path }) => path);
      const launching = { provider, claude, version, supervision, fallback, isPersistent: false };
      const record = await lazy().prepareSupervision(world, paths, launching);
      if (loop !== undefined)
        return lazy().launchLoop(world, { plan, args: loop, supervision, record, loaded, paths, keys, handOver });
      const how = { isByEditor: request.claude.length > 0, isOnTerminal: world.isTerminal(1) };
      return lazy().waitsForEnd(folded.args, how) ? lazy().runPrint(plan, world, paths) : execute(plan, world, paths);
    });
}

function hasOtherReferences({ config, providers }: LoadedConfig, names: readonly string[]): boolean {
  for (const settings of [config.settings, ...names.map((name) => providers.get(name))]) {
    for (const name in settings?.env) if (isOtherReference(name, settings.env[name])) return true;
  }
  return false;
}
