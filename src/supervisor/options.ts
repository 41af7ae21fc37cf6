import { SUPERVISOR_DEFAULTS } from "../config/defaults.ts";
import { loadOwn, ownPaths } from "../config/own.ts";
import type { Config } from "../config/schema.ts";
import { messageOf } from "../errors.ts";
import type { World } from "../world.ts";

/** `supervisor` in ccc.json, complete. */
export interface SupervisorOptions {
  readonly maxIterations: number;
  readonly timeoutSeconds: number;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly completionMarker: string;
}

export function supervisorOptions(config: Pick<Config, "supervisor">): SupervisorOptions {
  const given = config.supervisor ?? {};
  return {
    maxIterations: given.max_iterations ?? SUPERVISOR_DEFAULTS.maxIterations,
    timeoutSeconds: given.timeout_seconds ?? SUPERVISOR_DEFAULTS.timeoutSeconds,
    provider: given.provider || undefined,
    model: given.model || undefined,
    completionMarker: given.completion_marker || SUPERVISOR_DEFAULTS.completionMarker,
  };
}

/** The options of this world's ccc.json. One that is missing or broken does not cost the review. */
export function readOptions(world: World, warn: (message: string) => void): SupervisorOptions {
  try {
    if (world.files.read(ownPaths(world).config) === undefined) return supervisorOptions({});
    return supervisorOptions(loadOwn(world).config);
  } catch (error) {
    warn(`${messageOf(error)}\nThe supervisor goes on with its defaults.`);
    return supervisorOptions({});
  }
}
