import { refuseSettings } from "../claude/accepted-settings.ts";
import { claudeStart, type ResumedSession } from "../claude/arguments.ts";
import { canWake, hookForm } from "../claude/versions.ts";
import { type Engine, reviewerLabel, supervisorSettings } from "../config/defaults.ts";
import { rememberProvider } from "../config/edit.ts";
import type { LoadedConfig } from "../config/load.ts";
import { cccPaths, settingsLifetime } from "../config/paths.ts";
import { launchPins, otherProviderProblem } from "../config/pins.ts";
import { CccError, usageError } from "../errors.ts";
import { assumedVersion, claudeVersion, proveSettings } from "../launch/ask-claude.ts";
import {
  type DecidedLaunch,
  type DecidedParts,
  decideLaunch,
  type LaunchRequest,
  type LaunchSupervision,
  type LaunchToSupervise,
  PLAIN_LAUNCH,
  providersOf,
  type SupervisedLaunch,
} from "../launch/decide.ts";
import { execute, fileText, type LateLaunch } from "../launch/launch.ts";
import { type Plan, planLaunch, settingsProof } from "../launch/plan.ts";
import { showPlan } from "../launch/show.ts";
import { join } from "../os/path.ts";
import { resolveKeys, withResolvedEnv } from "../providers/references.ts";
import { kindOf } from "../providers/variables.ts";
import { createLog } from "../terminal/dialog.ts";
import { asObject, type Json } from "../text/json.ts";
import type { World } from "../world.ts";
import { launchLoop, loopArguments, loopPlan } from "./loop/engine.ts";
import { runPrint, waitsForEnd } from "./print.ts";
import { bestEffort } from "./project.ts";
import { launchRecords } from "./record/launch.ts";
import { resumedProvider, supervisedBefore } from "./record/resumed.ts";
import type { LaunchRecord } from "./record/session.ts";
import { distinctReferences, supervisePlan, withHandOver } from "./setup/plan.ts";
import { plannedHandOver, prepareSupervision, refuseSupervision, refuseWithoutHooks } from "./setup/prepare.ts";
import {
  pinnedReviewers,
  plannedReviewers,
  planSupervision,
  recordedReviewers,
  type Supervision,
} from "./setup/supervision.ts";

/** What launch/ needs handed in: supervision, and code that is slow to load. */
export const LATE_LAUNCH: LateLaunch = {
  assumedVersion,
  resolveKeys,
  claudeVersion,
  createLog,
  proveSettings,
  refuseSettings,
  rememberProvider,
  resumedProvider,
  showPlan,
  superviseLaunch,
  wasSupervised: (...session) => supervisedBefore(...session) !== undefined,
  withResolvedEnv,
};

/** Why `ccc NAME`, or `ccc --supervisor NAME`, would fail now; undefined if it would start. */
type LaunchProbe = (provider: string, isSupervised: boolean) => Promise<CccError | undefined>;

/** Goes through a launch up to the point where it would write files and start claude. Fetches each key once. */
export function launchProbe(world: World, loaded: LoadedConfig): LaunchProbe {
  const paths = cccPaths(world);
  const fetched = new Map<string, Promise<unknown>>();
  const fetchKeys = async ({ references }: Plan) => {
    for (const each of references) {
      const key = `${each.field} ${each.reference}`;
      if (!fetched.has(key)) fetched.set(key, resolveKeys([each], world));
      await fetched.get(key);
    }
  };
  const attempt = async (provider: string, isSupervised: boolean) => {
    const decided = decideLaunch(
      { provider, why: "named", notice: undefined, pins: pinsFor(provider, loaded, world) },
      { ...PLAIN_LAUNCH, provider, supervisor: isSupervised },
      await withResolvedEnv(loaded, providersOf(provider, supervisorSettings(loaded.config)), world),
      paths,
      world,
      () => LATE_LAUNCH,
    );
    const plan = decided.planFor(assumedVersion(world, decided.claude, paths));
    await fetchKeys(plan);
    // The settings that supervision adds are known to load.
    if (!isSupervised) await proveElsewhere(plan, decided, world);
    decided.supervised?.check();
    // A plain launch can write its files elsewhere.
    for (const { path, content } of isSupervised ? plan.files : [])
      if (world.files.read(path) !== fileText(content)) world.files.refuseWrite(path);
  };
  return async (provider, isSupervised) => {
    try {
      await attempt(provider, isSupervised);
      return undefined;
    } catch (error) {
      if (error instanceof CccError) return error;
      throw error;
    }
  };
}

/** The supervision of a launch, by either engine. */
function superviseLaunch(launch: LaunchToSupervise): LaunchSupervision {
  const { provider, pins, request, loaded, paths, world } = launch;
  const before = launch.kept && supervisedBefore(launch.kept, paths, world);
  const current = planSupervision(loaded, world, request.engine, request.checks);
  const planned = before === undefined ? current : keptSupervision(current, before);
  // The same dry run always prints the same.
  const configured = request.dryRun ? { ...planned, launch: NO_LAUNCH } : planned;
  const relay = configured.engine === "loop" ? relayProviders(launch) : NO_RELAY;
  const reviewing = withRelay(configured, relay.providers);
  const { supervision, notices } = pinnedReviewers(reviewing, provider, pins);
  const legs = relay.providers.map((name) => {
    return { provider: name, supervision: pinnedReviewers(reviewing, name, pins).supervision };
  });
  return {
    engine: supervision.engine,
    ...reviewerLabels(provider, supervision),
    notices: [
      ...(launch.kept === undefined ? [] : [keptNotice(launch.kept, launch.request)]),
      ...notices,
      ...relay.notices,
    ],
    refuse: (args, layers) => {
      if (supervision.engine === "hook") refuseWithoutHooks(args, world.env, layers);
    },
    apply: (parts) =>
      supervision.engine === "loop"
        ? loopLaunch(launch, supervision, parts, legs)
        : hookLaunch(launch, supervision, parts),
  };
}

/** The loop needs a prompt, so a session that it once ran continues as ccc.json says. */
function keptSupervision(current: Supervision, { engine, checks, instructions }: LaunchRecord): Supervision {
  return {
    ...current,
    engine: engine === "loop" ? current.engine : "hook",
    checks: checks.commands,
    kept: { instructions, checks },
  };
}

function keptNotice({ session }: ResumedSession, { provider }: LaunchRequest): string {
  const words = [provider ?? [], session === undefined ? "-c" : `--resume ${session}`].flat().join(" ");
  return `this session stays supervised, with the checks and instructions of its launch (with the current ones: ccc --supervisor ${words}; without reviews: ccc --no-supervisor ${words})`;
}

/** If the agent's provider reviews, the quota may run out in a review, too. */
function withRelay(supervision: Supervision, providers: readonly string[]): Supervision {
  if (supervision.provider !== undefined) return supervision;
  const others = providers.map((name) => ({ provider: name, model: undefined }));
  return { ...supervision, fallback: [...supervision.fallback, ...others] };
}

const NO_RELAY: RelayProviders = { providers: [], notices: [] };

/** The providers on which a loop continues, in order, and what to tell the user about those that a pin refuses. */
interface RelayProviders {
  readonly providers: readonly string[];
  readonly notices: readonly string[];
}

/** Those of the command line replace those in ccc.json. */
function relayProviders({ loaded, provider, request, pins }: LaunchToSupervise): RelayProviders {
  const { config, providers, path } = loaded;
  const isAsked = request.fallback.length > 0;
  const named = isAsked ? request.fallback : (config.fallback ?? []);
  const wanted = [...new Set(named)].filter((name) => name !== provider);
  const unknown = wanted.find((name) => !providers.has(name));
  if (unknown !== undefined) {
    const known = `Your providers: ${[...providers.keys()].join(", ")}.`;
    if (isAsked) throw usageError(`--fallback: "${unknown}" is not one of your providers`, known);
    throw new CccError(`fallback in ${path} names "${unknown}", which is not a provider there`, {
      advice: "Correct it, or remove it from the list.",
    });
  }
  const pinFor = (name: string) => pins.strict.find((pin) => pin.provider !== name);
  return {
    providers: wanted.filter((name) => pinFor(name) === undefined),
    notices: wanted.flatMap((name) => {
      const pin = pinFor(name);
      if (pin === undefined) return [];
      return [`the session does not continue on ${name}, because ${pin.folder} is pinned to ${pin.provider} only`];
    }),
  };
}

/** The id of a launch in a dry run. */
const NO_LAUNCH = "00000000-0000-4000-8000-000000000000";

function hookLaunch(launch: LaunchToSupervise, supervision: Supervision, parts: DecidedParts): SupervisedLaunch {
  const { request, paths, world } = launch;
  return {
    ...common(launch, supervision),
    fallback: [],
    planFor: (version) => planWith("hook", launch, supervision, parts, version),
    shown: (plan) => plan,
    start: async (plan, version) => {
      await record(launch, supervision, parts, plan, version);
      if (claudeStart(parts.situation.folded.args).isInSchema) createLog(world).info(ONE_REVIEW);
      const how = { isByEditor: request.claude.length > 0, isOnTerminal: world.isTerminal(1) };
      return waitsForEnd(parts.situation.folded.args, how)
        ? untilEnd(launch, supervision, [plan], () => runPrint(plan, supervision.launch, world, paths))
        : execute(plan, world, paths, () => LATE_LAUNCH);
    },
  };
}

const ONE_REVIEW =
  "with --json-schema Claude Code passes no feedback on: each answer is reviewed once, and the agent does not continue. --engine loop works until it is done";

/** A provider on which the loop may continue, and its supervision: who reviews may depend on it. */
interface Leg {
  readonly provider: string;
  readonly supervision: Supervision;
}

function loopLaunch(
  launch: LaunchToSupervise,
  supervision: Supervision,
  parts: DecidedParts,
  legs: readonly Leg[],
): SupervisedLaunch {
  const { request, paths, world } = launch;
  const { folded, layers } = parts.situation;
  // An answer in a schema is read by a program.
  const isHandedOver = !request.noHandover && !claudeStart(folded.args).isInSchema;
  const handOver = plannedHandOver(isHandedOver, folded.args, world, layers);
  const args = loopArguments(folded.args);
  const planOn = (on: Supervision, decided: DecidedParts, version: string | undefined) => {
    const plan = planWith("loop", launch, on, decided, version);
    return handOver.kind === "supervised" ? withHandOver(plan, planWith("hook", launch, on, decided, version)) : plan;
  };
  const relayed = (version: string | undefined) => legs.map((leg) => planLeg(leg, launch, parts, version, planOn));
  return {
    ...common(launch, supervision),
    fallback: legs.map(({ provider }) => provider),
    planFor: (version) => {
      const plan = planOn(supervision, parts, version);
      // Every key must resolve before the agent starts: the user may be away when it is needed.
      const all = [plan, ...relayed(version).map((leg) => leg.plan)].flatMap(({ references }) => references);
      return { ...plan, references: distinctReferences(all) };
    },
    shown: (plan) => loopPlan(plan, args),
    start: async (plan, version, keys) => {
      const recorded = await record(launch, supervision, parts, plan, version);
      const relay = relayed(version).map(({ plan, reviewers, ...leg }) => {
        return { ...leg, plan, record: { ...recorded, ...reviewers, provider: plan.provider } };
      });
      const loop = { plan, args, supervision, record: recorded, paths, keys, handOver, isRelayed: false, relay };
      const plans = [plan, ...relay.map((leg) => leg.plan)];
      if (legs.length > 0) {
        const others = legs.map((leg) => leg.provider).join(", then on ");
        createLog(world).info(`if ${plan.provider} fails, the session continues on ${others}`);
      }
      return untilEnd(launch, supervision, plans, () => launchLoop(world, loop));
    },
  };
}

/** The launch on another provider: what the user has set for all providers stays, a model of the first does not. */
function planLeg(
  { provider, supervision }: Leg,
  { paths, world }: LaunchToSupervise,
  parts: DecidedParts,
  version: string | undefined,
  planOn: (supervision: Supervision, parts: DecidedParts, version: string | undefined) => Plan,
) {
  const { folded } = parts.situation;
  const settings = folded.settings && withoutModels(folded.settings);
  const situation = { ...parts.situation, provider, folded: { ...folded, settings } };
  const plain = planLaunch(situation);
  const plan = planOn(supervision, { ...parts, plain, situation }, version);
  const fallback = plan.settings.fallback.map(({ path }) => path);
  return {
    plan,
    supervision,
    isRelayed: true,
    reviewers: recordedReviewers(plannedReviewers(provider, supervision), fallback),
    prove: async () =>
      settingsProof(plan, world, paths).isNeeded(plain) ? await proveSettings(plan, world, paths) : plan,
  };
}

function withoutModels({ model: _, env, ...rest }: Json): Json {
  const kept = Object.entries(asObject(env)).filter(([name]) => kindOf(name) !== "model");
  return { ...rest, env: Object.fromEntries(kept) };
}

/** Runs claude and waits for its end. No hook of the launch runs after that, so nobody needs its record and settings. */
async function untilEnd(
  { paths, world }: LaunchToSupervise,
  supervision: Supervision,
  plans: readonly Plan[],
  run: () => Promise<number>,
): Promise<number> {
  try {
    return await run();
  } finally {
    bestEffort(createLog(world).warn, "remove the record of the launch", () => {
      launchRecords(world.files, paths).end(supervision.launch);
      const files = plans.flatMap(({ settings: { agent, handOver } }) => [agent, handOver ?? agent]);
      for (const { path } of files) if (settingsLifetime(path) === "supervised launch") world.files.remove(path);
    });
  }
}

function common({ provider, paths, world }: LaunchToSupervise, supervision: Supervision) {
  return {
    engine: supervision.engine,
    ...reviewerLabels(provider, supervision),
    check: () => refuseSupervision(world, paths, supervision),
  };
}

/** The names of the reviewers, and of the confirmer, if it is a particular one. */
function reviewerLabels(provider: string, supervision: Supervision) {
  const { confirm } = supervision;
  return {
    reviewers: plannedReviewers(provider, supervision).flatMap((each) => (each.isConfirmer ? [] : [each.label])),
    confirmer: typeof confirm === "object" ? reviewerLabel(confirm) : null,
  };
}

/** The plan for a version of Claude Code. With the engine "hook", Claude Code runs the session by itself. */
function planWith(
  engine: Engine,
  { world }: LaunchToSupervise,
  supervision: Supervision,
  { plain, situation, isTerminal }: DecidedParts,
  version: string | undefined,
): Plan {
  const form = hookForm(version, world.platform);
  const current = { ...supervision, engine, hookForm: form, canWake: canWake(version) };
  return supervisePlan(plain, situation, current, engine === "hook" && isTerminal);
}

/** Records what the reviews of the launch rely on. */
function record(
  { provider, paths, world }: LaunchToSupervise,
  supervision: Supervision,
  { claude }: DecidedParts,
  plan: Plan,
  version: string | undefined,
) {
  const fallback = plan.settings.fallback.map(({ path }) => path);
  return prepareSupervision(world, paths, { provider, claude, version, supervision, fallback, isPersistent: false });
}

/** Without the pin of this folder to another provider, which does not prevent a launch elsewhere. */
function pinsFor(provider: string, loaded: LoadedConfig, world: World) {
  const pins = launchPins(loaded.config.claude_args ?? [], loaded, world);
  return otherProviderProblem(provider, pins) === undefined ? pins : { ...pins, strict: [] };
}

/** Asks Claude Code whether it loads the settings, using a copy of them. */
async function proveElsewhere(plan: Plan, { plain }: DecidedLaunch, world: World): Promise<void> {
  const paths = cccPaths(world);
  if (!settingsProof(plan, world, paths).isNeeded(plain)) return;
  const scratch = world.scratch();
  try {
    const agent = { ...plan.settings.agent, path: join(scratch.path, "settings.json") };
    const copy = { ...plan, settings: { ...plan.settings, agent } };
    // Whatever it is asked, Claude Code writes into its configuration folder.
    const elsewhere = { ...world, env: { ...world.env, CLAUDE_CONFIG_DIR: scratch.path } };
    await proveSettings(copy, elsewhere, { ...paths, generated: scratch.path });
  } finally {
    scratch.remove();
  }
}
