import type { BackgroundTask } from "../../claude/events.ts";
import type { ReviewWay } from "../../claude/reviewer-command.ts";
import { type SessionLog, sessionSteps } from "../../claude/transcript.ts";
import { canDo } from "../../claude/versions.ts";
import type { ReviewContext } from "../../config/defaults.ts";
import type { Files, GuardedFiles } from "../../os/files.ts";
import { pause } from "../../os/process.ts";
import type { Redactor } from "../../text/redact.ts";
import type { World } from "../../world.ts";
import type { Changes } from "../changes/changes.ts";
import { checkEnvironment, type SessionChecks } from "../checks/run.ts";
import type { SupervisorLog, SupervisorOptions } from "../options.ts";
import type { Outcome, SkipReason } from "../outcome.ts";
import { type LaunchRecord, launchEnvironment } from "../record/launch.ts";
import { readTranscriptEnd, type UserPrompts } from "../record/prompts.ts";
import type { SessionRecord } from "../record/session.ts";
import type { StateFile } from "../record/state.ts";
import type { StopNotes } from "../record/stops.ts";
import { providerKeys } from "../secrets.ts";
import type { Instructions } from "./instructions.ts";
import type { Evidence } from "./message.ts";
import type { Reviewer } from "./reviewer.ts";
import { readIdentity, readReviewerSettings, reviewerProgram } from "./reviewer-program.ts";

/** What every review by a hook needs, with or without a session record. */
export type HookSession = Pick<Session, "world" | "id" | "project" | "files" | "outputFile" | "log" | "redactor">;

export interface ReadyStop {
  readonly session: Session;
  readonly stop: Stop;
  /** Why it needs no review. */
  readonly skipped: SkipReason | undefined;
  /** Whether this Claude Code lets a Stop hook give feedback without calling it an error. */
  readonly takesFeedback: boolean;
  /** Notifies the user of the end of a run; returns what the terminal gets, if anything. The message has no secrets. */
  readonly notify: (outcome: Outcome, message: string) => Promise<string | undefined>;
  /** Records how the stop ended. */
  readonly close: (outcome: Outcome) => void;
}

/** What decides whether a reviewer's requests can be served from the agent's prompt cache. */
export interface CacheFacts {
  /** The version of Claude Code; undefined if unknown. */
  readonly version: string | undefined;
  /** Whether the agent works in a terminal, not with `-p`. */
  readonly isTerminal: boolean;
  /** Whether requests begin with Claude Code's attribution block, which differs between a terminal and `-p`. */
  readonly hasAttribution: boolean;
  /** Whether the reviewer has the agent's provider and model. */
  readonly hasAgentsModel: boolean;
}

/**
 * What the reviewer of a session gets to see. A fork with all of the agent's tools rests on the guard; without it, and in
 * versions that have no cache to share and let a failed guard pass, the fork has the harmless tools only.
 */
export function chooseWay(context: ReviewContext, facts: CacheFacts, isGuarded: boolean): ReviewWay {
  if (!isGuarded) return "schema";
  if (context === "fresh") return "fresh";
  if (canShare(facts)) return "shared";
  if (context === "auto") return "fresh";
  return canDo(facts.version, "sharedCacheOfPrint") ? "shared" : "schema";
}

function canShare({ version, isTerminal, hasAttribution, hasAgentsModel }: CacheFacts): boolean {
  if (!hasAgentsModel) return false;
  return isTerminal ? !hasAttribution && canDo(version, "sharedCacheOfTerminal") : canDo(version, "sharedCacheOfPrint");
}

/** How to ask again after an answer without a verdict, or one that the session was too long for. */
export function nextWay(
  way: ReviewWay,
  problem: "no verdict" | "too long",
  canBeFresh: boolean,
): ReviewWay | undefined {
  if (problem === "too long") return way !== "fresh" && canBeFresh ? "fresh" : undefined;
  return way === "shared" ? "schema" : way;
}

/** The checks that a launch settled, in its environment. `settings` is the reviewer's file. */
export function sessionChecks(
  world: World,
  { checks: { commands }, environment }: LaunchRecord,
  { checks: memory }: SessionRecord,
  settings: string | undefined,
): SessionChecks {
  if (commands.length === 0) return { commands, env: {}, memory };
  const keys = providerKeys(world, settings === undefined ? [] : [readIdentity(world.files, settings)]);
  return { commands, env: checkEnvironment(launchEnvironment(environment, world.env), keys), memory };
}

/** The steps at the end of a session. */
interface EndOfSession extends SessionLog {
  /** Whether earlier ones were not read. */
  readonly isPartial: boolean;
}

/** What the transcript tells about a session. */
export async function sessionEvidence(session: {
  readonly project: string;
  readonly transcript: string | undefined;
  /** The agent's last words, if Claude Code reported them. */
  readonly lastMessage: string | undefined;
}): Promise<Evidence> {
  const { project, transcript } = session;
  const { steps, lastMessage, isPartial } =
    transcript === undefined ? NOTHING : await readUpTo(session.lastMessage, transcript);
  return { project, transcript, steps, isPartial, lastMessage: session.lastMessage ?? lastMessage };
}

/** Claude Code writes the transcript a little later than it reports a stop: the last steps may not be in it yet. */
async function readUpTo(lastMessage: string | undefined, transcript: string): Promise<EndOfSession> {
  const isComplete = ({ lastMessage: read }: SessionLog) =>
    lastMessage === undefined || (read !== "" && lastMessage.trim().endsWith(read.trim()));
  let log = await readLog(transcript);
  for (let tries = 0; tries < MOST_TRIES && !isComplete(log); tries++) {
    await pause(SECONDS_BETWEEN_TRIES);
    log = await readLog(transcript);
  }
  return log;
}

const MOST_TRIES = 20;
const SECONDS_BETWEEN_TRIES = 0.05;

/** All that was done for the user's last prompt, and enough before it for a digest. */
function isEnough({ steps }: SessionLog): boolean {
  return steps.length >= ENOUGH_STEPS && steps.some(({ kind }) => kind === "prompt");
}

const ENOUGH_STEPS = 50;

const NOTHING: EndOfSession = { steps: [], lastMessage: "", isPartial: false };

async function readLog(transcript: string): Promise<EndOfSession> {
  const { reader, isWhole } = await readTranscriptEnd(transcript, sessionSteps, ({ log }) => isEnough(log()));
  return { ...reader.log(), isPartial: !isWhole };
}

/** The reviewers of a session, as its launch has settled them. */
export function sessionReviewers(
  world: World,
  session: {
    readonly launch: LaunchRecord;
    /** The first reviewer's settings file. */
    readonly settings: string | undefined;
    readonly context: ReviewContext;
    readonly isTerminal: boolean;
    readonly claude: string;
    readonly sessionId: string;
    readonly project: string;
    readonly transcript: string | undefined;
  },
): [Reviewer, ...Reviewer[]] {
  const { launch, context, isTerminal, claude, sessionId, project, transcript } = session;
  const reviewerOf = (
    { reviewer: name, settings, same_model }: Planned & { readonly settings: string | undefined },
    retries: number,
  ): Reviewer => ({
    name,
    way: sessionWay(world.files, { context, launch: { ...launch, same_model }, settings, isTerminal }),
    program: (way, cwd) =>
      reviewerProgram(world, {
        ...{ way, cwd, claude, sessionId, settings, project, transcript, retries },
        systemPrompt: undefined,
      }),
  });
  const { fallback } = launch;
  const first = reviewerOf({ ...launch, settings: session.settings }, retriesBefore(fallback.length));
  const others = fallback.map((each, index) => reviewerOf(each, retriesBefore(fallback.length - index - 1)));
  return [first, ...others];
}

type Planned = Pick<LaunchRecord, "reviewer" | "same_model">;

/** Claude Code waits longer before each retry: two take about 2 seconds, four about 8 and after a 403 about 19. */
export function retriesBefore(others: number): number {
  return others > 0 ? 2 : 4;
}

/** What the reviewer of a session sees, by its launch and the reviewer's settings file. */
export function sessionWay(
  files: Files,
  session: {
    readonly context: ReviewContext;
    readonly launch: LaunchRecord;
    readonly settings: string | undefined;
    readonly isTerminal: boolean;
  },
): ReviewWay {
  const { context, launch, settings, isTerminal } = session;
  const { isGuarded, hasAttribution } = readReviewerSettings(files, settings);
  const version = launch.version ?? undefined;
  return chooseWay(context, { version, isTerminal, hasAttribution, hasAgentsModel: launch.same_model }, isGuarded);
}

/** A supervised session, with everything its reviews need. */
export interface Session {
  readonly world: World;
  readonly id: string;
  /** The folder the session started in. */
  readonly project: string;
  /** Where its state may be kept; the first writable place is used. */
  readonly states: readonly StateFile[];
  /** ccc's files in the project; undefined if it cannot write there. */
  readonly files: GuardedFiles | undefined;
  /** Gets every line of the reviews. */
  readonly outputFile: string;
  readonly instructions: Instructions;
  readonly checks: SessionChecks;
  /** Says what the review does right now; undefined for a session without a record. */
  readonly now?: string | undefined;
  /** Who reviews it, in the order in which they are asked. */
  readonly reviewers: readonly [Reviewer, ...Reviewer[]];
  /** Tells the user about trouble with a reviewer, while it lasts. */
  readonly onTrouble: (message: string) => void;
  /** Gets each step of a review: "Bash npm test", "check npm test". */
  readonly onStep?: (step: string) => void;
  /** Notes something for the record. */
  readonly note: (notes: StopNotes) => void;
  readonly options: SupervisorOptions;
  /** Whether the user asked for this one review, which the agent does not hear of. */
  readonly isOnDemand?: boolean;
  readonly log: SupervisorLog;
  readonly redactor: Redactor;
}

export interface Stop {
  readonly asked: UserPrompts;
  /** How many prompts are on record, if there is one. */
  readonly recorded: number | undefined;
  readonly tasks: readonly BackgroundTask[];
  /** The agent's current folder. */
  readonly cwd: string;
  /** Whether Claude Code says that a Stop hook blocked before. */
  readonly isRepeated: boolean;
  /** What the agent said last. */
  readonly lastMessage: () => Promise<string>;
  /** Tokens that the agent used since the last stop, if known. */
  readonly agentTokens: number;
  /** What ccc itself noticed and the reviewer should know. */
  readonly findings: readonly string[];
  /** Looks at the files now, for what changed since the user's prompt. */
  readonly changes: () => Promise<Changes>;
  /** What a reviewer without the conversation is told; undefined if it must have the conversation. */
  readonly evidence: (() => Promise<Evidence>) | undefined;
}
