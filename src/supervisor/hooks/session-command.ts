import type { PromptEvent } from "../../claude/events.ts";
import { SESSION_COMMAND } from "../../claude/hook-settings.ts";
import { readLayers } from "../../claude/layers.ts";
import { SCHEDULED_TASKS, scheduledCalls } from "../../claude/prompts.ts";
import { hookForm } from "../../claude/versions.ts";
import { type LoadedConfig, loadConfig } from "../../config/load.ts";
import type { Paths } from "../../config/paths.ts";
import { type LaunchPins, launchPins } from "../../config/pins.ts";
import { CccError, messageOf } from "../../errors.ts";
import { claudeVersion } from "../../launch/ask-claude.ts";
import { providersOf } from "../../launch/decide.ts";
import { launchSituation, type Plan, planLaunch } from "../../launch/plan.ts";
import { EXEC_MARKER } from "../../markers.ts";
import { join } from "../../os/path.ts";
import { resolveKeys, withResolvedEnv } from "../../providers/references.ts";
import { isObject, parseJson, prettyJson } from "../../text/json.ts";
import { counted } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { leftOutFinding, shortCommand } from "../checks/result.ts";
import { tally, unmet } from "../criteria.ts";
import { recordedOutcome } from "../outcome.ts";
import { launchEnvironment, launchRecords, openTerminal } from "../record/launch.ts";
import type { IdentifiedLaunch, LaunchRecord, SessionRecord } from "../record/session.ts";
import type { SessionState } from "../record/state.ts";
import { type RecordedStop, readStops } from "../record/stops.ts";
import { readTranscript } from "../record/transcript.ts";
import { supervisePlan } from "../setup/plan.ts";
import {
  pinnedReviewers,
  plannedReviewers,
  planSupervision,
  readSettings,
  recordedReviewers,
} from "../setup/supervision.ts";
import type { HookOptions } from "./stop.ts";

/** A prompt of the user's, and the session that it was typed in. */
export interface TypedPrompt {
  readonly event: PromptEvent;
  readonly hook: HookOptions;
  readonly paths: Paths;
  readonly record: SessionRecord;
  readonly project: string;
}

/** Carries out ccc's command and returns the answer for the user. Undefined if the prompt is not that command. */
export async function answerCommand(world: World, typed: TypedPrompt): Promise<string | undefined> {
  const { event, hook, record } = typed;
  const word = readCommand(event.prompt);
  if (word === undefined) return undefined;
  if (word === "help") return HELP;
  const before = record.switch.read();
  const isOn = before?.is_on ?? !hook.isIdle;
  if (word === "status") return statusOf(world, typed, isOn);
  const refusal = await whyNotUsers(world, typed);
  if (refusal !== undefined) return `Nothing was switched: ${refusal}. ${ELSEWHERE}`;
  switch (word) {
    case "off":
      if (!isOn) return "Supervision is already off in this session.";
      record.switch.save({ ...before, is_on: false, is_due: false });
      return `Supervision is off for the rest of this session. To switch it on again: ${SESSION_COMMAND} on`;
    case "now":
      if (!isOn) return `Supervision is off in this session. To switch it on first: ${SESSION_COMMAND} on`;
      record.switch.save({ ...before, is_on: true, is_due: true });
      return "The next stop will be reviewed, even if it would be skipped. Send the agent a prompt, for example: continue";
    case "on":
      if (isOn) return `Supervision is already on in this session. To see its state: ${SESSION_COMMAND} status`;
      try {
        return await switchOn(world, typed);
      } catch (error) {
        const advice = error instanceof CccError && error.advice !== undefined ? `\n${error.advice}` : "";
        return `Supervision could not be switched on: ${messageOf(error)}${advice}`;
      }
  }
}

/**
 * The process id of the Claude Code that calls the hook, undefined if it is not one: the sender must be the process named
 * in the environment.
 */
export function callingClaude({ env, stdinWriter }: Pick<World, "env" | "stdinWriter">): string | undefined {
  const writer = stdinWriter();
  if (writer === null) return env.CLAUDE_PID;
  return writer !== undefined && String(writer) === (env.CLAUDE_PID ?? String(writer)) ? String(writer) : undefined;
}

/** What the user asks for; "help" for anything else after the command. Alone, the command asks for the status. */
function readCommand(prompt: string): "on" | "off" | "status" | "now" | "help" | undefined {
  const [command, word = "status", ...rest] = prompt.trim().split(/\s+/);
  if (command !== SESSION_COMMAND) return undefined;
  const known = (["on", "off", "status", "now"] as const).find((each) => each === word.toLowerCase());
  return known === undefined || rest.length > 0 ? "help" : known;
}

const HELP = `${SESSION_COMMAND} takes one of these words:
  on      review every stop of this session, from the next one on
  off     review no more stops of this session
  status  reviews, criteria, last verdict, tokens and reviewer (also without a word)
  now     review the next stop, even if it would be skipped`;

/** Why a command does not count as the user's; undefined if it does. */
async function whyNotUsers(world: World, { event, paths, record, project }: TypedPrompt): Promise<string | undefined> {
  const claude = callingClaude(world);
  const terminal = claude === undefined ? undefined : openTerminal(world.files, paths, claude).read();
  if (terminal?.sessions.includes(event.session_id) !== true)
    return "this does not come from the Claude Code that runs this session";
  if (Number(world.env[EXEC_MARKER]?.split(".")[1] ?? 1) > 1)
    return "this Claude Code was started from within another session";
  // What the agent has scheduled arrives like a prompt of the user's.
  const scheduled = [
    ...(record.scheduled.read() ?? []).map(({ prompt }) => prompt),
    world.files.read(join(project, SCHEDULED_TASKS)) ?? "",
  ];
  await readTranscript(event.transcript_path ?? "", (line) => scheduled.push(...scheduledCalls(line)));
  return scheduled.some((prompt) => prompt.includes(SESSION_COMMAND))
    ? `a prompt with ${SESSION_COMMAND} was scheduled in this session, so ccc cannot tell whether you typed this`
    : undefined;
}

const ELSEWHERE =
  "To choose at launch: exit, then run `ccc --supervisor -c` to have this session supervised, or `ccc --no-supervisor -c`.";

/** Prepares for a session that was launched without supervision what a supervised launch would have. */
async function switchOn(world: World, { hook, paths, record, event }: TypedPrompt): Promise<string> {
  const { files } = world;
  const off = `To switch it off: ${SESSION_COMMAND} off`;
  const before = record.switch.read();
  if (!hook.isIdle || before?.reviewer !== undefined) {
    record.switch.save({ ...before, is_on: true, is_due: false });
    return `Supervision is on again, from the next stop on. ${off}`;
  }
  const claude = callingClaude(world);
  const started = claude === undefined ? undefined : openTerminal(files, paths, claude).read();
  const { provider, agentSettings, folders } = hook;
  if (started?.launch === undefined || !started.sessions.includes(event.session_id))
    throw new CccError("ccc has no record of how this session started", { advice: ELSEWHERE });
  if (provider === undefined || agentSettings === undefined)
    throw new CccError("the hook does not name the session's settings", { advice: ELSEWHERE });
  const session = { launch: started.launch, provider, agentSettings, folders };
  const { launch, limit, reviewer, files: settings } = await superviseLater(world, paths, session);
  for (const { path, content } of settings) files.writePrivate(path, prettyJson(content));
  launchRecords(files, paths).saveSwitched(launch);
  record.launch.save(launch);
  await record.prompts.addMissing(event.transcript_path, world.now().toISOString());
  record.switch.save({ is_on: true, is_due: false, reviewer, launch: launch.id });
  const { commands, left_out } = launch.checks;
  return [
    `Supervision is on from the next stop: reviewed by ${launch.reviewer}, at most ${counted(limit, "review")} per prompt. ${off}`,
    ...(commands.length === 0 ? [] : [`Before each review: ${commands.map(shortCommand).join("; ")}`]),
    ...[leftOutFinding(left_out, launch.cwd)].filter((each) => each !== undefined),
  ].join("\n");
}

function statusOf(world: World, { record, paths }: TypedPrompt, isOn: boolean): string {
  const own = { ...world, env: { ...world.env, CCC_CONFIG_DIR: paths.folder } };
  const launch = record.launch.read();
  const state = record.state.read();
  const isDue = record.switch.read()?.is_due === true;
  const last = readStops(record, world.isAlive).findLast(({ outcome }) => outcome !== undefined);
  const lines = [
    isOn
      ? "Supervision is on in this session."
      : `Supervision is off in this session. To switch it on: ${SESSION_COMMAND} on`,
    ...(isOn && isDue ? ["The next stop is reviewed, even if it would be skipped."] : []),
    ...(launch?.reviewer ? [reviewersOf(launch)] : []),
    ...(state === undefined ? [] : reviews(state, readSettings(own, () => {}).max_iterations)),
    ...(last === undefined ? (isOn ? ["No stop was reviewed yet."] : []) : [`Last stop: ${verdict(last, state)}`]),
  ];
  return lines.join("\n");
}

function reviewersOf({ reviewer: first, fallback, confirmer }: LaunchRecord): string {
  const reviewers = [first, ...fallback.map(({ reviewer }) => reviewer)].join(", else ");
  return `Reviewer: ${reviewers}${confirmer === undefined ? "" : `, confirmed by ${confirmer.reviewer}`}`;
}

function reviews({ count, tokens, ledger }: SessionState, limit: number): string[] {
  const met = tally(ledger?.criteria ?? []);
  const used = counted(tokens, "token");
  const open = unmet(ledger?.criteria ?? []).map(({ id, text }) => `  not met: ${id} ${text}`);
  return [`Last prompt: review ${count} of ${limit}${met === undefined ? "" : `, ${met}`}, ${used}`, ...open];
}

function verdict({ outcome, why }: Pick<RecordedStop, "outcome" | "why">, state: SessionState | undefined): string {
  const said = state?.feedback.at(-1)?.trim().split("\n")[0] ?? "";
  const known = recordedOutcome(outcome, why);
  if (known === undefined) return `${outcome}`;
  const because = known.reason || known.why || (known.ending === undefined ? said.slice(0, LONGEST_SAID) : "");
  return because === "" ? known.word : `${known.word}: ${because}`;
}

const LONGEST_SAID = 200;

/** A session that was launched without supervision. */
interface LateSession {
  /** What was on record when it started. */
  readonly launch: LaunchRecord;
  readonly provider: string;
  /** The settings file that its launch wrote. */
  readonly agentSettings: string;
  /** The folders of `--add-dir`. */
  readonly folders: readonly string[];
}

/** What a supervised launch would have prepared. */
interface LateSupervision {
  readonly launch: IdentifiedLaunch;
  readonly limit: number;
  /** The reviewer's settings file. */
  readonly reviewer: string;
  /** The settings files of all reviewers, still to be written. */
  readonly files: Plan["files"];
}

/**
 * Plans supervision for a session that already runs: from ccc.json, from the settings and the environment of its launch,
 * and from what was on record when it started. Nothing else is used: the agent can have changed it since.
 */
async function superviseLater(world: World, paths: Paths, session: LateSession): Promise<LateSupervision> {
  const { provider, agentSettings } = session;
  const env = { ...launchEnvironment(session.launch.environment, world.env), CCC_CONFIG_DIR: paths.folder };
  const own: World = { ...world, env, cwd: session.launch.cwd };
  const content = parseJson(world.files.read(agentSettings) ?? "");
  if (!isObject(content)) throw new CccError(`${agentSettings} cannot be read`);

  const config = loadConfig(own);
  const { claude } = session.launch;
  const version = await claudeVersion(own, claude, paths);
  const pins = pinsOf(session, config, own);
  const { supervision: planned } = pinnedReviewers(planSupervision(config, own, "hook"), provider, pins);
  const supervision = { ...planned, hookForm: hookForm(version, world.platform) };
  const loaded = await withResolvedEnv(config, providersOf(provider, supervision), own);
  const layers = readLayers(world.files, own);
  const launch = { loaded, paths, provider, named: false, claude, layers };
  const situation = launchSituation(own, addingFolders(session), launch);
  const plain = planLaunch(situation);
  // With the user's own --settings, and named after its content: another launch may have other settings.
  const launched = {
    ...plain,
    isShared: false,
    settings: { ...plain.settings, agent: { path: agentSettings, content } },
  };
  const { settings, references } = supervisePlan(launched, situation, supervision, false);
  await resolveKeys(references, own);
  if (settings.reviewer === undefined) throw new CccError("there are no settings for a reviewer");
  const others = settings.fallback.map(({ path }) => path);
  const reviewers = recordedReviewers(plannedReviewers(provider, supervision), others);
  return {
    launch: { ...session.launch, id: supervision.launch, provider, version: version ?? null, ...reviewers },
    limit: supervision.max_iterations,
    reviewer: settings.reviewer.path,
    files: [settings.reviewer, ...settings.fallback],
  };
}

function addingFolders({ folders }: LateSession): string[] {
  return folders.flatMap((folder) => ["--add-dir", folder]);
}

/** A session on a provider that a pin refuses was started with --anyway, which holds for its reviews too. */
function pinsOf(session: LateSession, config: LoadedConfig, world: World): LaunchPins {
  const pins = launchPins(addingFolders(session), config, world);
  return pins.strict.every((pin) => pin.provider === session.provider) ? pins : { ...pins, strict: [] };
}
