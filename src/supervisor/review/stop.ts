import { type BackgroundTask, isDelegated, type StopEvent } from "../../claude/events.ts";
import { reportsFailure } from "../../claude/prompts.ts";
import type { ReviewWay } from "../../claude/runs.ts";
import { type SessionLog, sessionSteps, toolWatch } from "../../claude/transcript.ts";
import { canDo } from "../../claude/versions.ts";
import { reviewerLabel, type SupervisorSettings } from "../../config/defaults.ts";
import type { Paths } from "../../config/paths.ts";
import type { GuardedFiles } from "../../os/locks.ts";
import type { Redactor } from "../../text/redact.ts";
import type { World } from "../../world.ts";
import type { Changes } from "../changes/changes.ts";
import { changesWhenAsked } from "../changes/suspicions.ts";
import { leftOutFinding } from "../checks/result.ts";
import { checkEnvironment, type SessionChecks } from "../checks/run.ts";
import type { SkipReason } from "../outcome.ts";
import type { SupervisorLog } from "../project.ts";
import { launchEnvironment } from "../record/launch.ts";
import type { RecordedPrompt, UserPrompts } from "../record/prompts.ts";
import type { Baseline, LaunchRecord, SessionRecord } from "../record/session.ts";
import type { DoneState, StateFile } from "../record/state.ts";
import type { StopNotes } from "../record/stops.ts";
import { awaitTranscript, readTranscriptEnd } from "../record/transcript.ts";
import { providerKeyFinder } from "../secrets.ts";
import { failedReview } from "./conversation.ts";
import { shownInstructions } from "./instructions.ts";
import { type Evidence, verdictJsonSchema } from "./message.ts";
import type { Reviewer } from "./reviewer.ts";
import { readIdentity, readReviewerSettings, reviewerProgram } from "./reviewer-program.ts";
import { findSandbox, type NoSandbox, openSandbox, type ReviewSandbox, unprepared } from "./sandbox.ts";

/** Adds to the facts of a stop everything else that a review needs: in a hook, in the loop, or for any session. */
export function assembleStop(facts: StopFacts): Stop {
  const { world, project, launch, answer, hasEnded = false } = facts;
  let known: Promise<Evidence> | undefined;
  const evidence = () => {
    known ??= sessionEvidence(facts, hasEnded ? undefined : answer);
    return known;
  };
  const reviewers = sessionReviewers(facts);
  const found = [launch.not_found, facts.instructionsChange, leftOutFinding(launch.checks.left_out, project)];
  return {
    ...facts,
    tasks: facts.tasks ?? [],
    isRepeated: facts.isRepeated ?? false,
    agentTokens: facts.agentTokens ?? 0,
    onTrouble: facts.onTrouble ?? facts.log.say,
    findings: [...found.filter((each) => each !== undefined), ...(facts.findings ?? [])],
    checks: sessionChecks(facts),
    reviewers,
    confirmers: confirmingReviewers(facts, reviewers),
    changes: changesWhenAsked(world, facts, facts.baseline),
    evidence: facts.isStandalone === true ? undefined : evidence,
    lastMessage: async () => answer ?? (facts.isStandalone === true ? "" : (await evidence()).lastMessage),
  };
}

/** Why a stop in Claude Code needs no review; undefined if it does, or in doubt. */
export async function whySkipped(question: SkipQuestion): Promise<SkipReason | undefined> {
  const { stop, event, hasWakeUp } = question;
  if (event.background_tasks.some(isDelegated)) return "delegated";
  // The agent may have entered plan mode on its own, after its work.
  if (event.permission_mode === "plan" && lastOfUser(question)?.mode === "plan") return "plan";
  if (hasWakeUp) return "scheduled";
  if ((await changedSinceDone(question)) === false) return "unchanged";
  if (stop.options.when === "changes" && (await usedTools(question)) === false) return "talk";
  return undefined;
}

/**
 * Whether the files can have changed since the user's prompt, at a stop that is skipped: if a tool ran, or something still
 * runs. Looking for changes is too expensive for every other stop.
 */
export async function hasWorked(question: SkipQuestion, why: SkipReason): Promise<boolean> {
  // Only a tool delegates and schedules.
  if (why === "delegated" || why === "scheduled" || question.event.background_tasks.length > 0) return true;
  // A plan that the user accepted may have been carried out since.
  return why === "plan" && (await toolsSince(lastOfUser(question), question.event)) !== false;
}

interface SkipQuestion {
  readonly event: StopEvent;
  readonly stop: Pick<Stop, "recorded" | "changes"> & { readonly options: Pick<Stop["options"], "when"> };
  /** The state at a review of the user's last prompt that said done, if that was the last review. */
  readonly done: DoneState | undefined;
  /** Whether the agent, working on this prompt, has scheduled a time to continue. */
  readonly hasWakeUp: boolean;
}

/** What is known of a stop, in a hook, in the loop, or when the user asks for a review. */
export interface StopFacts {
  readonly world: World;
  /** The session's id. */
  readonly id: string;
  /** The folder that it started in. */
  readonly project: string;
  /** The agent's current folder. */
  readonly cwd: string;
  readonly paths: Paths;
  /** The decisions of the session's launch: the reviewers, their instructions, the checks. */
  readonly launch: LaunchRecord;
  /** The first reviewer's settings file. */
  readonly settings: string | undefined;
  /** Whether the agent works in a terminal, not with `-p`. */
  readonly isTerminal: boolean;
  /** Whether only the event is known: the reviewer must have the conversation. */
  readonly isStandalone?: boolean;
  readonly options: SupervisorSettings;
  readonly redactor: Redactor;
  readonly log: SupervisorLog;

  /** The user's prompts. */
  readonly asked: UserPrompts;
  /** Every prompt on record, if there is a record of them. */
  readonly recorded?: readonly RecordedPrompt[] | undefined;
  readonly transcript: string | undefined;
  /** Claude Code's event, in a hook. */
  readonly event?: StopEvent | undefined;
  /** The agent's last message, if Claude Code has reported it. */
  readonly answer: string | undefined;
  /** Whether the agent's process has ended: its transcript is complete. */
  readonly hasEnded?: boolean;
  /** The files at the user's prompt. */
  readonly baseline: Baseline | undefined;
  readonly tasks?: readonly BackgroundTask[];
  /** Whether a review of this prompt has sent the agent back before. */
  readonly isRepeated?: boolean;
  /** Tokens that the agent used since the last stop, if known. */
  readonly agentTokens?: number;
  /** How the reviewer's instructions differ from those at the launch. */
  readonly instructionsChange: string | undefined;
  /** More findings of ccc for the reviewer. */
  readonly findings?: readonly string[];

  /** The session's record; undefined if nothing of the review is kept there. */
  readonly record: SessionRecord | undefined;
  /** Files for its state; the first writable one is used. */
  readonly states: readonly StateFile[];
  /** ccc's files in the project; undefined if it cannot write there. */
  readonly files: GuardedFiles | undefined;
  /** Gets every line of the reviews. */
  readonly outputFile: string;
  /** Notes something for the record. */
  readonly note: (notes: StopNotes) => void;
  /** Tells the user about trouble with a reviewer, while it lasts; else it is only logged. */
  readonly onTrouble?: (message: string) => void;
  /** Gets each step of a review: "Bash npm test", "check npm test". */
  readonly onStep?: (step: string) => void;
  /** Whether the user asked for this one review, whose verdict the agent does not get. */
  readonly isOnDemand?: boolean;
}

/** A stop that can be reviewed. */
export interface Stop extends StopFacts {
  readonly tasks: readonly BackgroundTask[];
  readonly isRepeated: boolean;
  readonly agentTokens: number;
  readonly onTrouble: (message: string) => void;
  /** All findings of ccc for the reviewer. */
  readonly findings: readonly string[];
  readonly checks: SessionChecks;
  /** Who reviews it, in the order in which they are asked. */
  readonly reviewers: readonly [Reviewer, ...Reviewer[]];
  /** Fresh reviewers that confirm a "done" of one with the conversation; undefined if nobody has to. */
  readonly confirmers: readonly [Reviewer, ...Reviewer[]] | undefined;
  /** Looks at the files once, for what changed since the user's prompt. */
  readonly changes: () => Promise<Changes>;
  /** For a reviewer without the conversation; undefined if it must have the conversation. */
  readonly evidence: (() => Promise<Evidence>) | undefined;
  /** The agent's last message. */
  readonly lastMessage: () => Promise<string>;
}

/** The checks that the launch decided on, in its environment. */
function sessionChecks(facts: StopFacts): SessionChecks {
  const { world, launch, record, settings, event } = facts;
  const { commands } = launch.checks;
  const memory = record?.checks;
  const toolCalls = async (earlier?: string) => {
    const since = earlier ?? event?.prompt_id;
    // After a block the agent's last message may be the same as before it, so it does not prove that all calls are there.
    const isUncertain = event?.stop_hook_active === true && earlier !== undefined;
    if (event === undefined || isUncertain || since === undefined || event.background_tasks.length > 0)
      return undefined;
    const calls = await turnsSince(since, event, (turns, isWhole) => (isWhole ? turns.toolCalls() : undefined));
    return calls === undefined ? undefined : { since, calls };
  };
  if (commands.length === 0) return { commands, env: {}, memory, toolCalls };
  const hasKey = providerKeyFinder(world, settings === undefined ? [] : [readIdentity(world.files, settings)]);
  return {
    commands,
    env: checkEnvironment(launchEnvironment(launch.environment, world.env), hasKey),
    memory,
    toolCalls,
  };
}

/** The reviewers that the launch decided on. */
function sessionReviewers(facts: StopFacts): [Reviewer, ...Reviewer[]] {
  const { fallback } = facts.launch;
  const first = reviewerOf(facts, { ...facts.launch, settings: facts.settings }, fallback.length);
  return [first, ...fallback.map((each, index) => reviewerOf(facts, each, fallback.length - index - 1))];
}

/**
 * The reviewers that confirm: the same ones, or the one that is named and then the fallbacks. One that was named after the
 * launch has no settings file, so it is ignored. A standalone hook has only one reviewer.
 */
function confirmingReviewers(facts: StopFacts, reviewers: Stop["reviewers"]): Stop["confirmers"] {
  const { confirm } = facts.options;
  if (confirm === false || facts.isStandalone === true) return undefined;
  const { confirmer } = facts.launch;
  const fresh = (each: Reviewer): Reviewer => ({ ...each, way: "fresh" });
  const [first, ...others] = reviewers;
  const added = confirmer === undefined ? [] : [reviewerOf(facts, confirmer, others.length)];
  const named =
    confirm === true ? undefined : [...reviewers, ...added].find(({ name }) => name === reviewerLabel(confirm));
  return [fresh(named ?? first), ...others.filter((each) => each !== named).map(fresh)];
}

function reviewerOf(facts: StopFacts, { reviewer, settings, same_model }: RecordedReviewer, others: number): Reviewer {
  const { world, id: sessionId, launch, project, cwd, transcript, options, isStandalone = false } = facts;
  const systemPrompt = isStandalone ? shownInstructions(launch.instructions) : undefined;
  // Claude Code enforces a schema with a Stop hook, in older versions without end. A standalone hook has to use one.
  const hasSchema = isStandalone || canDo(launch.version, "blockCap");
  const isInSchema = (way: ReviewWay) => hasSchema && way !== "shared";
  return {
    name: reviewer,
    way: isStandalone ? "schema" : chooseWay(facts, settings, same_model),
    isInSchema,
    start: async (way, prompts) => {
      const found = await sandboxFor(facts, way);
      if ("why" in found && options.sandbox === true) return withoutSandbox(found);
      const sandbox = "why" in found ? undefined : found;
      try {
        const program = await reviewerProgram(world, {
          way,
          schema: isInSchema(way) ? verdictJsonSchema({ isTyped: isStandalone }) : undefined,
          claude: launch.claude,
          sessionId,
          settings,
          systemPrompt,
          project,
          cwd,
          gitFolders: launch.git_folders,
          transcript,
          prompts,
          // Claude Code waits longer before each retry: two take about 2 seconds, four about 8 and after a 403 about 19.
          retries: others > 0 ? 2 : 4,
          sandbox,
        });
        if (sandbox === undefined) return { program, cwd: project, sandbox: undefined };
        const { about, translate, close } = sandbox;
        return { program, cwd: sandbox.cwd, sandbox: about, translate, close };
      } catch (error) {
        sandbox?.close();
        throw error;
      }
    },
  };
}

/** The sandbox of a review, or why it has none. In one, a fork of the session would lose the agent's prompt cache. */
async function sandboxFor(facts: StopFacts, way: ReviewWay): Promise<ReviewSandbox | NoSandbox> {
  const { world, paths, options, launch, project, log } = facts;
  if (options.sandbox === false) return { why: "supervisor.sandbox is false", advice: "" };
  if (way !== "fresh") return { why: "this review needs the conversation", advice: "" };
  const finding = await findSandbox(world, paths, { ...launch, project });
  if (finding.why !== undefined) return finding;
  try {
    return await openSandbox(facts);
  } catch (error) {
    const found = unprepared(error);
    if (options.sandbox !== true) log.say(`a review runs without a sandbox: ${found.why}`);
    return found;
  }
}

function withoutSandbox({ why, advice }: NoSandbox) {
  const help = advice === "" ? "" : `. ${advice}`;
  return failedReview(`supervisor.sandbox is true, and there is no sandbox: ${why}${help}`);
}

type RecordedReviewer = Pick<LaunchRecord, "reviewer" | "same_model"> & { readonly settings: string | undefined };

/**
 * What a reviewer gets to see. A fork with all of the agent's tools needs the guard; without it, and in versions that
 * have no cache to share and let a failed guard pass, the fork has the harmless tools only.
 */
function chooseWay(
  { world, launch: { version }, options, isTerminal }: StopFacts,
  settings: string | undefined,
  hasAgentsModel: boolean,
): ReviewWay {
  const { isGuarded, hasAttribution } = readReviewerSettings(world.files, settings);
  const { context } = options;
  if (!isGuarded) return "schema";
  if (context === "fresh" || options.sandbox === true) return "fresh";
  // Requests begin with Claude Code's attribution block, which differs between a terminal and `-p`.
  const sharesCache = isTerminal
    ? !hasAttribution && canDo(version, "sharedCacheOfTerminal")
    : canDo(version, "sharedCacheOfPrint");
  if (hasAgentsModel && sharesCache) return "shared";
  if (context === "auto") return "fresh";
  return canDo(version, "sharedCacheOfPrint") ? "shared" : "schema";
}

/** What the transcript says about a session. `awaited` is the agent's answer, if it may not be in there yet. */
async function sessionEvidence({ project, transcript }: StopFacts, awaited: string | undefined): Promise<Evidence> {
  const isComplete = ({ lastMessage: read }: SessionLog) =>
    awaited === undefined || (read !== "" && awaited.trim().endsWith(read.trim()));
  const log = transcript === undefined ? NOTHING : await awaitTranscript(transcript, readLog, isComplete);
  const { steps, lastMessage, isPartial } = log;
  const isAnswered = log.isAnswered && isComplete(log);
  return { project, transcript, steps, isPartial, isAnswered, lastMessage: awaited ?? lastMessage };
}

/** The steps at the end of a session. */
interface EndOfSession extends SessionLog {
  /** Whether earlier ones were not read. */
  readonly isPartial: boolean;
}

const NOTHING: EndOfSession = { steps: [], lastMessage: "", isAnswered: false, isPartial: false };

async function readLog(transcript: string): Promise<EndOfSession> {
  const { reader, isWhole } = await readTranscriptEnd(transcript, sessionSteps, ({ log }) => isEnough(log()));
  return { ...reader.log(), isPartial: !isWhole };
}

/** Whether that is all that was done for the user's last prompt, and enough for a digest. */
function isEnough({ steps }: SessionLog): boolean {
  return steps.length >= ENOUGH_STEPS && steps.some(({ kind }) => kind === "prompt");
}

const ENOUGH_STEPS = 50;

/** Whether a tool ran, or something else happened, since a review of this prompt said done. Undefined if unknown. */
async function changedSinceDone({ event, stop, done }: SkipQuestion): Promise<boolean | undefined> {
  const later = done === undefined ? [] : (stop.recorded ?? []).slice(done.prompts);
  if (later.some(({ by_user, text }) => by_user || reportsFailure(text))) return true;
  // The stop must follow one of them. Otherwise a hook of the user's made the agent continue.
  if (!later.some(({ prompt_id }) => prompt_id === event.prompt_id)) return undefined;
  const usedTools = await toolsSince(later[0], event);
  if (usedTools !== false || done === undefined || done.files === null) return usedTools;
  // A background task can change files without a tool.
  const now = await stop.changes();
  return "tree" in now ? now.tree !== done.files : undefined;
}

/** Whether a tool ran since the user's last prompt. Undefined if unknown. */
async function usedTools(question: SkipQuestion): Promise<boolean | undefined> {
  // After a block the agent's last message may be the same as before it, so it would prove nothing.
  return question.event.stop_hook_active === true ? undefined : toolsSince(lastOfUser(question), question.event);
}

function lastOfUser({ stop: { recorded } }: SkipQuestion): RecordedPrompt | undefined {
  return recorded?.findLast(({ by_user, doubt }) => by_user && doubt === undefined);
}

function toolsSince(prompt: RecordedPrompt | undefined, event: StopEvent): Promise<boolean | undefined> {
  return turnsSince(prompt?.prompt_id ?? undefined, event, (turns) => turns.usedTools());
}

/** What the transcript says about the turns from a prompt up to this stop, once it is certain. */
async function turnsSince<T>(
  since: string | undefined,
  { transcript_path, prompt_id: current, last_assistant_message: lastMessage }: StopEvent,
  question: (turns: ReturnType<typeof toolWatch>, isWhole: boolean) => T | undefined,
): Promise<T | undefined> {
  if (since === undefined || current === undefined || lastMessage === undefined) return undefined;
  if (transcript_path === undefined) return undefined;
  const newWatch = () => toolWatch({ since, current, lastMessage });
  const answer = async (transcript: string) => {
    const { reader, isWhole } = await readTranscriptEnd(transcript, newWatch, (watch) => watch.hasWholeTurns());
    return question(reader, isWhole || reader.hasWholeTurns());
  };
  return awaitTranscript(transcript_path, answer, (found) => found !== undefined);
}
