import type { refuseSettings } from "../claude/accepted-settings.ts";
import { claudeStart, type ResumedSession } from "../claude/arguments.ts";
import { type Layers, readLayers } from "../claude/layers.ts";
import { isTerminalSession, TOOL_MARKER } from "../claude/sessions.ts";
import {
  ENGINES,
  type Engine,
  SUPERVISOR_DEFAULTS,
  type SupervisorSettings,
  supervisorVariable,
} from "../config/defaults.ts";
import { chooseProvider, type LoadedConfig } from "../config/load.ts";
import type { Paths } from "../config/paths.ts";
import { type LaunchPins, launchPins, otherProviderProblem } from "../config/pins.ts";
import { type CccError, usageError } from "../errors.ts";
import { EXEC_MARKER } from "../markers.ts";
import type { Env, World } from "../world.ts";
import { claudeProgram, refuseLoop } from "./find.ts";
import { type LaunchSituation, launchSituation, type Plan, planLaunch } from "./plan.ts";
import { terminalPlan } from "./session-plan.ts";

export interface LaunchRequest {
  /** Undefined if no provider was named. */
  readonly provider: string | undefined;
  /** Whether the name of a link to ccc names it: then current_provider does not change. */
  readonly isLinked: boolean;
  /** The Claude Code that an editor passes: its path, or those of Node and its script. Empty: find one. */
  readonly claude: readonly string[];
  /** Undefined if neither --supervisor nor --no-supervisor was given. */
  readonly supervisor: boolean | undefined;
  readonly engine: Engine | undefined;
  /** Commands that must pass before a review. */
  readonly checks: readonly string[];
  /** Providers on which the loop engine may continue the session, instead of those in ccc.json. */
  readonly fallback: readonly string[];
  /** Whether the loop engine ends with an exit code even on a terminal. */
  readonly noHandover: boolean;
  /** Whether to use a provider that a folder's pin refuses. */
  readonly anyway: boolean;
  readonly dryRun: boolean;
  /** Whether the dry run prints JSON. */
  readonly json: boolean;
  /** Claude's arguments, unchanged. */
  readonly args: readonly string[];
}

/** The options of a launch. They come before the provider. */
export const LAUNCH_OPTIONS = [
  { name: "--supervisor", description: "review every stop", values: undefined },
  { name: "--no-supervisor", description: "review nothing in this launch", values: undefined },
  { name: "--engine", description: "how stops are reviewed", values: ENGINES },
  { name: "--check", description: "a command that must pass before a review", values: [] },
  { name: "--fallback", description: "loop engine: a provider to continue on", values: [] },
  { name: "--no-handover", description: "loop engine: end with an exit code", values: undefined },
  { name: "--anyway", description: "use a provider that the folder's pin refuses", values: undefined },
  { name: "--dry-run", description: "print what would be run", values: undefined },
  { name: "--json", description: "with --dry-run: all of it, as JSON", values: undefined },
] as const;

/** `ccc` alone. */
export const PLAIN_LAUNCH: LaunchRequest = {
  provider: undefined,
  isLinked: false,
  claude: [],
  supervisor: undefined,
  engine: undefined,
  checks: [],
  fallback: [],
  noHandover: false,
  anyway: false,
  dryRun: false,
  json: false,
  args: [],
};

/** What only some decisions need: code of higher layers, or code that is slow to load. It is handed in and loaded on first use. */
export interface LateDecision {
  readonly refuseSettings: typeof refuseSettings;
  /** The provider of a session that is resumed, and the notice about it. */
  readonly resumedProvider: (
    resumed: ResumedSession,
    loaded: LoadedConfig,
    paths: Paths,
    world: World,
  ) => { readonly provider: string; readonly notice: string };
  /** Whether a session that is resumed was supervised when it last ran. */
  readonly wasSupervised: (resumed: ResumedSession, paths: Paths, world: World) => boolean;
  readonly superviseLaunch: (launch: LaunchToSupervise) => LaunchSupervision;
}

export interface LaunchToSupervise {
  readonly provider: string;
  readonly pins: LaunchPins;
  readonly request: LaunchRequest;
  readonly loaded: LoadedConfig;
  readonly paths: Paths;
  readonly world: World;
  /** A session that is supervised because it was before: it keeps the checks and instructions of its launch. */
  readonly kept: ResumedSession | undefined;
}

/** The supervision of a launch, as the supervisor hands it in. */
export interface LaunchSupervision {
  readonly engine: Engine;
  /** In the order in which they are asked. */
  readonly reviewers: readonly string[];
  /** Who confirms that the work is done; null if no particular reviewer does. */
  readonly confirmer: string | null;
  readonly notices: readonly string[];
  /** Throws if the hooks would not run with these arguments and settings. */
  readonly refuse: (args: readonly string[], layers: Layers) => void;
  readonly apply: (launch: DecidedParts) => SupervisedLaunch;
}

/** The launch that supervision is added to. */
export interface DecidedParts {
  readonly claude: string;
  readonly plain: Plan;
  readonly situation: LaunchSituation;
  /** Whether the user sees Claude Code's own screen. */
  readonly isTerminal: boolean;
}

/** What is decided for a supervised launch. */
export interface SupervisedLaunch extends Pick<LaunchSupervision, "engine" | "reviewers" | "confirmer"> {
  /** The providers on which the loop engine continues if the agent's fails. */
  readonly fallback: readonly string[];
  /** The plan for a version of claude. */
  readonly planFor: (version: string | undefined) => Plan;
  /** The plan as a dry run shows it. */
  readonly shown: (plan: Plan) => Plan;
  /** Throws if the launch could not start. */
  readonly check: () => void;
  /** Starts claude, with the keys that references were resolved to. Returns the exit code. */
  readonly start: (plan: Plan, version: string | undefined, keys: readonly string[]) => Promise<number>;
}

/** The provider of a launch. */
export interface ChosenLaunch {
  readonly provider: string;
  /** In a few words. */
  readonly why: string;
  /** Why it was chosen, if the user should know. */
  readonly notice: string | undefined;
  readonly pins: LaunchPins;
}

/** The providers whose settings a launch on a provider needs, if it is supervised: its own, and those of all reviewers. */
export function providersOf(provider: string, settings: Pick<SupervisorSettings, "provider" | "fallback" | "confirm">) {
  const { provider: reviewer = provider, fallback, confirm } = settings;
  const others = [...fallback, ...(typeof confirm === "object" ? [confirm] : [])];
  return [provider, reviewer, ...others.map((each) => each.provider)];
}

/** The provider that the user named, else the folder's, else that of the resumed session, else the usual one. */
export function chooseLaunch(
  request: LaunchRequest,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
  late: () => LateDecision,
): ChosenLaunch {
  const args = claudeArguments(request, loaded);
  const pins = loaded.config.folders ? launchPins(args, loaded, world) : NO_PINS;
  const chosen =
    request.provider === undefined ? unnamed(request, args, pins, loaded, paths, world, late) : named(request.provider);
  if (request.anyway) return { ...chosen, pins: { ...pins, strict: [] } };
  const problem = pins.strict.length > 0 ? otherProviderProblem(chosen.provider, pins) : undefined;
  if (problem !== undefined) throw problem;
  return { ...chosen, pins };
}

const NO_PINS: LaunchPins = { here: undefined, strict: [] };

const WORDS = {
  pinned: "pinned here",
  default: "default",
  "last used": "last used",
  first: "first in ccc.json",
} as const;

type Chosen = Omit<ChosenLaunch, "pins">;

function named(provider: string): Chosen {
  return { provider, why: "named", notice: undefined };
}

function unnamed(
  request: LaunchRequest,
  args: readonly string[],
  { here }: LaunchPins,
  loaded: LoadedConfig,
  paths: Paths,
  world: World,
  late: () => LateDecision,
): Chosen {
  if (here === undefined && loaded.providers.size > 1 && !claudeStart(request.args).isNamed) {
    const resumed = resumedSession(request, args, loaded, world);
    if (resumed !== undefined) {
      return { why: "for this session", ...late().resumedProvider(resumed, loaded, paths, world) };
    }
  }
  const { provider, why } = chooseProvider(loaded, here);
  return { provider, why: WORDS[why], notice: here && `using ${provider}, which ${here.folder} is pinned to` };
}

/** What is decided for a launch, before anything is written or run. */
export interface DecidedLaunch {
  readonly claude: string;
  /** Undefined without supervision. */
  readonly supervised: SupervisedLaunch | undefined;
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
  late: () => LateDecision,
): DecidedLaunch {
  const hasSession = startsSession(request.args);
  const asked = askedSupervision(request, world.env);
  const continued = hasSession && asked === undefined;
  const resumed = continued ? resumedSession(request, claudeArguments(request, loaded), loaded, world) : undefined;
  const kept = resumed !== undefined && late().wasSupervised(resumed, paths, world) ? resumed : undefined;
  const isWanted = asked ?? (kept !== undefined || (loaded.config.supervisor?.enabled ?? SUPERVISOR_DEFAULTS.enabled));
  const supervision =
    isWanted && hasSession
      ? late().superviseLaunch({ provider, pins, request, loaded, paths, world, kept })
      : undefined;
  if (hasSession && supervision?.engine !== "loop") {
    if (request.noHandover) throw noLoop("--no-handover", "hands a session over to you");
    if (request.fallback.length > 0) throw noLoop("--fallback", "can continue a session on another provider");
  }
  const { file: claude, before } = claudeProgram(request.claude, world);
  if (supervision !== undefined && before.length > 0) throw unsupervised(claude);
  refuseLoop(claude, world);
  const layers = readLayers(world.files, world);
  const args = claudeArguments(request, loaded);
  const isOther = !loaded.config.default_provider && loaded.config.current_provider !== provider;
  const named = isOther && isChoice(request, args, world);
  const situation = launchSituation(world, args, { loaded, paths, provider, named, claude, layers });
  const { folded } = situation;
  refuseDescriptors(folded.args);
  if (folded.settings !== undefined) late().refuseSettings(folded.settings);
  supervision?.refuse(folded.args, layers);
  const plain = planLaunch(situation);
  // An editor talks to claude itself.
  const isTerminal = request.claude.length === 0 && claudeStart(folded.args).isTerminal;
  // On a terminal, plain ccc says which provider it uses.
  const announcement = () => {
    if (notice !== undefined) return [notice];
    const isPlain = request.provider === undefined && isTerminal && !request.dryRun && world.isTerminal(2);
    return isPlain ? [`using ${provider} (${why})`] : [];
  };
  const complete = (plan: Plan): Plan => ({
    ...plan,
    args: [...before, ...plan.args],
    notices: [...announcement(), ...(supervision?.notices ?? []), ...plan.notices],
  });
  const supervised = supervision?.apply({ claude, plain, situation, isTerminal });
  const planFor = (version: string | undefined) => {
    if (supervised !== undefined) return complete(supervised.planFor(version));
    return complete(isTerminal ? terminalPlan(plain, situation) : plain);
  };
  return { claude, supervised, plain, planFor };
}

function noLoop(option: string, what: string): CccError {
  return usageError(`${option} is for the loop engine: only that ${what}`, "Add --engine loop, or leave it out.");
}

/** Reviews need one program that they can start again. */
function unsupervised(node: string): CccError {
  return usageError(
    `the editor runs an old Claude Code with ${node}, which cannot be supervised`,
    "Update the editor's Claude Code extension, or switch supervision off: CCC_SUPERVISOR=0.",
  );
}

/**
 * Whether this launch asks for supervision. The first of these that is set decides: --supervisor or --no-supervisor, --engine
 * or --check, CCC_SUPERVISOR. Without any, a session that is resumed is supervised as before, and another one as ccc.json says.
 */
function askedSupervision({ supervisor, engine, checks }: LaunchRequest, env: Env): boolean | undefined {
  const variable = supervisorVariable(env);
  return supervisor ?? (engine === undefined && checks.length === 0 ? variable : true);
}

/** Some subcommands of claude have to be its first argument. */
function claudeArguments({ args }: LaunchRequest, { config }: LoadedConfig): readonly string[] {
  return claudeStart(args).takesSettings ? [...(config.claude_args ?? []), ...args] : args;
}

/** The session that Claude Code is to continue. The loop engine runs it with `-p`. */
function resumedSession(
  { engine }: LaunchRequest,
  args: readonly string[],
  { config }: LoadedConfig,
  { env, isTerminal }: World,
): ResumedSession | undefined {
  const { resumed, isPrint } = claudeStart(args);
  const isLoop = (engine ?? config.supervisor?.engine) === "loop";
  return resumed && { ...resumed, skipsPrinted: !isPrint && !isLoop && isTerminal(1) && isTerminalSession(env) };
}

/** Whether the user chose this provider for a session of their own: only then does the next plain ccc use it. */
function isChoice(request: LaunchRequest, args: readonly string[], { env, isTerminal }: World): boolean {
  const { provider, isLinked, claude } = request;
  if (provider === undefined || isLinked || claude.length > 0) return false;
  // What an agent runs decides nothing for the user.
  if (env[EXEC_MARKER] !== undefined || env[TOOL_MARKER] !== undefined) return false;
  return claudeStart(args).isTerminal && isTerminal(0) && isTerminal(1);
}

/** Claude's help, version and subcommands are the same with supervision, so a script may always ask for them. */
function startsSession(args: readonly string[]): boolean {
  const { isInquiry, isSubcommand } = claudeStart(args);
  return !isInquiry && !isSubcommand;
}

/** Refuses `<(…)` of a shell: open files are not inherited when ccc becomes claude. */
function refuseDescriptors(args: readonly string[]): void {
  const found = args.find((word) => /^(--[a-z-]+=)?\/(dev|proc\/self)\/fd\/\d+$/.test(word) && !/\/[012]$/.test(word));
  if (found === undefined) return;
  throw usageError(
    `claude cannot read ${found} when ccc starts it`,
    "Use a file instead of <(…), or run claude itself.",
  );
}
