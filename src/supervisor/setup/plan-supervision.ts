import { dirname } from "node:path";
import { beforeDoubleDash, NOT_PERSISTED } from "../../claude/arguments.ts";
import { isOn } from "../../claude/clouds.ts";
import { hookForm } from "../../claude/hook-form.ts";
import type { Layer, Layers } from "../../claude/layers.ts";
import { OPTIONS_WITHOUT_HOOKS, WITHOUT_HOOKS } from "../../claude/stop-hook.ts";
import { isSubcommand } from "../../claude/subcommands.ts";
import { isTested, NEWEST_TESTED, OLDEST_TESTED } from "../../claude/version.ts";
import { SUPERVISOR_DEFAULTS } from "../../config/defaults.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { readReviewerName } from "../../config/reviewer-name.ts";
import { CccError, usageError } from "../../errors.ts";
import { REVIEWER_MARK } from "../../marks.ts";
import { breaksPrograms } from "../../providers/decided.ts";
import type { Env, World } from "../../world.ts";
import { supervisorOptions } from "../supervisor-options.ts";
import { plannedReviewers } from "./planned-reviewers.ts";
import type { Supervision } from "./supervised-settings.ts";

export function planSupervision(
  { config, providers, path }: LoadedConfig,
  { self, platform }: Pick<World, "self" | "platform">,
  engine = config.supervisor?.engine,
  checks: readonly string[] = [],
): Supervision {
  const options = supervisorOptions(config);
  if (options.provider !== undefined && !providers.has(options.provider)) {
    throw new CccError(`supervisor.provider in ${path} is "${options.provider}", which is not a provider there`, {
      advice: "Correct it, or remove it to review with the agent's own provider.",
    });
  }
  const fallback = options.fallback.map(readReviewerName);
  const unknown = fallback.find((each) => !providers.has(each.provider));
  if (unknown !== undefined) {
    throw new CccError(`supervisor.fallback in ${path} names "${unknown.provider}", which is not a provider there`, {
      advice: "Correct it, or remove it from the list.",
    });
  }
  return {
    engine: engine ?? SUPERVISOR_DEFAULTS.engine,
    hookForm: hookForm(undefined, platform),
    canWake: false,
    limitWaitSeconds: options.limitWaitSeconds ?? SUPERVISOR_DEFAULTS.limitWaitSeconds,
    self,
    configDir: dirname(path),
    limit: options.maxIterations,
    timeoutSeconds: options.timeoutSeconds,
    checks: [...checks, ...options.checks],
    checkTimeoutSeconds: options.checkTimeoutSeconds,
    reviewerProvider: options.provider,
    reviewerModel: options.model,
    fallback,
  };
}

/** Refuses a supervised launch in which the hook would not run or could not review. */
export function refuseWithoutHooks(args: readonly string[], env: Env, { settings, managed }: Layers): void {
  const options = beforeDoubleDash(args);
  const bare = options.find((word) => OPTIONS_WITHOUT_HOOKS.includes(word));
  const advice = "Leave it out, or start ccc without --supervisor.";
  if (bare !== undefined)
    throw usageError(`with ${bare} Claude Code runs no hooks, so supervision cannot work`, advice);
  if (options.includes(NOT_PERSISTED)) {
    throw usageError(`with ${NOT_PERSISTED} there is no session to review, so supervision cannot work`, advice);
  }
  if (isSubcommand(args))
    throw usageError(`\`claude ${args[0]}\` is not a session that can be supervised`, "Start it without --supervisor.");
  const variable = WITHOUT_HOOKS.find((name) => env[name]);
  if (variable !== undefined) {
    throw new CccError(`${variable} is set: Claude Code runs no hooks, so supervision cannot work`, { advice });
  }
  const forbidding = managed.find((layer) => layer.forbidsHooks);
  if (forbidding !== undefined) {
    throw new CccError(
      `your organization's policy does not allow your own hooks (${forbidding.path}), so supervision cannot work`,
      { advice: WITHOUT },
    );
  }
  for (const layer of managed) refuseVariable(layer, disarms, "your organization's policy");
  for (const layer of settings) refuseVariable(layer, breaksPrograms, undefined);
}

const WITHOUT = "Use --engine loop, which needs no hooks, or start ccc without --supervisor.";

/** Refuses a variable that breaks the hook and that a launch cannot override. */
function refuseVariable(
  { path, env }: Layer,
  isFatal: (name: string, value: unknown) => boolean,
  whose: string | undefined,
): void {
  const name = Object.keys(env).find((each) => isFatal(each, env[each]));
  if (name === undefined) return;
  const file = whose === undefined ? path : `${whose} (${path})`;
  throw new CccError(`${file} sets ${name}, which would prevent every review`, { advice: WITHOUT });
}

/** Whether a variable turns hooks off, or makes ccc's hook do nothing. */
function disarms(name: string, value: unknown): boolean {
  const switches: readonly string[] = [...WITHOUT_HOOKS, REVIEWER_MARK, "BUN_BE_BUN"];
  return breaksPrograms(name) || (switches.includes(name) && isOn(String(value)));
}

export function banner(provider: string, supervision: Supervision): string {
  const { limit } = supervision;
  const [first, ...others] = plannedReviewers(provider, supervision).map(({ provider: name, model }) =>
    model === undefined ? name : `${name} (${model})`,
  );
  const by = others.length === 0 ? first : `${first}, else by ${others.join(", ")}`;
  return `Supervisor mode enabled: ${provider}, reviewed by ${by}, at most ${limit} ${limit === 1 ? "review" : "reviews"} per prompt`;
}

export function versionWarning(version: string | undefined): string | undefined {
  const tested = `ccc's supervisor is tested on ${OLDEST_TESTED} to ${NEWEST_TESTED}`;
  if (version === undefined) return `could not determine the version of Claude Code; ${tested}`;
  return isTested(version) ? undefined : `this is Claude Code ${version}; ${tested}`;
}
