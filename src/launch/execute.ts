import { RESUME_COMMAND } from "../claude/arguments.ts";
import type { rememberProvider } from "../config/edit.ts";
import { isLaunchSettings, type Paths } from "../config/paths.ts";
import { CccError } from "../errors.ts";
import { EXEC_MARKER } from "../markers.ts";
import type { createLog } from "../terminal/log.ts";
import { prettyJson } from "../text/json.ts";
import type { Env, World } from "../world.ts";
import { nextMarker } from "./decide.ts";
import type { Plan } from "./plan.ts";

/** Carries out a plan. It decides nothing. */
export function execute(plan: Plan, world: World, paths: Paths, late: () => LateExecution): Promise<number> {
  const env = prepare(plan, world, paths, late);
  return world.exec({ file: plan.file, args: plan.args, env });
}

/** What carrying out a plan rarely needs, and what takes time to load. */
export interface LateExecution {
  readonly createLog: typeof createLog;
  readonly rememberProvider: typeof rememberProvider;
}

/** Prepares the launch of claude and returns its environment. */
export function prepare(plan: Plan, world: World, paths: Paths, late: () => LateExecution): Env {
  for (const notice of plan.notices) late().createLog(world).info(notice);
  const stale = plan.files.filter(({ path }) => isLaunchSettings(path) && isStale(path, world));
  for (const { path, content } of plan.files) world.files.writePrivate(path, fileText(content));
  if (stale.length > 0) {
    for (const { path } of stale) world.files.touch(path);
    world.files.removeOld(paths.generated, isLaunchSettings, KEPT_MS);
  }
  if (plan.remember) remember(plan, world, paths, late());
  const shell: Record<string, string | undefined> = { ...world.env };
  for (const name of plan.unset) delete shell[name];
  // Plain claude would resume the session on another server, where its model is unknown.
  return { [RESUME_COMMAND]: "ccc", ...shell, ...plan.set, [EXEC_MARKER]: nextMarker(world) };
}

const DAY_MS = 24 * 3600 * 1000;
/** Settings of a single launch hold keys and are never reused, but a session may use them for a long time. */
const KEPT_MS = 30 * DAY_MS;

/** New, or not used for a day: so most launches neither touch nor clean up files. */
function isStale(path: string, { files, now }: World): boolean {
  return now().getTime() - (files.modified(path) ?? 0) > DAY_MS;
}

/** A launch must not fail if ccc.json is not writable, for example in a read-only home. */
function remember(plan: Plan, world: World, paths: Paths, late: LateExecution): void {
  try {
    late.rememberProvider(world.files, paths.config, plan.provider);
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    late.createLog(world).warn(`"${plan.provider}" is not remembered as the current provider: ${error.message}`);
  }
}

export function fileText(content: Plan["files"][number]["content"]): string {
  return typeof content === "string" ? content : prettyJson(content);
}
