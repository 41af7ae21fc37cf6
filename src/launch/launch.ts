import { RESUME_COMMAND } from "../claude/arguments.ts";
import { supervisorSettings } from "../config/defaults.ts";
import type { rememberProvider } from "../config/edit.ts";
import type { LoadedConfig } from "../config/load.ts";
import { type Paths, SUPERVISED_KEPT_MS, settingsLifetime } from "../config/paths.ts";
import { CccError, EXIT } from "../errors.ts";
import { EXEC_MARKER } from "../markers.ts";
import { join } from "../os/path.ts";
import type { resolveKeys, withResolvedEnv } from "../providers/references.ts";
import { isOtherReference } from "../providers/variables.ts";
import type { createLog } from "../terminal/dialog.ts";
import { prettyJson } from "../text/json.ts";
import { optional, type Program, type World } from "../world.ts";
import type { assumedVersion, claudeVersion, proveSettings } from "./ask-claude.ts";
import {
  type ChosenLaunch,
  chooseLaunch,
  decideLaunch,
  type LateDecision,
  type LaunchRequest,
  providersOf,
} from "./decide.ts";
import { nextMarker } from "./find.ts";
import { type Plan, settingsProof } from "./plan.ts";
import type { showPlan } from "./show.ts";

/** What only some launches need. It is handed in and loaded on first use; a plain launch loads none of it. */
export interface LateLaunch extends LateDecision, LateExecution {
  readonly assumedVersion: typeof assumedVersion;
  readonly resolveKeys: typeof resolveKeys;
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
  const settings = supervisorSettings(loaded.config);
  const names = providersOf(chosen.provider, settings);
  if ((request.engine ?? settings.engine) === "loop")
    names.push(...(request.fallback.length > 0 ? request.fallback : (loaded.config.fallback ?? [])));
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
    const { engine, reviewers, confirmer, fallback } = supervised ?? { engine: undefined };
    const decisions = { why: chosen.why, supervised: engine ? { engine, reviewers, confirmer, fallback } : null };
    late().showPlan(supervised?.shown(plan) ?? plan, decisions, request, world);
    return EXIT.ok;
  }
  const proven = async (plan: Plan) =>
    settingsProof(plan, world, paths).isNeeded(plain) ? late().proveSettings(plan, world, paths) : plan;
  if (supervised === undefined) {
    const plan = planFor(undefined);
    if (plan.references.length === 0 && !settingsProof(plan, world, paths).isNeeded(plain))
      return execute(plan, world, paths, late);
    return late()
      .resolveKeys(plan.references, world)
      .then(async () => execute(await proven(plan), world, paths, late));
  }
  return late()
    .claudeVersion(world, claude, paths)
    .then(async (version) => {
      const planned = planFor(version);
      const keys = await late().resolveKeys(planned.references, world);
      return supervised.start(await proven(planned), version, keys);
    });
}

function hasOtherReferences({ config, providers }: LoadedConfig, names: readonly string[]): boolean {
  for (const settings of [config.settings, ...names.map((name) => providers.get(name))]) {
    for (const name in settings?.env) if (isOtherReference(name, settings.env[name])) return true;
  }
  return false;
}

/** Carries out a plan. It decides nothing. */
export function execute(plan: Plan, world: World, paths: Paths, late: () => LateExecution): Promise<number> {
  return world.exec(prepare(plan, world, paths, late));
}

/** What carrying out a plan rarely needs, or what is slow to load. */
interface LateExecution {
  readonly createLog: typeof createLog;
  readonly rememberProvider: typeof rememberProvider;
}

/** Prepares the launch of claude and returns the program to run. */
export function prepare(plan: Plan, world: World, paths: Paths, late: () => LateExecution): Program {
  for (const notice of plan.notices) late().createLog(world).info(notice);
  const stale = plan.files.filter(({ path }) => keptMs(path) !== undefined && isStale(path, world.files));
  const { file, args, isElsewhere } = writeFiles(plan, world, paths);
  if (stale.length > 0 && !isElsewhere) {
    for (const { path } of stale) world.files.touch(path);
    for (const kept of new Set(Object.values(KEPT_MS)))
      world.files.removeOld(paths.generated, (name) => keptMs(name) === kept, kept);
  }
  if (plan.remember) remember(plan, world, paths, late());
  const shell = world.inherited();
  for (const name of plan.unset) delete shell[name];
  // Plain claude would resume the session on another server, where its model is unknown.
  const env = { [RESUME_COMMAND]: "ccc", ...shell, ...plan.set, [EXEC_MARKER]: nextMarker(world) };
  return { file, args, env };
}

/**
 * Writes the files of a plan. If the home is read-only or partly owned by root, it uses a private folder instead, unless
 * there are hooks: they look for their record in the home.
 */
function writeFiles(plan: Plan, world: World, paths: Paths): Plan & { readonly isElsewhere: boolean } {
  try {
    for (const { path, content } of plan.files)
      if (path === paths.checked) optional(() => world.files.writePrivate(path, fileText(content)));
      else world.files.writePrivate(path, fileText(content));
    return { ...plan, isElsewhere: false };
  } catch (error) {
    if (plan.settings.reviewer !== undefined || !(error instanceof CccError)) throw error;
    const runtime = world.env.XDG_RUNTIME_DIR && join(world.env.XDG_RUNTIME_DIR, "ccc");
    const write = (folder: string) => {
      const moved = movedTo(plan, paths.generated, folder);
      for (const { path, content } of moved.files) world.files.writePrivate(path, fileText(content));
      return { ...moved, isElsewhere: true };
    };
    const written =
      optional(() => (runtime ? write(runtime) : undefined)) ?? optional(() => write(world.scratch().path));
    if (written === undefined) throw error;
    return written;
  }
}

function movedTo(plan: Plan, from: string, to: string): Plan {
  const moved = (path: string) => (path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path);
  return {
    ...plan,
    args: plan.args.map(moved),
    files: plan.files.map((file) => ({ ...file, path: moved(file.path) })),
  };
}

const DAY_MS = 24 * 3600 * 1000;
/** Settings of a single launch may hold keys and are never reused, but a session may use them for a long time. */
const KEPT_MS = { launch: 30 * DAY_MS, "supervised launch": SUPERVISED_KEPT_MS };

function keptMs(path: string): number | undefined {
  const lifetime = settingsLifetime(path);
  return lifetime === "launch" || lifetime === "supervised launch" ? KEPT_MS[lifetime] : undefined;
}

/** New, or not used for a day: so most launches neither touch nor clean up files. */
function isStale(path: string, files: World["files"]): boolean {
  return !files.modifiedWithin(path, DAY_MS);
}

/** A launch must not fail if ccc.json is not writable, for example in a read-only home. */
function remember(plan: Plan, world: World, paths: Paths, late: LateExecution): void {
  try {
    late.rememberProvider(world, paths, plan.provider);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    late.createLog(world).warn(`"${plan.provider}" is not remembered as the current provider: ${error.message}`);
  }
}

export function fileText(content: Plan["files"][number]["content"]): string {
  return typeof content === "string" ? content : prettyJson(content);
}
