import { resumedSession } from "../claude/arguments.ts";
import { readLayers } from "../claude/layers.ts";
import { CLAUDE_SUBCOMMANDS } from "../claude/subcommands.ts";
import type { Paths } from "../config/ccc-paths.ts";
import type { LoadedConfig } from "../config/load.ts";
import { chooseProvider } from "../config/load.ts";
import { type CccError, EXIT, usageError } from "../errors.ts";
import { refuseDescriptors } from "../launch/descriptors.ts";
import { refuseLoop } from "../launch/exec-depth.ts";
import { execute } from "../launch/execute.ts";
import { claudeProgram } from "../launch/find.ts";
import { foldSettings } from "../launch/fold.ts";
import { needsProof } from "../launch/loaded-settings.ts";
import { type Plan, planLaunch } from "../launch/plan.ts";
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
  const args = [...(loaded.config.claude_args ?? []), ...request.args];
  const resumed = request.provider === undefined && loaded.providers.size > 1 ? resumedSession(args) : undefined;
  const chosen: Chosen =
    resumed === undefined || CLAUDE_SUBCOMMANDS.has(request.args[0] ?? "")
      ? { provider: chooseProvider(loaded, request.provider), notice: undefined }
      : lazy().resumedProvider(resumed, loaded, paths, world);
  const names = [chosen.provider, loaded.config.supervisor?.provider ?? chosen.provider];
  if (request.dryRun || !hasOtherReferences(loaded, names)) return launchOn(chosen, request, loaded, paths, world);
  return lazy()
    .withResolvedEnv(loaded, names, world)
    .then((resolved) => launchOn(chosen, request, resolved, paths, world));
}

interface Chosen {
  readonly provider: string;
  /** Why it was chosen, if the user should know. */
  readonly notice: string | undefined;
}

function launchOn(
  { provider, notice }: Chosen,
  request: LaunchRequest,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
): number | Promise<number> {
  const supervision = isSupervised(request, world.env, loaded)
    ? lazy().planSupervision(loaded, world, request.engine, request.checks)
    : undefined;
  if (supervision === undefined && request.checks.length > 0) throw uncheckable(world.env);
  const { file: claude, before } = claudeProgram(request.claude, world);
  if (supervision !== undefined && before.length > 0) throw unsupervised(claude);
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
    named: request.provider !== undefined && !request.isLinked,
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
  const complete = (plan: Plan): Plan => ({
    ...plan,
    args: [...before, ...plan.args],
    notices: notice === undefined ? plan.notices : [notice, ...plan.notices],
  });
  const planFor = (version: string | undefined) => {
    if (supervision === undefined) return complete(plain);
    const hookForm = lazy().hookForm(version, world.platform);
    return complete(lazy().supervisePlan(plain, situation, { ...supervision, hookForm }));
  };
  const loop = supervision?.engine === "loop" ? lazy().loopArguments(folded.args) : undefined;
  if (request.dryRun) {
    const plan = planFor(supervision && lazy().assumedVersion(world, claude, paths));
    world.stdout(lazy().printablePlan(loop === undefined ? plan : lazy().loopPlan(plan, loop)));
    return EXIT.ok;
  }
  const proven = async (plan: Plan) =>
    needsProof(plan, plain, world, paths) ? lazy().proveSettings(plan, world, paths) : plan;
  if (supervision === undefined) {
    const plan = complete(plain);
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
      const launching = { provider, claude, version, supervision, isPersistent: false };
      const record = await lazy().prepareSupervision(world, paths, launching);
      return loop === undefined
        ? execute(plan, world, paths)
        : lazy().launchLoop(world, { plan, args: loop, supervision, record, loaded, paths, keys });
    });
}

function uncheckable({ CCC_SUPERVISOR: off }: Env): CccError {
  const why = off === "0" ? "; CCC_SUPERVISOR=0 switches supervision off" : "";
  return usageError(`--check needs supervision: checks run before a review${why}`, "Add --supervisor.");
}

/** Reviews need one program that they can start again. */
function unsupervised(node: string): CccError {
  return usageError(
    `the editor runs an old Claude Code with ${node}, which cannot be supervised`,
    "Update the editor's Claude Code extension, or switch supervision off: CCC_SUPERVISOR=0.",
  );
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
