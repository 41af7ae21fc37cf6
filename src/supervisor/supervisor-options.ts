import { cccPaths } from "../config/ccc-paths.ts";
import { type ReviewContext, SUPERVISOR_DEFAULTS, type When } from "../config/defaults.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Config } from "../config/schema.ts";
import { messageOf } from "../errors.ts";
import type { World } from "../world.ts";

/** `supervisor` in ccc.json, with defaults filled in. */
export interface SupervisorOptions {
  readonly maxIterations: number;
  readonly timeoutSeconds: number;
  readonly when: When;
  readonly provider: string | undefined;
  readonly model: string | undefined;
  readonly context: ReviewContext;
  readonly checks: readonly string[];
  readonly checkTimeoutSeconds: number;
  /** Further reviewers: "provider" or "provider:model". */
  readonly fallback: readonly string[];
  /** 0: no limit. */
  readonly budgetTokens: number;
  /** 0: never. */
  readonly stalemate: number;
  /** 0: none. */
  readonly agentTimeoutSeconds: number;
  /** Undefined if the user has not set it: the default depends on the terminal. */
  readonly limitWaitSeconds: number | undefined;
  readonly completionMarker: string;
  /** By the terminal, not at all, or by a command. */
  readonly notify: boolean | string;
}

export function supervisorOptions(config: Pick<Config, "supervisor">): SupervisorOptions {
  const given = config.supervisor ?? {};
  return {
    maxIterations: given.max_iterations ?? SUPERVISOR_DEFAULTS.maxIterations,
    timeoutSeconds: given.timeout_seconds ?? SUPERVISOR_DEFAULTS.timeoutSeconds,
    when: given.when ?? SUPERVISOR_DEFAULTS.when,
    provider: given.provider || undefined,
    model: given.model || undefined,
    context: given.context ?? SUPERVISOR_DEFAULTS.context,
    checks: given.checks ?? [],
    checkTimeoutSeconds: given.check_timeout_seconds ?? SUPERVISOR_DEFAULTS.checkTimeoutSeconds,
    fallback: given.fallback ?? [],
    budgetTokens: given.budget_tokens ?? SUPERVISOR_DEFAULTS.budgetTokens,
    stalemate: given.stalemate ?? SUPERVISOR_DEFAULTS.stalemate,
    agentTimeoutSeconds: given.agent_timeout_seconds ?? SUPERVISOR_DEFAULTS.agentTimeoutSeconds,
    limitWaitSeconds: given.limit_wait_seconds,
    completionMarker: given.completion_marker || SUPERVISOR_DEFAULTS.completionMarker,
    notify: given.notify ?? SUPERVISOR_DEFAULTS.notify,
  };
}

/** The options in ccc.json, or the defaults if it is missing or broken: the review still takes place. */
export function readOptions(world: World, warn: (message: string) => void): SupervisorOptions {
  try {
    if (world.files.read(cccPaths(world).config) === undefined) return supervisorOptions({});
    return supervisorOptions(loadConfig(world).config);
  } catch (error) {
    warn(`${messageOf(error)}\nThe supervisor uses its defaults.`);
    return supervisorOptions({});
  }
}
