import { dirname, join, resolve } from "node:path";
import {
  continueWith,
  FailureEventSchema,
  LONGEST_REASON,
  readEvent,
  type StopAnswer,
  type StopEvent,
  StopEventSchema,
  WAKE,
} from "../../claude/events.ts";
import { type ApiFailureKind, classifyFailure, OWN_CONTINUATION_SECONDS } from "../../claude/failures.ts";
import { isTerminalSession } from "../../claude/sessions.ts";
import { canDo } from "../../claude/versions.ts";
import { limitWait } from "../../config/defaults.ts";
import { loadConfig } from "../../config/load.ts";
import { cccPaths, pathsIn } from "../../config/paths.ts";
import { launchPins, otherProviderProblem } from "../../config/pins.ts";
import { CccError, EXIT, messageOf } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import type { HookName } from "../../markers.ts";
import { counted, shownTime } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { settleBaseline } from "../changes/baseline.ts";
import { checkEnvironment } from "../checks/run.ts";
import { LIMIT_RESET, limitEnd, limitSoFar, type SessionProblem, sessionProblem } from "../limits.ts";
import { notifyUser } from "../notify.ts";
import { endsInSchema, nudgeStop } from "../nudge.ts";
import { announcement, meaningOf, OUTCOMES, type Outcome, SKIPS } from "../outcome.ts";
import { bestEffort, LOG_NAME, projectFiles, supervisorLog } from "../project.ts";
import { launchEnvironment, noteRun, openTerminal } from "../record/launch.ts";
import { eventPrompts } from "../record/prompts.ts";
import { type LaunchRecord, openSession, type SessionRecord } from "../record/session.ts";
import { reviewState, stateOnRecord, statesWithoutRecord } from "../record/state.ts";
import { type OpenStop, openStop } from "../record/stops.ts";
import { findInstructions, instructionsChange } from "../review/instructions.ts";
import { withCriteria } from "../review/message.ts";
import { notReviewed, reviewStop, skipReview } from "../review/review.ts";
import { readIdentity } from "../review/reviewer-program.ts";
import { assembleStop, hasWorked, type Stop, whySkipped } from "../review/stop.ts";
import { providerKeyFinder, sessionRedactor } from "../secrets.ts";
import { readSettings } from "../setup/supervision.ts";
import { assumedLaunch, bindLaunch } from "./prompt.ts";

/** The command line options of a hook. */
export interface HookOptions {
  /** The reviewer's settings file. */
  readonly settings: string | undefined;
  /** Relative to the project. */
  readonly stateDir: string;
  readonly announce: boolean;
  /** The folder of ccc.json, where session records are kept. Without it the state is in the project. */
  readonly configDir: string | undefined;
  /** The id of the supervised launch that the hook belongs to. `ccc use`, an idle hook and older versions have none. */
  readonly launch: string | undefined;
  /** Whether `ccc use` put the hook into the user's settings.json. */
  readonly isPersistent: boolean;
  /** Whether the session is supervised only if the user switches that on. */
  readonly isIdle: boolean;
  /** For an idle hook: the agent's provider, settings file, and the folders of `--add-dir`. */
  readonly provider: string | undefined;
  readonly agentSettings: string | undefined;
  readonly folders: readonly string[];
}

/** Answers a Stop event, even after an error. Without a review the agent may stop. */
export async function superviseStop(world: World, options: HookOptions, input: () => unknown): Promise<void> {
  let hook = options;
  let session: HookSession | undefined;
  let open: OpenStop | undefined;
  let stop: Stop | undefined;
  let outcome: Outcome;
  try {
    const event = readEvent(input(), StopEventSchema, "Stop");
    const switched = takeSwitch(world, hook, event);
    if (!switched.isOn) return recordUnsupervised(world, hook, event);
    hook = { ...hook, settings: hook.settings ?? switched.reviewer };
    session = hookSession(world, hook, event);
    noteRun(world, hook, { event: "stop", session: event.session_id });
    if (hook.configDir === undefined) stop = await standaloneStop(session, event);
    else {
      const { redactor, record } = session;
      open = openStop(world, record, { promptId: event.prompt_id, clean: redactor.value, write: writer(session) });
      stop = await recordedStop(session, hook, event, open.note);
    }
    outcome = (switched.isDue ? undefined : await withoutReview(stop, event)) ?? (await reviewStop(stop));
    outcome = await withoutFeedback(outcome, stop);
    if (outcome.kind === "unreviewed") session.log.say(`could not review: ${outcome.why}`);
    if (outcome.kind === "skipped") session.log.say(`no review: ${SKIPS[outcome.why].text}`);
  } catch (error) {
    outcome = notReviewed(error);
    session ??= hookSession(world, hook, undefined);
    session.log.say(messageOf(error));
  }
  if (outcome.kind === "unreviewed") outcome = { ...outcome, why: session.redactor.text(outcome.why) };
  open?.close(outcome);
  const answer = await answerOf(outcome, { hook, session, stop });
  if (answer !== undefined) world.stdout(JSON.stringify(answer));
}

/**
 * After an error that ended a turn in a terminal: if it is a usage limit, waits until it resets and wakes the session.
 * Ends without waking it if the user continues earlier, or if claude ends.
 */
export async function waitAfterFailure(
  world: World,
  { configDir }: HookOptions,
  input: () => unknown,
): Promise<number> {
  if (configDir === undefined) throw new CccError("--config-dir is missing, so there is no record of the session");
  const { files } = world;
  const { CLAUDE_PID: claude = "" } = world.env;
  const env = { ...world.env, CCC_CONFIG_DIR: configDir };
  const event = readEvent(input(), FailureEventSchema, "StopFailure");
  const { error, last_assistant_message: text = "" } = event;
  const failure = classifyFailure({ text, isRateLimit: error === "rate_limit" }, world.now());
  if (!isTerminalSession(env) || claude === "") return EXIT.ok;

  const there = { ...world, env };
  const paths = pathsIn(configDir);
  const record = openSession(files, paths, event.session_id);
  const seconds = () => world.now().getTime() / 1000;
  const startedAt = seconds();
  const before = limitSoFar(record, startedAt);
  const resetAt = failure.resetAt && failure.resetAt.getTime() / 1000;
  const isLimit = failure.kind === "usage limit" || failure.kind === "rate limit";
  const allowed = isLimit ? limitWait(readSettings(there, () => {})) : 0;
  const reset = limitEnd(resetAt, before, startedAt, allowed);
  const stalled = { kind: failure.kind, text, until: reset ?? resetAt, isWaiting: reset !== undefined };
  bestEffort(sayAs("supervisor-failure", world), "say what can be done", () => showStalled(there, record, stalled));
  if (reset === undefined) return EXIT.ok;
  // After a limit of its own login, Claude Code may continue by itself: ccc does so only if it does not.
  const until = isOwnLimit(text) ? reset + OWN_CONTINUATION_SECONDS : reset;

  const { wait } = openTerminal(files, paths, claude);
  const own = `${event.session_id} ${shownTime(until)} ${world.pid}\n`;
  wait.save(own);
  // Claude Code sends SIGTERM when it exits.
  const ended = Promise.withResolvers<void>();
  let isEnded = false;
  world.onSignal(() => {
    isEnded = true;
    ended.resolve();
  });
  const isWanted = () => !isEnded && wait.read() === own && world.isAlive(Number(claude));
  while (isWanted() && seconds() < until)
    await world.pause(Math.min(until - seconds(), LONGEST_PAUSE_SECONDS), ended.promise);
  const isOver = isWanted();
  if (wait.read() === own) wait.remove();
  if (!isOver) return EXIT.ok;
  const now = seconds();
  record.limit.save({ waits: before.waits + 1, seconds: before.seconds + now - startedAt, ended: now });
  world.stderr(`${LIMIT_RESET}\n`);
  return WAKE;
}

/** Whether it is a limit of a Claude login, in Claude Code's own words: those of other servers follow "API Error". */
function isOwnLimit(text: string): boolean {
  return !text.includes("API Error") && /\blimit\b/i.test(text);
}

interface Stalled {
  readonly kind: ApiFailureKind;
  readonly text: string;
  /** In seconds. */
  readonly until: number | undefined;
  readonly isWaiting: boolean;
}

/** Claude Code ignores what a StopFailure hook says, so the status line says why the agent stopped, and what helps. */
function showStalled(world: World, record: SessionRecord, { kind, text, until = 0, isWaiting }: Stalled): void {
  const launch = record.launch.read();
  const problem = sessionProblem(text);
  const stalled = problem === undefined ? STALLED[kind] : PROBLEMS[problem];
  if (launch === undefined || stalled === undefined) return;
  const other = problem === "thinking" ? launch.provider : otherProvider(world, launch);
  const before = problem === "thinking" ? "MAX_THINKING_TOKENS=0 " : "";
  const command = other === undefined ? "" : `${before}ccc ${other} --resume ${record.id}`;
  if (command === "" && until === 0) return;
  record.now.save({ stalled, until: Math.round(until * 1000), is_waiting: isWaiting, command });
}

/** Another provider may help, except with a request that the server does not accept. */
const STALLED: Readonly<Record<ApiFailureKind, string | undefined>> = {
  "usage limit": "limit",
  "rate limit": "limit",
  "no credit": "no credit",
  refused: "key refused",
  "server error": "server error",
  unreachable: "server unreachable",
  other: undefined,
};

const PROBLEMS: Readonly<Record<SessionProblem, string>> = {
  thinking: "the server wants its own model's thinking",
  images: "the model cannot see the session's images",
  length: "the session is longer than the model's context",
};

/** The first provider of `fallback` that may see the session's folder. */
function otherProvider(world: World, { provider, cwd }: LaunchRecord): string | undefined {
  const loaded = loadConfig(world);
  const pins = launchPins([], loaded, { ...world, cwd });
  return loaded.config.fallback?.find(
    (name) => name !== provider && loaded.providers.has(name) && otherProviderProblem(name, pins) === undefined,
  );
}

/** In short steps: the user may continue earlier, and timers stop while a machine sleeps. */
const LONGEST_PAUSE_SECONDS = 5;

/** Whether the user has switched supervision on or off. A review that they asked for is then no longer due. */
function takeSwitch(world: World, hook: HookOptions, { session_id }: StopEvent) {
  const { configDir, isPersistent, isIdle } = hook;
  if (configDir === undefined || isPersistent) return { isOn: true, isDue: false, reviewer: undefined };
  const record = openSession(world.files, pathsIn(configDir), session_id);
  const found = record.switch.read();
  const isOn = found?.is_on ?? !isIdle;
  const isDue = isOn && found?.is_due === true;
  if (isDue)
    bestEffort(sayAs("supervisor-hook", world), "record the review", () =>
      record.switch.save({ ...found, is_due: false }),
    );
  return { isOn, isDue, reviewer: found?.reviewer };
}

/** Records that the stop was not to be reviewed, so that it does not look like a missing review. */
function recordUnsupervised(world: World, { configDir = "" }: HookOptions, event: StopEvent): void {
  const record = openSession(world.files, pathsIn(configDir), event.session_id);
  const write = (action: () => void) => bestEffort(sayAs("supervisor-hook", world), "record the stop", action);
  openStop(world, record, { promptId: event.prompt_id, clean: (value) => value, write }).close({
    kind: "skipped",
    why: "off",
  });
}

/** For messages before the session's log is open. */
function sayAs(hook: HookName, { stderr }: Pick<World, "stderr">) {
  return (message: string) => stderr(`ccc ${hook}: ${message}\n`);
}

/** What every review by a hook needs, with or without a session record. */
type HookSession = ReturnType<typeof hookSession>;

function hookSession(world: World, { configDir, stateDir, settings }: HookOptions, event: StopEvent | undefined) {
  const id = event?.session_id ?? "";
  // The folder that the session started in; the agent may have changed folders since.
  const project = world.env.CLAUDE_PROJECT_DIR || event?.cwd || world.cwd;
  const folder = resolve(project, stateDir);
  const paths = configDir === undefined ? cccPaths(world) : pathsIn(configDir);
  const env = configDir === undefined ? world.env : { ...world.env, CCC_CONFIG_DIR: configDir };
  const identities = settings === undefined ? [] : [readIdentity(world.files, settings)];
  const redactor = sessionRedactor({ ...world, env }, identities);
  const open = () => projectFiles(world.files, project, folder);
  const log = supervisorLog(world, folder, open, redactor.text);
  return {
    world,
    id,
    project,
    cwd: event?.cwd ?? project,
    paths,
    record: openSession(world.files, paths, id),
    files: event && bestEffort(log.say, "save the state in the project", open),
    outputFile: join(folder, `supervisor-${id}-output.jsonl`),
    log,
    redactor,
    settings,
    isTerminal: isTerminalSession(world.env),
    event,
    transcript: event?.transcript_path,
    answer: event?.last_assistant_message,
    tasks: event?.background_tasks ?? [],
    isRepeated: event?.stop_hook_active === true,
  };
}

function writer({ log }: Pick<HookSession, "log">) {
  return <T>(action: () => T) => bestEffort(log.say, "write the session record", action);
}

/**
 * A stop of a session with a record. The review depends on the record, as it was at the launch: not on the project, nor
 * on the hook's environment, both of which the agent or the project's settings can change.
 */
async function recordedStop(
  session: HookSession,
  hook: HookOptions,
  event: StopEvent,
  note: OpenStop["note"],
): Promise<Stop> {
  const { project, paths, record, log } = session;
  const { files } = session.world;
  const write = writer(session);
  const bound = bindLaunch(session.world, paths, record, { project, hook, isNew: false }, write);
  const env = { ...launchEnvironment(bound.environment, session.world.env), CCC_CONFIG_DIR: paths.folder };
  const world: World = { ...session.world, env };
  // The claude of the launch may have been removed since.
  const isThere = files.programSize(bound.claude) !== undefined;
  const launch = isThere ? bound : { ...bound, claude: findClaude(world) };
  const awaited = world.now().getTime() - TRANSCRIPT_DELAY_MS;
  const recorded = await record.prompts.settle(event.transcript_path, write, awaited);
  write(() => settleBaseline(world, { paths }, record, recorded ?? []));
  const unknown = recorded?.filter(({ doubt }) => doubt !== undefined).length ?? 0;
  if (unknown > 0)
    log.say(`${counted(unknown, "prompt")} not counted as yours: the transcript does not say who sent it`);
  const states = [stateOnRecord(record, { files: session.files, folder: dirname(session.outputFile) })];
  const asked = await eventPrompts(event, states, recorded);
  write(() => record.scheduled.add(event.session_crons, asked.userPromptId));
  return assembleStop({
    ...session,
    world,
    launch,
    options: readSettings(world, log.say),
    instructionsChange: instructionsChange(
      world,
      paths,
      { session: session.id, cwd: launch.cwd, launched: launch.instructions },
      log.say,
    ),
    recorded,
    asked,
    states,
    baseline: record.baseline.read(),
    note,
  });
}

/** How long Claude Code may take to write a prompt to the transcript. An older one that is missing will not come. */
const TRANSCRIPT_DELAY_MS = 10_000;

/** A stop for `ccc supervisor-hook` without a session record: it knows only the project's files and the event. */
async function standaloneStop(session: HookSession, event: StopEvent): Promise<Stop> {
  const { world, id, project, paths, files, log } = session;
  // Nobody is asked about them: no launch has settled anything.
  const { instructions } = findInstructions(world, paths, project, log.say);
  const states = statesWithoutRecord(world.files, paths, id, { files, folder: dirname(session.outputFile) });
  log.say("no checks, proof, nudges or confirmation: the hook belongs to no supervised launch");
  return assembleStop({
    ...session,
    isStandalone: true,
    // The settings file is all that is known of the reviewer.
    launch: {
      ...assumedLaunch(world),
      cwd: project,
      instructions: { path: instructions.path, text: instructions.text },
      // Checks are decided at a launch, and there was none.
      checks: { commands: [], left_out: [] },
    },
    options: readSettings(world, log.say),
    instructionsChange: undefined,
    asked: await eventPrompts(event, states, undefined),
    record: undefined,
    states,
    baseline: undefined,
    note: () => {},
  });
}

/** The outcome of a stop that was an accident or needs no review; undefined if it has to be reviewed. */
async function withoutReview(stop: Stop, event: StopEvent): Promise<Outcome | undefined> {
  const { record, states, asked, log } = stop;
  const [state] = states;
  const { userPromptId } = asked;
  const read = <T>(action: () => T) => bestEffort(log.say, "read the session record", action);
  const question = {
    event,
    stop,
    done: record && state && read(() => reviewState(state).done(userPromptId)),
    hasWakeUp: (record && read(() => record.scheduled.hasWakeUp(event.session_crons, userPromptId))) ?? false,
  };
  const why = await whySkipped(question);
  const nudged = why === undefined || SKIPS[why].mayNudge ? await nudgeStop(stop) : undefined;
  if (nudged !== undefined) return nudged;
  return why && skipReview(stop, why, () => hasWorked(question, why));
}

/** After an answer in a schema Claude Code ignores feedback, so a stop that would send the agent back is the end. */
async function withoutFeedback(outcome: Outcome, { transcript }: Stop): Promise<Outcome> {
  if (outcome.kind !== "rework" || transcript === undefined || !(await endsInSchema(transcript))) return outcome;
  // Without the instructions for an agent that can continue.
  const said = outcome.feedback.replace(withCriteria("", outcome.criteria), "").replace(/\.$/, "");
  const why = `With --json-schema Claude Code passes no feedback on, so the agent did not continue: ${said}`;
  return { ...outcome, kind: "stalemate", rounds: outcome.round, why };
}

interface AnsweredStop {
  readonly hook: HookOptions;
  readonly session: HookSession;
  /** Undefined if something went wrong before it could be reviewed. */
  readonly stop: Stop | undefined;
}

/** What the hook prints: nothing, or one JSON object. Also reports the outcome to the user and to a waiting ccc. */
async function answerOf(outcome: Outcome, { hook, session, stop }: AnsweredStop): Promise<StopAnswer | undefined> {
  const { redactor } = session;
  const limit = stop?.options.max_iterations ?? 0;
  const log = `${hook.stateDir}/${LOG_NAME}`;
  const shown = announcement(outcome, limit, log);
  const { exitCode, feedback, message } = meaningOf(outcome);
  // A hook on its own passes the reviewer's words on as they are.
  const reason = stop?.isStandalone === true ? feedback : message;
  const remarks = [...reviewedInstead(outcome), proofOf(outcome), ...(stop?.findings ?? [])].filter(
    (each) => each !== undefined,
  );
  const [line = "", ...more] = [shown, ...remarks].map(redactor.text);
  noteRun(session.world, hook, { event: "outcome", code: exitCode ?? null, lines: [line, ...more] });
  const terminalSequence = stop && (await notifyOf(outcome, line, { hook, session, stop }));
  // Which Claude Code runs a session that ccc did not start is not certain, and one that is too old would just stop.
  const takesFeedback = !hook.isPersistent && canDo(stop?.launch.version, "stopFeedback");
  const block = reason === undefined ? undefined : continueWith(shortened(reason, session.outputFile), takesFeedback);
  if (!hook.announce) return block;
  const systemMessage = [shown, ...remarks].join("\n");
  return { ...block, systemMessage, ...(terminalSequence === undefined ? {} : { terminalSequence }) };
}

/** Who reviewed or confirmed, if it was not the first reviewer. */
function reviewedInstead(outcome: Outcome): string[] {
  if (!("usage" in outcome)) return [];
  const { reviewer, instead, confirmation } = outcome;
  const others = (why: string) => `because others could not. ${why}`;
  return [
    ...(instead === undefined ? [] : [`Reviewed by ${reviewer}, ${others(instead)}`]),
    ...(confirmation?.instead === undefined
      ? []
      : [`Confirmed by ${confirmation.reviewer}, ${others(confirmation.instead)}`]),
  ];
}

function proofOf(outcome: Outcome): string | undefined {
  return "proof" in outcome ? outcome.proof : undefined;
}

/** Notifies the user of the end of a run; returns what the terminal gets, if anything. */
async function notifyOf(
  outcome: Outcome,
  message: string,
  { hook, session, stop }: AnsweredStop & { readonly stop: Stop },
): Promise<string | undefined> {
  const { world, id, project, launch, recorded, log, paths } = stop;
  const { notify } = stop.options;
  const { env: terminal } = session.world;
  const { ending } = OUTCOMES[outcome.kind];
  // An answer with a field that this Claude Code does not know could be refused as a whole.
  const hasTerminal = stop.isTerminal && !hook.isPersistent && canDo(launch.version, "hookNotifications");
  if (stop.isStandalone || ending === undefined || (notify === true && !hasTerminal)) return undefined;
  const promptedAt = Date.parse(recorded?.findLast((prompt) => prompt.by_user)?.at ?? "");
  const seconds = (world.now().getTime() - promptedAt) / 1000;
  const end = { ending, message, secondsSincePrompt: Number.isNaN(seconds) ? 0 : seconds, session: id, project };
  const identities = () => (hook.settings === undefined ? [] : [readIdentity(world.files, hook.settings)]);
  const commandEnv = () => checkEnvironment(world.env, providerKeyFinder(world, identities()));
  return notifyUser(world, end, { notify, terminal, commandEnv, cwd: paths.folder, say: log.say });
}

/** Cuts at the end of a sentence and names the file with the rest. */
function shortened(text: string, outputFile: string): string {
  if (text.length <= LONGEST_REASON) return text;
  const ending = `\n[cut; the complete review is in ${outputFile}]`;
  const head = text.slice(0, LONGEST_REASON - ending.length);
  const end = Math.max(...[". ", ".\n", "! ", "? ", "。", "\n"].map((stop) => head.lastIndexOf(stop)));
  return (end > head.length / 2 ? head.slice(0, end + 1) : head).trimEnd() + ending;
}
