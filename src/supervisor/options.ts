import { SUPERVISOR_DEFAULTS } from "../config/defaults.ts";
import type { Config } from "../config/schema.ts";

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
