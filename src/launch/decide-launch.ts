import type { ClaudeArguments } from "../claude/arguments.ts";
import { readLayers } from "../claude/layers.ts";
import { isSubcommand } from "../claude/subcommands.ts";
import type { ChosenLaunch } from "../cli/choose-launch.ts";
import type { Paths } from "../config/ccc-paths.ts";
import { type Engine, SUPERVISOR_DEFAULTS } from "../config/defaults.ts";
import type { LoadedConfig } from "../config/load.ts";
import { supervisorVariable } from "../config/supervisor-variable.ts";
import { type CccError, usageError } from "../errors.ts";
import { lazy } from "../lazy.ts";
import type { HandOver } from "../supervisor/setup/planned-hand-over.ts";
import type { Supervision } from "../supervisor/setup/supervised-settings.ts";
import type { Env, World } from "../world.ts";
import { refuseDescriptors } from "./descriptors.ts";
import { refuseLoop } from "./exec-depth.ts";
import { claudeProgram } from "./find.ts";
import { type Folded, foldSettings } from "./fold.ts";
import type { LaunchRequest } from "./launch-request.ts";
import { type Plan, planLaunch } from "./plan.ts";
import { launchSituation } from "./situation.ts";
import { statusLinePlan } from "./status-line-plan.ts";
import { isTerminalLaunch, terminalPlan, withCommands } from "./terminal-plan.ts";

/** A launch, decided: nothing is written yet, and nothing has run. */
export interface DecidedLaunch {
  readonly claude: string;
  readonly folded: Folded;
  /** Undefined without supervision. */
  readonly supervision: Supervision | undefined;
  /** Claude's arguments for the loop engine. */
  readonly loop: ClaudeArguments | undefined;
  readonly handOver: HandOver;
  /** The plan with nothing but the provider's and the user's settings. */
  readonly plain: Plan;
  /** The plan for a version of claude, which matters only to supervision. */
  readonly planFor: (version: string | undefined) => Plan;
}

/** Decides a launch, or throws why it cannot start. The launch acts on it, and `ccc doctor` asks whether it would. */
export function decideLaunch(
  { provider, why, notice, pins }: ChosenLaunch,
  request: LaunchRequest,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
): DecidedLaunch {
  const pinned = isSupervised(request, world.env, loaded)
    ? lazy().pinnedReviewers(lazy().planSupervision(loaded, world, request.engine, request.checks), provider, pins)
    : undefined;
  const supervision = pinned?.supervision;
  if (supervision === undefined && request.checks.length > 0) throw uncheckable(world.env);
  if (supervision?.engine !== "loop" && request.noHandover) throw noLoop();
  const { file: claude, before } = claudeProgram(request.claude, world);
  if (supervision !== undefined && before.length > 0) throw unsupervised(claude);
  refuseLoop(world, claude);
  const layers = readLayers(world.files, world);
  const folded = foldSettings([...(loaded.config.claude_args ?? []), ...request.args], world.files, world.cwd);
  refuseDescriptors(folded.args);
  if (folded.settings !== undefined) lazy().refuseSettings(folded.settings);
  if (supervision?.engine === "hook") lazy().refuseWithoutHooks(folded.args, world.env, layers);
  const named = request.provider !== undefined && !request.isLinked;
  const situation = launchSituation(world, { loaded, paths, provider, named, claude, folded, layers });
  const plain = planLaunch(situation);
  // An editor talks to claude itself.
  const isTerminal = request.claude.length === 0 && isTerminalLaunch(folded.args);
  // On a terminal, plain ccc says which provider it uses.
  const told = () => {
    if (notice !== undefined) return [notice];
    const isPlain = request.provider === undefined && isTerminal && !request.dryRun && world.isTerminal(2);
    return isPlain ? [`using ${provider} (${why})`] : [];
  };
  const complete = (plan: Plan): Plan => ({
    ...plan,
    args: [...before, ...plan.args],
    notices: [...told(), ...(pinned?.notices ?? []), ...plan.notices],
  });
  const handOver =
    supervision?.engine === "loop"
      ? lazy().plannedHandOver(!request.noHandover, folded.args, world, layers)
      : NO_HAND_OVER;
  const planFor = (version: string | undefined) => {
    if (supervision === undefined) {
      return complete(isTerminal ? terminalPlan(statusLinePlan(plain, situation, false), situation) : plain);
    }
    const hookForm = lazy().hookForm(version, world.platform);
    const canWake = lazy().canWake(version);
    const planned = (engine: Engine) =>
      lazy().supervisePlan(plain, situation, { ...supervision, engine, hookForm, canWake });
    const inTerminal = (plan: Plan) => withCommands(statusLinePlan(plan, situation, true), situation);
    const inClaude = () => (isTerminal ? inTerminal(planned("hook")) : planned("hook"));
    if (supervision.engine === "hook") return complete(inClaude());
    return complete(
      handOver.kind === "supervised" ? lazy().withHandOver(planned("loop"), inClaude()) : planned("loop"),
    );
  };
  const loop = supervision?.engine === "loop" ? lazy().loopArguments(folded.args) : undefined;
  return { claude, folded, supervision, loop, handOver, plain, planFor };
}

const NO_HAND_OVER = { kind: "none" } as const;

function noLoop(): CccError {
  return usageError(
    "--no-handover is for the loop engine: only that hands a session over to you",
    "Add --engine loop, or leave it out.",
  );
}

function uncheckable(env: Env): CccError {
  const why =
    supervisorVariable(env) === false ? `; CCC_SUPERVISOR=${env.CCC_SUPERVISOR} switches supervision off` : "";
  return usageError(`--check needs supervision: checks run before a review${why}`, "Add --supervisor.");
}

/** Reviews need one program that they can start again. */
function unsupervised(node: string): CccError {
  return usageError(
    `the editor runs an old Claude Code with ${node}, which cannot be supervised`,
    "Update the editor's Claude Code extension, or switch supervision off: CCC_SUPERVISOR=0.",
  );
}

/**
 * By option, engine, CCC_SUPERVISOR, or supervisor.enabled in ccc.json: the first that says anything decides. What is set for
 * all launches does not apply to claude's subcommands.
 */
function isSupervised({ supervisor, engine, args }: LaunchRequest, env: Env, { config }: LoadedConfig): boolean {
  const variable = supervisorVariable(env);
  if (supervisor !== undefined) return supervisor;
  const isAlways = variable ?? config.supervisor?.enabled ?? SUPERVISOR_DEFAULTS.enabled;
  return engine !== undefined || (isAlways && !isSubcommand(args));
}
