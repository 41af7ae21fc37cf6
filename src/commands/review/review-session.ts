/** `ccc review` in steps: the session, its reviewers, the review. `ccc calibrate` uses the last two. */
import { dirname } from "node:path";
import { refuseSettings } from "../../claude/accepted-settings.ts";
import { type Place, readLayers } from "../../claude/layers.ts";
import { type Prompt, startsTurn } from "../../claude/prompts.ts";
import { IS_ID, type SavedSession, savedSessions, transcriptsSince } from "../../claude/sessions.ts";
import type { LastAnswer, SessionFacts } from "../../claude/transcript.ts";
import { hookForm } from "../../claude/versions.ts";
import { type ReviewContext, type SupervisorSettings, supervisorSettings } from "../../config/defaults.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Paths } from "../../config/paths.ts";
import { CccError, EXIT, usageError } from "../../errors.ts";
import { claudeVersion } from "../../launch/ask-claude.ts";
import { findClaude } from "../../launch/find.ts";
import { launchSituation, planLaunch, providerSettings } from "../../launch/plan.ts";
import type { ChildResult } from "../../os/child.ts";
import type { Files } from "../../os/files.ts";
import { shownName } from "../../os/names.ts";
import { resolveKeys, withResolvedEnv } from "../../providers/references.ts";
import type { SettledChecks } from "../../supervisor/checks/commands.ts";
import { NO_APPROVAL, type Outcome } from "../../supervisor/outcome.ts";
import { rememberEnvironment } from "../../supervisor/record/launch.ts";
import { sessionPrompts } from "../../supervisor/record/prompts.ts";
import { type LaunchRecord, openSession } from "../../supervisor/record/session.ts";
import { unsavedState } from "../../supervisor/record/state.ts";
import type { StopNotes } from "../../supervisor/record/stops.ts";
import { readLastAnswer } from "../../supervisor/record/transcript.ts";
import type { Instructions } from "../../supervisor/review/instructions.ts";
import { reviewStop } from "../../supervisor/review/review.ts";
import { assembleStop } from "../../supervisor/review/stop.ts";
import { reviewerFile } from "../../supervisor/setup/plan.ts";
import { plannedReviewers, recordedReviewers, type Supervision } from "../../supervisor/setup/supervision.ts";
import { type Json, prettyJson } from "../../text/json.ts";
import type { Redactor } from "../../text/redact.ts";
import { shellWord } from "../../text/shell.ts";
import type { EndSignal, World } from "../../world.ts";

/** What decides who reviews. */
export interface ReviewerInput {
  /** `--provider` and `--model`. */
  readonly provider: string | undefined;
  readonly model: string | undefined;
  /** The providers that the session may have run on, and its model. */
  readonly ranOn: readonly string[];
  readonly agentsModel: string | undefined;
  readonly current: string;
}

interface ChosenReviewer {
  /** The agent's provider; empty if unknown. */
  readonly agent: string;
  readonly supervision: Supervision;
}

/**
 * Who reviews: only the provider that the command line names, else the reviewers in ccc.json, else the provider that the
 * session last ran on.
 */
export function chooseReviewer(input: ReviewerInput, supervision: Supervision): ChosenReviewer {
  const { ranOn, current } = input;
  const [only = ""] = ranOn;
  const agent = ranOn.includes(current) ? current : ranOn.length === 1 ? only : "";
  const usual = supervision.provider ?? (agent || (ranOn.length === 0 ? current : undefined));
  const provider = input.provider ?? usual;
  if (provider === undefined) {
    throw usageError(
      `this session ran on ${ranOn.join(" or ")}: they have the same model, ${input.agentsModel}`,
      `Choose the reviewer: ${ranOn.map((name) => `ccc review --provider ${name}`).join(", ")}`,
    );
  }
  // The model in ccc.json belongs to the usual reviewer.
  const model = input.model ?? (provider === usual ? supervision.model : undefined);
  const isNamed = input.provider !== undefined || input.model !== undefined;
  const fallback = isNamed ? [] : supervision.fallback;
  const confirm = isNamed ? supervision.confirm !== false : supervision.confirm;
  return { agent, supervision: { ...supervision, provider, model, fallback, confirm } };
}

interface FoundSession extends SavedSession {
  readonly facts: SessionFacts;
}

/** The session whose id begins with `word`; without a word, the last one in this folder that has an answer. */
export async function findSession(
  word: string | undefined,
  files: Files,
  place: Place,
  read: (transcript: string) => Promise<SessionFacts>,
): Promise<FoundSession> {
  const own = savedSessions(files, place);
  if (word === undefined) return lastSession(own, files, place, read);
  const session = namedSession(word, own, files, place);
  refuseUnreadable(session, files);
  const facts = await read(session.transcript);
  const why = nothingIn(facts);
  if (why !== undefined) {
    throw new CccError(`session ${session.id} has ${why}, so there is nothing to review`, {
      exitCode: EXIT.notReviewed,
    });
  }
  const [folder = ""] = facts.folders;
  if (!facts.folders.includes(place.cwd)) {
    throw usageError(
      `session ${session.id} belongs to another folder: ${shownName(folder)}`,
      `Review it there: cd ${shownName(shellWord(folder))} && ccc review ${session.id}`,
    );
  }
  return { ...session, facts };
}

/** Skips sessions of folders with a similar path, which share a folder of transcripts, and sessions without an answer. */
async function lastSession(
  own: readonly SavedSession[],
  files: Files,
  place: Place,
  read: (transcript: string) => Promise<SessionFacts>,
): Promise<FoundSession> {
  for (const session of own.slice(0, MOST_TRIED)) {
    refuseUnreadable(session, files);
    const facts = await read(session.transcript);
    if (facts.folders.includes(place.cwd) && nothingIn(facts) === undefined) return { ...session, facts };
  }
  const above = folderAbove(files, place);
  throw new CccError(`Claude Code has no session with an answer in ${place.cwd}, so there is nothing to review`, {
    exitCode: EXIT.notReviewed,
    advice:
      above === undefined
        ? "Start one here with ccc, or go to the folder that you started it in."
        : `There is one in ${above}: cd ${shellWord(above)} && ccc review`,
  });
}

const MOST_TRIED = 20;

function refuseUnreadable({ transcript }: SavedSession, files: Files): void {
  if (files.entry(transcript)?.isReadable !== false) return;
  throw new CccError(`cannot read ${transcript}: permission denied`, {
    advice: `Make it readable: chmod u+r ${shellWord(transcript)}`,
  });
}

function nothingIn({ prompts, hasAnswer }: SessionFacts): string | undefined {
  if (!prompts.some(({ byUser }) => byUser)) return "no prompt of yours";
  return hasAnswer ? undefined : "no answer of the agent";
}

function folderAbove(files: Files, place: Place): string | undefined {
  for (let folder = dirname(place.cwd); folder !== dirname(folder); folder = dirname(folder))
    if (savedSessions(files, { ...place, cwd: folder }).length > 0) return folder;
  return undefined;
}

function namedSession(word: string, own: readonly SavedSession[], files: Files, place: Place): SavedSession {
  const wanted = word.toLowerCase();
  const begins = ({ id }: SavedSession) => wanted !== "" && id.toLowerCase().startsWith(wanted);
  const here = own.filter(begins);
  const others = () => transcriptsSince(files, place, 0).filter((each) => IS_ID.test(each.id) && begins(each));
  const found = here.length > 0 ? here : others();
  const [session] = found;
  if (session === undefined) {
    const [last] = own;
    throw usageError(
      `no session begins with "${word.slice(0, LONGEST_SHOWN)}"`,
      last === undefined ? "Claude Code has none in this folder." : `The last one in this folder is ${last.id}.`,
    );
  }
  if (found.length > 1) {
    const ids = found.slice(0, MOST_SHOWN).map(({ id }) => id);
    throw usageError(`${found.length} sessions begin with "${word}"`, `Type more of the id: ${ids.join(", ")}`);
  }
  return session;
}

const MOST_SHOWN = 5;
const LONGEST_SHOWN = 40;

export interface PreparedReviewers {
  readonly record: Pick<LaunchRecord, "claude" | "version" | "reviewer" | "same_model" | "fallback" | "confirmer">;
  /** The first reviewer's settings file. */
  readonly settings: string;
  /** The settings of all reviewers, and the keys that they refer to, for redaction. */
  readonly contents: readonly Json[];
  readonly keys: readonly string[];
}

/** Writes the reviewers' settings files, as a launch on their providers would. */
export async function prepareReviewers(
  world: World,
  { agent, supervision }: ChosenReviewer,
  config: LoadedConfig,
  paths: Paths,
): Promise<PreparedReviewers> {
  const claude = findClaude(world);
  const version = await claudeVersion(world, claude, paths);
  const reviewers = plannedReviewers(agent, supervision);
  const loaded = await withResolvedEnv(config, [...new Set(reviewers.map(({ provider }) => provider))], world);
  const layers = readLayers(world.files, world);
  // The files are named after their content, because sessions that use other files of the provider may be running.
  const planned = reviewers.map(({ provider, model }) => {
    const launch = { loaded, paths, provider, named: false, claude, layers };
    const situation = launchSituation(world, loaded.config.claude_args ?? [], launch);
    const { settings } = situation.folded;
    if (settings !== undefined) refuseSettings(settings);
    // On the agent's provider it gets the agent's own settings, so that it can share the prompt cache.
    const plan = provider === agent ? planLaunch(situation) : undefined;
    const { content, references } =
      plan === undefined
        ? providerSettings(situation, provider)
        : { content: plan.settings.agent.content, references: plan.references };
    const form = { self: world.self, hookForm: hookForm(version, world.platform) };
    return { file: reviewerFile(situation, form, { provider, model, content }), references };
  });
  const keys = await resolveKeys(
    planned.flatMap(({ references }) => references),
    world,
  );
  for (const { file } of planned) {
    world.files.writePrivate(file.path, prettyJson(file.content));
    // Launches remove files that were not used for a long time.
    world.files.touch(file.path);
  }
  const [settings = "", ...fallback] = planned.map(({ file }) => file.path);
  const record = { claude, version: version ?? null, ...recordedReviewers(reviewers, fallback) };
  return { record, settings, contents: planned.map(({ file }) => file.content), keys };
}

interface ReviewOrder {
  readonly session: FoundSession;
  readonly loaded: LoadedConfig;
  readonly paths: Paths;
  readonly reviewers: PreparedReviewers;
  readonly instructions: Instructions;
  readonly checks: SettledChecks;
  readonly context: ReviewContext;
  readonly confirm: SupervisorSettings["confirm"];
  readonly redactor: Redactor;
  /** Gets the current step of the review, in a few words. */
  readonly onStep: (step: string) => void;
  readonly onTrouble: (message: string) => void;
}

export interface SessionReview {
  readonly outcome: Outcome;
  readonly notes: StopNotes;
  readonly findings: readonly string[];
  /** The signal that interrupted it. */
  readonly signal: EndSignal | undefined;
}

/** Part of every message with which the loop engine made the agent continue, now and in older versions. */
const SENT_BY_CCC = [NO_APPROVAL, "The usage limit has reset. Continue where you left off."];

/** Reviews a session in its current state, as at a stop. Nothing is recorded. */
export async function reviewSession(world: World, order: ReviewOrder): Promise<SessionReview> {
  const { paths, reviewers, instructions, checks } = order;
  const { id, transcript, facts } = order.session;
  const { files, cwd: project } = world;
  const record = openSession(files, paths, id);
  const state = record.state.read();
  const { prompts, isUnrecorded } = sessionPrompts(record.prompts.read() ?? [], facts.prompts, [
    ...(state?.feedback ?? []),
    ...SENT_BY_CCC,
  ]);
  const launch = {
    cwd: project,
    ...reviewers.record,
    instructions,
    checks,
    environment: rememberEnvironment(world.env),
  };
  const baseline = record.baseline.read();
  const answer = await readLastAnswer(transcript);
  const launched = record.launch.read()?.instructions;
  const isWarm = world.now().getTime() - (files.modified(transcript) ?? 0) < WARM_MS;
  const { world: there, signal, stopListening } = interruptibleWorld(world);
  let notes: StopNotes = {};
  const stop = assembleStop({
    world: { ...there, stderr: () => {} },
    id,
    project,
    cwd: facts.cwd !== undefined && files.identify(facts.cwd)?.isFolder === true ? facts.cwd : project,
    paths,
    launch,
    settings: reviewers.settings,
    isTerminal: facts.isTerminal,
    options: {
      ...supervisorSettings(order.loaded.config),
      context: order.context === "auto" && !isWarm ? "fresh" : order.context,
      confirm: order.confirm,
      // The user asks for one review, whatever it costs.
      max_iterations: 1,
      budget_tokens: 0,
      stalemate: 0,
    },
    redactor: order.redactor,
    log: { say: () => {} },
    asked: { prompts, userPromptId: undefined },
    transcript,
    answer: undefined,
    baseline,
    instructionsChange: launched && launched.text !== instructions.text ? OTHER_INSTRUCTIONS : undefined,
    findings: [
      ...(hasEnded(facts.prompts, answer) ? [] : [UNFINISHED]),
      ...(baseline !== undefined && isUnrecorded ? [OLDER_BASELINE] : []),
    ],
    // Nothing is recorded.
    record: undefined,
    states: [unsavedState(state)],
    files: undefined,
    outputFile: "",
    note: (more) => {
      notes = { ...notes, ...more };
    },
    onTrouble: order.onTrouble,
    onStep: order.onStep,
    isOnDemand: true,
  });
  const outcome = await reviewStop(stop).finally(stopListening);
  return { outcome, notes, findings: stop.findings, signal: signal() };
}

interface InterruptibleWorld {
  /** Starts no more programs once ccc is asked to end: between two programs, nothing else would notice that. */
  readonly world: World;
  /** The signal that asked it to end. */
  readonly signal: () => EndSignal | undefined;
  readonly stopListening: () => void;
}

export function interruptibleWorld(world: World): InterruptibleWorld {
  let first: EndSignal | undefined;
  const stopListening = world.onSignal((signal) => {
    first ??= signal;
  });
  return {
    world: { ...world, run: (request) => (first === undefined ? world.run(request) : Promise.resolve(INTERRUPTED)) },
    signal: () => first,
    stopListening,
  };
}

const INTERRUPTED: ChildResult = { exitCode: null, ending: "interrupted", stderr: "" };

/** Providers keep a prompt cache at least that long. Later, a fork of a long session would be paid for in full. */
const WARM_MS = 5 * 60 * 1000;

/** Whether the last answer belongs to the last prompt. In a long session that prompt may be unknown. */
function hasEnded(prompts: readonly Prompt[], answer: LastAnswer | undefined): boolean {
  const last = prompts.findLast(startsTurn);
  return answer !== undefined && (answer.prompt ?? last?.text) === last?.text;
}

const UNFINISHED =
  "The agent's last turn did not end by itself: it was interrupted, it ended with an error, or it is still running.";

const OTHER_INSTRUCTIONS =
  "The reviewer's instructions changed after the session started. This review uses the current ones.";

const OLDER_BASELINE =
  "The session continued without supervision, so the changed files are those since an earlier prompt of the user.";
