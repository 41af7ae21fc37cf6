import { dirname, join, resolve } from "node:path";
import { isDelegated, type StopEvent, StopEventSchema } from "../../claude/events.ts";
import { goOn, LONGEST_REASON, type StopAnswer } from "../../claude/hook-settings.ts";
import { isTerminalSession, SESSION_ID } from "../../claude/places.ts";
import { canDo } from "../../claude/versions.ts";
import { cccPaths } from "../../config/paths.ts";
import { messageOf } from "../../errors.ts";
import { findClaude } from "../../launch/find.ts";
import { asObject, parseJson } from "../../text/json.ts";
import { createRedactor, type Redactor } from "../../text/redact.ts";
import type { Env, World } from "../../world.ts";
import { readBaseline } from "../changes/baseline.ts";
import { changesWhenAsked } from "../changes/suspicions.ts";
import { leftOutFinding } from "../checks/result.ts";
import { checkEnvironment } from "../checks/run.ts";
import { notifyUser } from "../notify.ts";
import { bestEffort, type HookOptions, LOG_NAME, projectFiles, readOptions, supervisorLog } from "../options.ts";
import { announcement, exitCodeFor, OUTCOMES, type Outcome, reviewedInstead, SKIPS } from "../outcome.ts";
import { type LaunchRecord, launchEnvironment, readSwitch, saveSwitch } from "../record/launch.ts";
import {
  eventPrompts,
  hasWakeUp,
  promptsOnRecord,
  type RecordedPrompt,
  readPromptRecord,
  saveScheduled,
} from "../record/prompts.ts";
import { noteRun } from "../record/run-notes.ts";
import { sessionRecord } from "../record/session.ts";
import { readDone, stateOnRecord } from "../record/state.ts";
import { NO_NOTES, openStop, recordOutcome, recordStop } from "../record/stops.ts";
import { instructionsChange, readInstructions, shownInstructions } from "../review/instructions.ts";
import { notReviewed, reviewStop } from "../review/review.ts";
import { readIdentity, reviewerProgram } from "../review/reviewer-program.ts";
import {
  type HookSession,
  type ReadyStop,
  retriesBefore,
  sessionChecks,
  sessionEvidence,
  sessionReviewers,
} from "../review/session.ts";
import { nothingToReview } from "../review/skip.ts";
import { knownSecrets, providerKeys } from "../secrets.ts";
import { LARGEST_EVENT, readEvent } from "./read-event.ts";
import { bindLaunch, claudeOf } from "./session-start.ts";

/**
 * A stop of a session with a record. The review depends on the record, as it was at the launch: not on the project, nor
 * on the hook's environment, both of which the agent or the project's settings can change.
 */
export async function recordedStop(
  base: HookSession,
  hook: HookOptions,
  event: StopEvent,
  configDir: string,
): Promise<ReadyStop> {
  const { files } = base.world;
  const paths = cccPaths({ env: { CCC_CONFIG_DIR: configDir }, platform: base.world.platform });
  const record = sessionRecord(paths, base.id);
  const write = <T>(action: () => T) => bestEffort(base.log.say, "write the session record", action);
  const read = <T>(action: () => T) => bestEffort(base.log.say, "read the session record", action);
  const open = openStop(base.world, record, { promptId: event.prompt_id, clean: base.redactor.value, write });
  const launch = bindLaunch(
    base.world,
    paths,
    record,
    { project: base.project, isPersistent: hook.isPersistent, isNew: false },
    write,
  );
  const env = { ...launchEnvironment(launch.environment, base.world.env), CCC_CONFIG_DIR: configDir };
  const world: World = { ...base.world, env };
  const change = instructionsChange(
    launch.instructions,
    readInstructions(files, launch.cwd, paths.folder, base.log.say),
  );
  const recorded = readPromptRecord(files, record);
  const state = stateOnRecord(base, record);
  const asked = recorded === undefined ? await eventPrompts(files, event, [state]) : promptsOnRecord(recorded);
  const { userPromptId } = asked;
  const crons = event.session_crons;
  write(() => saveScheduled(files, record, crons, userPromptId));
  const cwd = event.cwd ?? base.project;
  const options = readOptions(world, base.log.say);
  const changes = changesWhenAsked(world, { paths, launch, project: base.project, cwd }, readBaseline(files, record));
  const question = {
    event,
    recorded,
    done: read(() => readDone(state, userPromptId)),
    changes,
    hasWakeUp: read(() => hasWakeUp(files, record, crons, userPromptId)) ?? false,
    when: options.when,
  };
  const skipped = hook.isDue ? undefined : await nothingToReview(question);
  const evidence = () =>
    sessionEvidence({
      project: base.project,
      transcript: event.transcript_path,
      lastMessage: event.last_assistant_message,
    });
  return {
    skipped,
    // Which Claude Code runs a session that ccc did not start is not certain, and one that is too old would just stop.
    takesFeedback: !hook.isPersistent && canDo(launch.version, "stopFeedback"),
    notify: stopNotifier(world, base, {
      ...{ hook, hookEnv: base.world.env, launch, recorded },
      ...{ notify: options.notify, folder: paths.folder },
    }),
    session: {
      ...base,
      world,
      options,
      instructions: launch.instructions,
      checks: sessionChecks(world, launch, record, hook.settings),
      states: [state],
      now: record.now,
      reviewers: sessionReviewers(world, {
        launch,
        settings: hook.settings,
        context: options.context,
        isTerminal: isTerminalSession(base.world.env),
        claude: claudeOf(world, launch),
        sessionId: base.id,
        project: base.project,
        transcript: event.transcript_path,
      }),
      onTrouble: base.log.say,
      note: open.note,
    },
    stop: {
      asked,
      recorded: recorded?.length,
      tasks: event.background_tasks,
      cwd,
      isRepeated: event.stop_hook_active === true,
      findings: [change, leftOutFinding(launch.checks.left_out, launch.cwd)].filter((each) => each !== undefined),
      changes,
      evidence,
      lastMessage: async () => event.last_assistant_message ?? (await evidence()).lastMessage,
      agentTokens: 0,
    },
    close: open.close,
  };
}

/** A stop for `ccc supervisor-hook` without a session record: it knows only the project's files and the event. */
export async function standaloneStop(base: HookSession, hook: HookOptions, event: StopEvent): Promise<ReadyStop> {
  const { world, id, project, log } = base;
  const paths = cccPaths(world);
  const instructions = readInstructions(world.files, project, paths.folder, log.say);
  const name = `supervisor-${id}.json`;
  const inProject = join(dirname(base.outputFile), name);
  // The fallback where the project's folder is not writable.
  const elsewhere = join(paths.generated, name);
  const states = [
    ...(base.files === undefined ? [] : [{ path: inProject, edit: base.files.edit.bind(undefined, inProject) }]),
    { path: elsewhere, edit: world.files.edit.bind(undefined, elsewhere) },
  ];
  return {
    session: {
      ...base,
      options: readOptions(world, log.say),
      instructions,
      // They are settled at a launch, and there was none.
      checks: { commands: [], env: {}, memory: undefined },
      states,
      // Its settings file is all that is known of the reviewer.
      reviewers: [
        {
          name: "",
          way: "schema",
          program: (way, cwd) =>
            reviewerProgram(world, {
              way,
              claude: findClaude(world),
              sessionId: id,
              settings: hook.settings,
              systemPrompt: shownInstructions(instructions),
              project,
              cwd,
              transcript: undefined,
              retries: retriesBefore(0),
            }),
        },
      ],
      onTrouble: log.say,
      note: () => {},
    },
    stop: {
      recorded: undefined,
      asked: await eventPrompts(world.files, event, states),
      tasks: event.background_tasks,
      cwd: event.cwd ?? project,
      isRepeated: event.stop_hook_active === true,
      findings: [],
      changes: async () => ({ why: "no baseline" }),
      evidence: undefined,
      lastMessage: async () => event.last_assistant_message ?? "",
      agentTokens: 0,
    },
    skipped: event.background_tasks.some(isDelegated) ? "delegated" : undefined,
    takesFeedback: false,
    notify: async () => undefined,
    close: () => {},
  };
}

/** What the hook prints: nothing, or one JSON object. */
export function stopAnswer(outcome: Outcome, options: AnswerOptions): StopAnswer | undefined {
  const { announce, findings, notification } = options;
  const block =
    outcome.kind === "rework" ? goOn(cut(outcome.feedback, options.outputFile), options.takesFeedback) : undefined;
  if (!announce) return block;
  const instead = reviewedInstead(outcome);
  const notes = instead === undefined ? findings : [instead, ...findings];
  const systemMessage = [announcement(outcome, options.limit, options.log), ...notes].join("\n");
  const sequence = notification === undefined ? {} : { terminalSequence: notification };
  return { ...block, systemMessage, ...sequence };
}

export interface AnswerOptions {
  readonly limit: number;
  /** Whether the user sees the outcome too. */
  readonly announce: boolean;
  /** Whether this Claude Code lets a Stop hook give feedback without calling it an error. */
  readonly takesFeedback: boolean;
  /** What the terminal gets, to notify the user. */
  readonly notification: string | undefined;
  /** Has the complete feedback when it is too long for Claude Code. */
  readonly outputFile: string;
  /** The log, as the user finds it from the project. */
  readonly log: string;
  /** What ccc noticed and the user should know. */
  readonly findings: readonly string[];
}

/** Cuts at the end of a sentence and names the file with the rest. */
export function cut(text: string, outputFile: string): string {
  if (text.length <= LONGEST_REASON) return text;
  const note = `\n[cut; the complete review is in ${outputFile}]`;
  const head = text.slice(0, LONGEST_REASON - note.length);
  const end = Math.max(...[". ", ".\n", "! ", "? ", "。", "\n"].map((stop) => head.lastIndexOf(stop)));
  return (end > head.length / 2 ? head.slice(0, end + 1) : head).trimEnd() + note;
}

/** Answers a Stop event, whatever happens. Without a review the agent may stop. */
export async function superviseStop(world: World, hook: HookOptions): Promise<void> {
  const redactor = createRedactor(secretsOf(world, hook));
  const about = {
    limit: 0,
    announce: hook.announce,
    takesFeedback: false,
    outputFile: "",
    log: `${hook.stateDir}/${LOG_NAME}`,
    findings: [] as readonly string[],
  };
  let close: ReadyStop["close"] = () => {};
  let notify: ReadyStop["notify"] = async () => undefined;
  let outcome: Outcome;
  let base = hookSession(world, hook, redactor, undefined);
  try {
    const event = readEvent(world, StopEventSchema, "Stop");
    base = hookSession(world, hook, redactor, event);
    noteRun(world, hook, { event: "stop", session: event.session_id });
    const { configDir } = hook;
    const ready =
      configDir === undefined ? standaloneStop(base, hook, event) : recordedStop(base, hook, event, configDir);
    const { session, stop, skipped, takesFeedback } = await ready.then((found) => {
      ({ close, notify } = found);
      return found;
    });
    about.limit = session.options.maxIterations;
    about.outputFile = session.outputFile;
    about.findings = stop.findings;
    about.takesFeedback = takesFeedback;
    outcome = skipped === undefined ? await reviewStop(session, stop) : { kind: "skipped", why: skipped };
    if (outcome.kind === "unreviewed") base.log.say(`could not review: ${outcome.why}`);
    if (outcome.kind === "skipped") base.log.say(`no review: ${SKIPS[outcome.why].text}`);
  } catch (error) {
    outcome = notReviewed(error);
    base.log.say(messageOf(error));
  }
  if (outcome.kind === "unreviewed") outcome = { ...outcome, why: redactor.text(outcome.why) };
  close(outcome);
  const instead = reviewedInstead(outcome);
  const told = redactor.text(announcement(outcome, about.limit, about.log));
  noteRun(world, hook, {
    event: "outcome",
    code: exitCodeFor(outcome) ?? null,
    lines: [told, ...[...(instead === undefined ? [] : [instead]), ...about.findings].map(redactor.text)],
  });
  const notification = await notify(outcome, told);
  const answer = stopAnswer(outcome, { ...about, notification });
  if (answer !== undefined) world.stdout(JSON.stringify(answer));
}

function secretsOf(world: World, { settings, configDir }: HookOptions): string[] {
  const env = configDir === undefined ? world.env : { ...world.env, CCC_CONFIG_DIR: configDir };
  return knownSecrets({ ...world, env }, settings === undefined ? [] : [readIdentity(world.files, settings)]);
}

function hookSession(world: World, hook: HookOptions, redactor: Redactor, event: StopEvent | undefined): HookSession {
  const project = projectOf(world, event);
  const folder = resolve(project, hook.stateDir);
  const open = () => projectFiles(world.files, project, folder);
  const log = supervisorLog(world, folder, open, redactor.text);
  const id = event?.session_id ?? "";
  const files = event && bestEffort(log.say, "save the state in the project", open);
  return { world, id, project, files, outputFile: join(folder, `supervisor-${id}-output.jsonl`), log, redactor };
}

/** The folder the session started in; the agent may have changed folders since. */
function projectOf(world: World, event: StopEvent | undefined): string {
  return world.env.CLAUDE_PROJECT_DIR || event?.cwd || world.cwd;
}

/** Answers a Stop event as the user has switched it in the session. */
export async function superviseSwitchedStop(world: World, hook: HookOptions): Promise<void> {
  const text = world.stdin(LARGEST_EVENT);
  const read: World = { ...world, stdin: () => text };
  const { session_id: session, prompt_id } = asObject(parseJson(text ?? ""));
  const { configDir, isPersistent } = hook;
  if (configDir === undefined || isPersistent || typeof session !== "string" || !SESSION_ID.test(session))
    return superviseStop(read, hook);
  const { files } = world;
  const record = sessionRecord(cccPaths({ env: { CCC_CONFIG_DIR: configDir }, platform: world.platform }), session);
  const found = readSwitch(files, record);
  if (found?.is_on ?? !hook.isIdle) {
    if (found?.is_due)
      bestEffort(world.stderr, "record the review", () => saveSwitch(files, record, { ...found, is_due: false }));
    return superviseStop(read, { ...hook, settings: hook.settings ?? found?.reviewer, isDue: found?.is_due === true });
  }
  // The record tells a stop without a review from one that was not to be reviewed.
  const stop = crypto.randomUUID();
  const at = world.now().toISOString();
  const id = typeof prompt_id === "string" ? prompt_id : null;
  bestEffort(world.stderr, "record the stop", () => {
    recordStop(files, record, { stop, at, pid: world.pid, prompt_id: id });
    const end = { stop, at, outcome: { kind: "skipped", why: "off" }, notes: NO_NOTES } as const;
    recordOutcome(files, record, end, (value) => value);
  });
}

/** Notifies the user of how a recorded stop ended. `world` has the environment of the launch. */
export function stopNotifier(
  world: World,
  { id, project, log }: HookSession,
  about: {
    readonly hook: Pick<HookOptions, "settings" | "isPersistent">;
    readonly hookEnv: Env;
    readonly launch: LaunchRecord;
    readonly recorded: readonly RecordedPrompt[] | undefined;
    readonly notify: boolean | string;
    readonly folder: string;
  },
): ReadyStop["notify"] {
  const { hook, hookEnv, launch, recorded, notify, folder } = about;
  // An answer with a field that this Claude Code does not know could be refused as a whole.
  const hasTerminal = isTerminalSession(hookEnv) && !hook.isPersistent && canDo(launch.version, "hookNotifications");
  return async (outcome, message) => {
    const { ending } = OUTCOMES[outcome.kind];
    if (ending === undefined || (notify === true && !hasTerminal)) return undefined;
    const promptedAt = Date.parse(recorded?.findLast((prompt) => prompt.by_user)?.at ?? "");
    const seconds = (world.now().getTime() - promptedAt) / 1000;
    const end = { ending, message, secondsSincePrompt: Number.isNaN(seconds) ? 0 : seconds, session: id, project };
    const keys = () =>
      providerKeys(world, hook.settings === undefined ? [] : [readIdentity(world.files, hook.settings)]);
    const commandEnv = () => checkEnvironment(world.env, keys());
    return notifyUser(world, end, { notify, terminal: hookEnv, commandEnv, cwd: folder, say: log.say });
  };
}
