import type { PromptEvent } from "../../claude/events.ts";
import { SESSION_COMMAND } from "../../claude/hook-settings.ts";
import { readLayers } from "../../claude/layers.ts";
import { hookForm } from "../../claude/versions.ts";
import { loadConfig } from "../../config/check.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Paths } from "../../config/paths.ts";
import { type LaunchPins, launchPins } from "../../config/pins.ts";
import { CccError, messageOf } from "../../errors.ts";
import { claudeVersion } from "../../launch/ask-claude.ts";
import { launchSituation, type Plan, planLaunch } from "../../launch/plan.ts";
import { resolveKeys, withResolvedEnv } from "../../providers/references.ts";
import { isObject, parseJson, prettyJson } from "../../text/json.ts";
import { counted } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { leftOutFinding, shortCommand } from "../checks/result.ts";
import { tally, unmet } from "../ledger.ts";
import { type HookOptions, readSettings } from "../options.ts";
import { recordedOutcome } from "../outcome.ts";
import { launchEnvironment, openTerminal } from "../record/launch.ts";
import type { LaunchRecord, SessionRecord } from "../record/session.ts";
import type { SessionState } from "../record/state.ts";
import { type RecordedStop, readStops } from "../record/stops.ts";
import { pinnedReviewers, plannedReviewers, planSupervision, recordedReviewers, supervisePlan } from "../setup/plan.ts";
import { callingClaude, commandOrigin, whyNotUsers } from "./session-start.ts";

/** A command that the user typed in a session. */
export interface TypedCommand {
  readonly word: SessionWord;
  readonly event: PromptEvent;
  readonly hook: HookOptions;
  readonly paths: Paths;
  readonly record: SessionRecord;
  readonly project: string;
}

/** Does what the command says, and returns the answer for the user. */
export async function answerCommand(world: World, command: TypedCommand): Promise<string> {
  const { word, event, hook, paths, record, project } = command;
  if (word === "help") return SESSION_HELP;
  const before = record.switch.read();
  const isOn = before?.is_on ?? !hook.isIdle;
  if (word === "status") return statusOf(world, command, isOn);
  const refusal = whyNotUsers(await commandOrigin(world, paths, record, event, project));
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
      if (isOn) return `Supervision is already on in this session. To see how it stands: ${SESSION_COMMAND} status`;
      try {
        return await switchOn(world, command);
      } catch (error) {
        const advice = error instanceof CccError && error.advice !== undefined ? `\n${error.advice}` : "";
        return `Supervision could not be switched on: ${messageOf(error)}${advice}`;
      }
  }
}

const ELSEWHERE =
  "To decide it at a start: exit, then run `ccc --supervisor -c` to have this session supervised, or `ccc --no-supervisor -c`.";

/** A session that was launched without supervision gets what such a launch would have prepared. */
async function switchOn(world: World, { hook, paths, record, event }: TypedCommand): Promise<string> {
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
  record.launch.save(launch);
  await record.prompts.addMissing(event.transcript_path, world.now().toISOString());
  record.switch.save({ is_on: true, is_due: false, reviewer });
  const { commands, left_out } = launch.checks;
  return [
    `Supervision is on from the next stop: reviewed by ${launch.reviewer}, at most ${counted(limit, "review")} per prompt. ${off}`,
    ...(commands.length === 0 ? [] : [`Before each review: ${commands.map(shortCommand).join("; ")}`]),
    ...[leftOutFinding(left_out, launch.cwd)].filter((each) => each !== undefined),
  ].join("\n");
}

function statusOf(world: World, { record, paths }: TypedCommand, isOn: boolean): string {
  const own = { ...world, env: { ...world.env, CCC_CONFIG_DIR: paths.folder } };
  return sessionStatus({
    isOn,
    isDue: record.switch.read()?.is_due === true,
    launch: record.launch.read(),
    limit: readSettings(own, () => {}).max_iterations,
    state: record.state.read(),
    stops: readStops(record, world.isAlive),
  });
}

export const SESSION_WORDS = ["on", "off", "status", "now"] as const;

/** What the user asks for in a session; "help" for anything else after the command. */
export type SessionWord = (typeof SESSION_WORDS)[number] | "help";

/** The command in a prompt, undefined if it is not one. Alone, it asks for the status. */
export function readSessionCommand(prompt: string): SessionWord | undefined {
  const [command, word = "status", ...rest] = prompt.trim().split(/\s+/);
  if (command !== SESSION_COMMAND) return undefined;
  const known = SESSION_WORDS.find((each) => each === word.toLowerCase());
  return known === undefined || rest.length > 0 ? "help" : known;
}

export const SESSION_HELP = `${SESSION_COMMAND} takes one of these words:
  on      review every stop of this session, from the next one on
  off     review no more stops of this session
  status  reviews, criteria, last verdict, tokens and reviewer (also without a word)
  now     review the next stop, even if it would be skipped`;

/** What is on record of the supervision of a session. */
interface SupervisionFacts {
  readonly isOn: boolean;
  /** Whether the next stop is reviewed even if it would be skipped. */
  readonly isDue: boolean;
  readonly launch: LaunchRecord | undefined;
  readonly limit: number;
  readonly state: SessionState | undefined;
  readonly stops: readonly Pick<RecordedStop, "outcome" | "why">[];
}

/** The state of supervision, for the user. */
function sessionStatus({ isOn, isDue, launch, limit, state, stops }: SupervisionFacts): string {
  const last = stops.findLast(({ outcome }) => outcome !== undefined);
  const lines = [
    isOn
      ? "Supervision is on in this session."
      : `Supervision is off in this session. To switch it on: ${SESSION_COMMAND} on`,
    ...(isOn && isDue ? ["The next stop is reviewed, even if it would be skipped."] : []),
    ...(launch?.reviewer
      ? [`Reviewer: ${[launch, ...launch.fallback].map(({ reviewer }) => reviewer).join(", else ")}`]
      : []),
    ...(state === undefined ? [] : reviews(state, limit)),
    ...(last === undefined ? (isOn ? ["No stop was reviewed yet."] : []) : [`Last stop: ${verdict(last, state)}`]),
  ];
  return lines.join("\n");
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
  readonly launch: LaunchRecord;
  readonly limit: number;
  /** The reviewer's settings file. */
  readonly reviewer: string;
  /** It, and those of further reviewers, still to be written. */
  readonly files: Plan["files"];
}

/**
 * Plans supervision for a session that already runs: from ccc.json, from the settings and the environment of its launch,
 * and from what was on record when it started. Nothing else that the agent can have changed meanwhile counts.
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
  const { provider: reviewing = provider, fallback } = supervision;
  const loaded = await withResolvedEnv(config, [reviewing, ...fallback.map((each) => each.provider)], own);
  const layers = readLayers(world.files, own);
  const folded = { args: addingFolders(session), settings: undefined };
  const situation = launchSituation(own, { loaded, paths, provider, named: false, claude, folded, layers });
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
    launch: { ...session.launch, provider, version: version ?? null, ...reviewers },
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
