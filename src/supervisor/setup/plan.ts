import { dirname } from "node:path";
import { addedFolders, claudeStart, NOT_PERSISTED } from "../../claude/arguments.ts";
import { isOn } from "../../claude/connection.ts";
import { WITHOUT_HOOKS } from "../../claude/hook-settings.ts";
import type { Layer, Layers } from "../../claude/layers.ts";
import { withToolHook } from "../../claude/quick-events.ts";
import { settingsForReviewer } from "../../claude/runs.ts";
import { type HookForm, hookForm } from "../../claude/versions.ts";
import {
  type Engine,
  type ReviewerName,
  reviewerLabel,
  type SupervisorSettings,
  supervisorSettings,
} from "../../config/defaults.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { SettingsVariant } from "../../config/paths.ts";
import type { LaunchPins } from "../../config/pins.ts";
import { CccError, usageError } from "../../errors.ts";
import {
  type LaunchSituation,
  type Plan,
  providerSettings,
  type SettingsFile,
  settingsFile,
} from "../../launch/plan.ts";
import {
  type AgentHooks,
  agentSettings,
  hookCommand,
  withAgentSettings,
  withCommands,
} from "../../launch/session-plan.ts";
import {
  GUARD_COMMAND,
  LAUNCH_MARKER,
  NO_SECRET,
  NOTES_MARKER,
  PERSISTENT_FLAG,
  REVIEWER_MARKER,
  reviewerMarker,
} from "../../markers.ts";
import { asObject, type Json } from "../../text/json.ts";
import type { Env, World } from "../../world.ts";
import { STATE_FOLDER } from "../options.ts";
import type { LaunchRecord } from "../record/session.ts";

/** Supervision with reviewers that may see the files, and what to tell the user about those that may not. */
export interface PinnedSupervision<S> {
  readonly supervision: S;
  readonly notices: readonly string[];
}

/**
 * Leaves out reviewers that a folder's pin refuses: a review sends them its code. `allowed` reviews instead of the first;
 * at a launch, that is the agent's provider.
 */
export function pinnedReviewers<S extends Pick<Supervision, "provider" | "model" | "fallback">>(
  supervision: S,
  allowed: string,
  { strict }: LaunchPins,
): PinnedSupervision<S> {
  const pinFor = (provider: string) => strict.find((pin) => pin.provider !== provider);
  const { provider: usual = allowed, fallback } = supervision;
  const pin = usual === allowed ? undefined : pinFor(usual);
  const kept = fallback.filter(({ provider }) => provider === allowed || pinFor(provider) === undefined);
  const leftOut = new Set([
    ...(pin === undefined ? [] : [usual]),
    ...fallback.filter((each) => !kept.includes(each)).map(({ provider }) => provider),
  ]);
  const first = pin === undefined ? {} : { provider: allowed, model: undefined };
  const notices = [...leftOut].map((name) => {
    const { folder, provider } = pinFor(name) ?? { folder: "", provider: "" };
    const instead = name === usual ? `: ${allowed} reviews instead` : "";
    return `${name} does not review here, because ${folder} is pinned to ${provider} only${instead}`;
  });
  return { supervision: { ...supervision, ...first, fallback: kept }, notices };
}

export function planSupervision(
  { config, providers, path }: LoadedConfig,
  { self, platform }: Pick<World, "self" | "platform">,
  engine?: Engine,
  checks: readonly string[] = [],
): Supervision {
  const settings = supervisorSettings(config);
  if (settings.provider !== undefined && !providers.has(settings.provider)) {
    throw new CccError(`supervisor.provider in ${path} is "${settings.provider}", which is not a provider there`, {
      advice: "Correct it, or remove it to review with the agent's own provider.",
    });
  }
  const unknown = settings.fallback.find((each) => !providers.has(each.provider));
  if (unknown !== undefined) {
    throw new CccError(`supervisor.fallback in ${path} names "${unknown.provider}", which is not a provider there`, {
      advice: "Correct it, or remove it from the list.",
    });
  }
  return {
    ...settings,
    engine: engine ?? settings.engine,
    checks: [...checks, ...settings.checks],
    hookForm: hookForm(undefined, platform),
    canWake: false,
    self,
    configDir: dirname(path),
  };
}

/** Refuses a supervised launch in which the hook would not run or could not review. */
export function refuseWithoutHooks(args: readonly string[], env: Env, { settings, managed }: Layers): void {
  const { hookless, isPersisted, isSubcommand } = claudeStart(args);
  const advice = "Leave it out, or start ccc without --supervisor.";
  if (hookless !== undefined)
    throw usageError(`with ${hookless} Claude Code runs no hooks, so supervision cannot work`, advice);
  if (!isPersisted) {
    throw usageError(`with ${NOT_PERSISTED} there is no session to review, so supervision cannot work`, advice);
  }
  if (isSubcommand)
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
  const switches: readonly string[] = [...WITHOUT_HOOKS, REVIEWER_MARKER, "BUN_BE_BUN"];
  return breaksPrograms(name) || (switches.includes(name) && isOn(String(value)));
}

/** Whether a variable breaks ccc or garbles its output with any value, even a blank one. */
function breaksPrograms(name: string): boolean {
  return name.startsWith("BUN_JSC_") || name === "LD_TRACE_LOADED_OBJECTS" || name === "LD_SHOW_AUXV";
}

/** Whether the user gets the session of a loop at its end, and who supervises it from then on. */
export type HandOver =
  | { readonly kind: "none" }
  | { readonly kind: "supervised" }
  | { readonly kind: "unsupervised"; readonly why: string };

/** Only a user at a terminal can go on with a session. The hook engine supervises it then, where hooks can run. */
export function plannedHandOver(
  isWanted: boolean,
  args: readonly string[],
  { env, isTerminal }: Pick<World, "env" | "isTerminal">,
  layers: Layers,
): HandOver {
  if (!isWanted || !isTerminal(0) || !isTerminal(1)) return { kind: "none" };
  try {
    refuseWithoutHooks(args, env, layers);
    return { kind: "supervised" };
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    return { kind: "unsupervised", why: error.message };
  }
}

/** The plan of a loop, with what the session needs once Claude Code runs it by the plan `later`. */
export function withHandOver(plan: Plan, later: Plan): Plan {
  const paths = new Set(plan.files.map(({ path }) => path));
  return {
    ...plan,
    files: [...plan.files, ...later.files.filter(({ path }) => !paths.has(path))],
    settings: { ...plan.settings, handOver: later.settings.agent },
  };
}

export interface PlannedReviewer extends ReviewerName {
  /** As `supervisor.fallback` would name it. */
  readonly label: string;
  /** Whether it has the agent's provider and model. */
  readonly isAgents: boolean;
}

/** Who reviews, in the order in which they are asked. `provider` is the agent's. */
export function plannedReviewers(
  provider: string,
  { provider: usual = provider, model, fallback }: Supervision,
): readonly [PlannedReviewer, ...PlannedReviewer[]] {
  const planned = (name: ReviewerName) => ({
    ...name,
    label: reviewerLabel(name),
    isAgents: name.provider === provider && name.model === undefined,
  });
  const first = planned({ provider: usual, model });
  const others = new Map(fallback.map((name) => [reviewerLabel(name), planned(name)]));
  others.delete(first.label);
  return [first, ...others.values()];
}

/** The same for the record of a launch. `fallback` are the settings files of all but the first. */
export function recordedReviewers(
  [first, ...others]: readonly [PlannedReviewer, ...PlannedReviewer[]],
  fallback: readonly string[],
): Pick<LaunchRecord, "same_model" | "reviewer" | "fallback"> {
  return {
    same_model: first.isAgents,
    reviewer: first.label,
    fallback: others.map(({ label: reviewer, isAgents }, index) => {
      return { reviewer, settings: fallback[index] ?? "", same_model: isAgents };
    }),
  };
}

/**
 * Adds supervision to a plan: settings with hooks for the agent, and separate settings for each reviewer. A session in the
 * terminal also gets ccc's status line and commands.
 */
export function supervisePlan(
  plan: Plan,
  situation: LaunchSituation,
  supervision: Supervision,
  isTerminal: boolean,
): Plan {
  const { provider } = plan;
  const { content } = plan.settings.agent;
  const folders = addedFolders(situation.folded.args);
  // An older Claude Code, with its other hooks, must not change the files of a newer one, nor the other way round.
  const isOlder = supervision.hookForm !== "exec" || (supervision.engine === "hook" && !supervision.canWake);
  const isShared = plan.isShared && folders.length === 0 && !isOlder;
  const [first, ...others] = plannedReviewers(provider, supervision);
  const settingsOf = (name: string) =>
    name === provider ? { content, references: [] } : providerSettings(situation, name);
  const review = settingsOf(first.provider);
  const reviewing = reviewerSettings(review.content, supervision, folders);
  const reviewer = settingsFile(situation.paths, provider, "reviewer", reviewing, isShared);
  const agent = settingsFile(
    situation.paths,
    provider,
    ...supervisedAgent(content, situation, supervision, reviewer.path, isTerminal),
    isShared,
  );
  const fallback = others.map((other) => {
    const own = settingsOf(other.provider);
    const file = reviewerFile(situation, supervision, { provider, model: other.model, content: own.content });
    return { file, references: own.references };
  });
  const fallbackFiles = fallback.map(({ file }) => file);
  const rest = plan.files.filter((file) => file !== plan.settings.agent);
  const supervised = {
    ...withAgentSettings(plan, agent),
    // Inherited from another session, its hooks would report this one.
    unset: situation.env[NOTES_MARKER] === undefined ? plan.unset : [...plan.unset, NOTES_MARKER],
    files: [agent, reviewer, ...fallbackFiles, ...rest],
    settings: { agent, reviewer, fallback: fallbackFiles },
    isShared,
    references: distinct([...plan.references, ...review.references, ...fallback.flatMap((each) => each.references)]),
  };
  return isTerminal ? withCommands(supervised, situation) : supervised;
}

/** The agent's settings, and their kind. The loop reviews without hooks. */
function supervisedAgent(
  content: Json,
  situation: LaunchSituation,
  supervision: Supervision,
  reviewerFile: string,
  isTerminal: boolean,
): [variant: SettingsVariant, content: Json] {
  if (supervision.engine === "loop") return ["plain", content];
  const shown = isTerminal ? agentSettings(content, { status: { ...situation, isSupervised: true } }) : content;
  // Sessions with and without a status line do not share a file: Claude Code reads a file again when it changes.
  const variant = shown === content ? "supervised" : "watched";
  return [variant, agentSettings(shown, { hooks: reviewHooks(supervision, reviewerFile) })];
}

/** A reviewer's settings file. There may be several, and other launches may have others: it is named after its content. */
export function reviewerFile(
  { paths, folded }: Pick<LaunchSituation, "paths" | "folded">,
  supervision: Pick<Supervision, "self" | "hookForm">,
  reviewer: {
    /** For the file's name. */
    readonly provider: string;
    readonly model: string | undefined;
    /** The settings of its provider. */
    readonly content: Json;
  },
): SettingsFile {
  const { provider, model, content } = reviewer;
  const own = reviewerSettings(content, { ...supervision, model }, addedFolders(folded.args));
  return settingsFile(paths, provider, "reviewer", own, false);
}

/** A provider may review with several models, but its key is fetched once. */
function distinct(references: Plan["references"]): Plan["references"] {
  return [...new Map(references.map((each) => [`${each.field} ${each.reference}`, each])).values()];
}

/** The supervision of one launch: the settings, as the command line and pins have changed them, and how hooks call ccc. */
export interface Supervision extends SupervisorSettings {
  readonly hookForm: HookForm;
  /** Whether a hook can wake the agent's session. */
  readonly canWake: boolean;
  /** The path of ccc, for the hook command. */
  readonly self: string;
  /** The folder of ccc.json, where session records are kept. */
  readonly configDir: string;
}

/** What supervision adds to the user's own settings.json, for sessions that ccc does not start. */
export function persistentSupervision(supervision: Supervision, reviewerFile: string, secret: string): Json {
  const hooks = reviewHooks(supervision, reviewerFile, `${PERSISTENT_FLAG}=${secret}`);
  return agentSettings({ env: { [LAUNCH_MARKER]: "" } }, { hooks });
}

function reviewHooks(supervision: Supervision, reviewerFile: string, ...flags: string[]): AgentHooks {
  const record = ["--config-dir", supervision.configDir, ...flags];
  return {
    supervision,
    record,
    review: ["--settings", reviewerFile, "--state-dir", STATE_FOLDER, "--announce", ...record],
    failure: supervision.canWake ? record : undefined,
    isIdle: false,
  };
}

/** The reviewer's settings: ccc's guard is the only hook; the agent's permissions to write and its plugins are not passed on. */
function reviewerSettings(
  given: Json,
  { self, hookForm, model }: Pick<Supervision, "self" | "hookForm" | "model">,
  folders: readonly string[] = [],
): Json {
  const settings = settingsForReviewer(given, folders);
  const chosen = model === undefined ? {} : { ANTHROPIC_MODEL: model };
  // Its environment has the reviewer's marker, but the hook of `ccc use` trusts only a marker with its secret.
  const { [REVIEWER_MARKER]: _, ...env } = asObject(settings.env);
  const secret = String(env[LAUNCH_MARKER] ?? NO_SECRET);
  const marker = secret === NO_SECRET ? {} : { [REVIEWER_MARKER]: reviewerMarker(secret) };
  const own = { ...settings, env: { ...env, ...marker, ...chosen } };
  return withToolHook(own, hookCommand(hookForm, self, [GUARD_COMMAND]));
}
