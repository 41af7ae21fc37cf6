import type { ReviewWay } from "../../claude/reviewer-command.ts";
import type { BackgroundTask } from "../../claude/stop-event.ts";
import { NO_USAGE } from "../../claude/token-usage.ts";
import { usageMeter } from "../../claude/usage-meter.ts";
import { messageOf } from "../../errors.ts";
import type { GuardedFiles } from "../../os/files.ts";
import type { Redactor } from "../../text/redactor.ts";
import type { Program, World } from "../../world.ts";
import type { Changes } from "../baseline/changes.ts";
import { bestEffort } from "../best-effort.ts";
import { checkSession, type SessionChecks } from "../checks/check-session.ts";
import { checkFeedback, checkLabel } from "../checks/describe-checks.ts";
import { claimRound, type DoneMark, type Round, recordDone, recordFeedback, type StateFile } from "../record/state.ts";
import type { UserPrompts } from "../record/user-prompts.ts";
import type { SupervisorLog } from "../supervisor-log.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";
import { type Instructions, shownInstructions } from "./instructions.ts";
import { limitReached, type Outcome } from "./outcome.ts";
import { type Evidence, reviewMessage } from "./review-message.ts";
import { review } from "./reviewer.ts";

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
  /** What the reviewer sees first. */
  readonly way: ReviewWay;
  /** The program that reviews it, given the agent's current folder. */
  readonly reviewer: (way: ReviewWay, cwd: string) => Promise<Program>;
  readonly options: SupervisorOptions;
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
  /** What ccc itself noticed and the reviewer should know. */
  readonly findings: readonly string[];
  /** Looks at the files now, for what changed since the user's prompt. */
  readonly changes: () => Promise<Changes>;
  /** What a reviewer without the conversation is told; undefined if it must have the conversation. */
  readonly evidence: (() => Promise<Evidence>) | undefined;
}

/** Reviews a stop, if the limit allows: state → checks → request → reviewer → verdict. */
export async function reviewStop(session: Session, stop: Stop): Promise<Outcome> {
  const { world, log, options, project } = session;
  const claimed = claim(session, stop);
  if (claimed === undefined) {
    log.say(limitReached(options.maxIterations));
    return { kind: "limit" };
  }

  const { round, place } = claimed;
  const remember = (feedback: string) =>
    bestEffort(log.say, "save the feedback", () => place && recordFeedback(place, feedback, world.now().toISOString()));
  const clean = session.redactor.known;
  const limits = { timeoutSeconds: options.checkTimeoutSeconds, clean, say: log.say };
  const checks = await checkSession({ ...session, ...limits }, stop.changes);
  if (checks === undefined) return { kind: "unreviewed", why: "interrupted while the checks ran", usage: NO_USAGE };
  const failed = checks.find(({ isPassed }) => !isPassed);
  if (failed !== undefined) {
    const check = clean(checkLabel(failed));
    log.say(`round ${round.number}: check failed: ${check}`);
    remember(`A check failed: ${check}.`);
    const feedback = clean(checkFeedback(failed, project));
    return { kind: "rework", round: round.number, feedback, usage: NO_USAGE, check };
  }

  const keep = keepOutput(session);
  const meter = usageMeter();
  const request = {
    instructions: shownInstructions(session.instructions),
    prompts: stop.asked.prompts,
    round: round.number,
    limit: options.maxIterations,
    earlier: round.earlier,
    tasks: stop.tasks,
    cwd: stop.cwd === project ? undefined : stop.cwd,
    findings: stop.findings,
    checks,
  };
  const result = await review({
    way: session.way,
    canBeFresh: stop.evidence !== undefined,
    child: async (way) => {
      const changes = await stop.changes();
      const evidence = way === "fresh" ? await stop.evidence?.() : undefined;
      const stdin = session.redactor.known(reviewMessage({ ...request, changes, evidence }, way));
      return { program: await session.reviewer(way, stop.cwd), cwd: project, stdin };
    },
    timeoutSeconds: options.timeoutSeconds,
    marker: options.completionMarker,
    run: (request) => world.run(request).finally(meter.endRun),
    clock: () => world.now().getTime(),
    clean: session.redactor.text,
    onText: (text) => world.stderr(`${session.redactor.text(text)}\n`),
    onLine: keep.line,
    onEvent: meter.read,
    onNoise: log.say,
  }).finally(keep.close);

  const usage = meter.total();
  if ("failure" in result) return { kind: "unreviewed", why: result.failure, usage };
  const { completed } = result.verdict;
  // The agent works with it: mask known keys only, not what merely looks like a secret.
  const feedback = session.redactor.known(result.verdict.feedback);
  log.say(`round ${round.number}: ${completed ? "done" : "not done"}`);
  if (completed) {
    const mark = await doneMark(stop);
    const now = world.now().toISOString();
    bestEffort(log.say, "save the verdict", () => place && mark && recordDone(place, mark, now));
    return { kind: "done", rounds: round.number, feedback, usage };
  }
  remember(feedback);
  return { kind: "rework", round: round.number, feedback, usage };
}

/** What must be the same at a later stop for this verdict to hold. */
async function doneMark({ recorded, changes }: Stop): Promise<DoneMark | undefined> {
  if (recorded === undefined) return undefined;
  const seen = await changes();
  return { prompts: recorded, files: "tree" in seen ? seen.tree : null };
}

const NEWLINE = Buffer.from("\n");
const SAVE_REVIEW = "save the review";

/** Saves the review as it streams. If that fails, the review goes on without. */
function keepOutput(session: Session) {
  let output = bestEffort(session.log.say, SAVE_REVIEW, () => session.files?.openAppend(session.outputFile));
  const close = () => {
    output?.close();
    output = undefined;
  };
  const line = (bytes: Uint8Array) => {
    const written = bestEffort(session.log.say, SAVE_REVIEW, () => {
      output?.write(Buffer.concat([session.redactor.line(bytes), NEWLINE]));
      return true;
    });
    if (written === undefined) close();
  };
  return { line, close };
}

/** Counts the review; undefined once the limit is reached. */
function claim({ world, id, states, options, log }: Session, { asked, isRepeated }: Stop) {
  const now = world.now().toISOString();
  const { userPromptId, seen } = asked;
  const wanted = { sessionId: id, userPromptId, seen, limit: options.maxIterations, now };
  for (const place of states) {
    try {
      const round = claimRound(place, wanted, log.say);
      return round && { round, place };
    } catch (error) {
      log.say(`could not save the state: ${messageOf(error)}`);
    }
  }
  // Without a count the loop could be endless: review only the first stop of a prompt.
  const round: Round = { number: 1, earlier: [] };
  return isRepeated ? undefined : { round, place: undefined };
}
