import { readLayers } from "../claude/layers.ts";
import type { LoadedConfig } from "../config/load.ts";
import { chooseProvider } from "../config/load.ts";
import type { Paths } from "../config/paths.ts";
import { EXIT } from "../errors.ts";
import { refuseDescriptors } from "../launch/descriptors.ts";
import { refuseLoop } from "../launch/exec-depth.ts";
import { execute } from "../launch/execute.ts";
import { findClaude } from "../launch/find.ts";
import { foldSettings } from "../launch/fold.ts";
import { needsProof } from "../launch/loaded-settings.ts";
import { planLaunch } from "../launch/plan.ts";
import { lazy } from "../lazy.ts";
import { NO_WORD, persistentWord } from "../marks.ts";
import { decide } from "../providers/decided.ts";
import { isOtherReference } from "../providers/references.ts";
import type { Env, World } from "../world.ts";
import type { LaunchRequest } from "./route.ts";

/** Runs Claude Code on a provider, or prints the plan (`--dry-run`). */
export function launch(
  request: LaunchRequest,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
): number | Promise<number> {
  const provider = chooseProvider(loaded, request.provider);
  const names = [provider, loaded.config.supervisor?.provider ?? provider];
  if (request.dryRun || !hasOtherReferences(loaded, names)) return launchOn(provider, request, loaded, paths, world);
  return lazy()
    .withResolvedEnv(loaded, names, world)
    .then((resolved) => launchOn(provider, request, resolved, paths, world));
}

function launchOn(
  provider: string,
  request: LaunchRequest,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
): number | Promise<number> {
  const supervision = isSupervised(request, world.env, loaded)
    ? lazy().planSupervision(loaded, world.self, request.engine)
    : undefined;
  const claude = findClaude(world);
  refuseLoop(world, claude);
  const layers = readLayers(world.files, world);
  const folded = foldSettings([...(loaded.config.claude_args ?? []), ...request.args], world.files, world.cwd);
  refuseDescriptors(folded.args);
  if (folded.settings !== undefined) lazy().refuseSettings(folded.settings);
  if (supervision?.engine === "hook") lazy().refuseWithoutHooks(folded.args, world.env, layers);
  const situation = {
    loaded,
    paths,
    provider,
    named: request.provider !== undefined,
    claude,
    self: world.self,
    folded,
    layers,
    decided: decide(layers.settings, world.env, paths.folder),
    word: persistentWord(layers.usersText) ?? NO_WORD,
    writesKey: false,
    env: world.env,
  };
  const plain = planLaunch(situation);
  const plan = supervision === undefined ? plain : lazy().supervisePlan(plain, situation, supervision);
  const loop = supervision?.engine === "loop" ? lazy().loopArguments(folded.args) : undefined;
  if (request.dryRun) {
    world.stdout(lazy().printablePlan(loop === undefined ? plan : lazy().loopPlan(plan, loop)));
    return EXIT.ok;
  }
  const isUnproven = needsProof(plan, plain, world, paths);
  if (supervision === undefined && plan.references.length === 0 && !isUnproven) return execute(plan, world, paths);
  return lazy()
    .checkReferences(plan.references, world)
    .then(async (keys) => {
      const proven = isUnproven ? await lazy().proveSettings(plan, world, paths) : plan;
      if (supervision === undefined) return execute(proven, world, paths);
      const launching = { provider, claude, supervision, isPersistent: false };
      const record = await lazy().prepareSupervision(world, paths, launching);
      return loop === undefined
        ? execute(proven, world, paths)
        : lazy().launchLoop(world, { plan: proven, args: loop, supervision, record, loaded, paths, keys });
    });
}

function hasOtherReferences({ config, providers }: LoadedConfig, names: readonly string[]): boolean {
  for (const settings of [config.settings, ...names.map((name) => providers.get(name))]) {
    for (const name in settings?.env) if (isOtherReference(name, settings.env[name])) return true;
  }
  return false;
}

/** By flag, engine, CCC_SUPERVISOR=1, or supervisor.enabled in ccc.json, which CCC_SUPERVISOR=0 overrides. */
function isSupervised({ supervisor, engine }: LaunchRequest, env: Env, { config }: LoadedConfig): boolean {
  if (supervisor || engine !== undefined || env.CCC_SUPERVISOR === "1") return true;
  return env.CCC_SUPERVISOR !== "0" && config.supervisor?.enabled === true;
}
