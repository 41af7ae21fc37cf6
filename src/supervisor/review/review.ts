import { NO_USAGE, type StreamEvent } from "../../claude/stream.ts";
import type { SupervisorSettings } from "../../config/defaults.ts";
import { CccError, messageOf } from "../../errors.ts";
import { oneLine } from "../../text/shown.ts";
import type { Changes } from "../changes/changes.ts";
import { failedCheck } from "../checks/result.ts";
import { checkStop, filesNow } from "../checks/run.ts";
import { type Criterion, isNoticed } from "../criteria.ts";
import { deadlocked, type Noticed, openLedger, withNoticed } from "../ledger.ts";
import {
  addCost,
  announcement,
  type Looked,
  NO_COST,
  OUTCOMES,
  type Outcome,
  type SkipReason,
  totalTokens,
} from "../outcome.ts";
import { bestEffort } from "../project.ts";
import { proofLine, proveChecks } from "../proof/proof.ts";
import type { RunningReview } from "../record/quick.ts";
import {
  type DoneState,
  type Exhausted,
  NOTHING_CLAIMED,
  type ReviewNote,
  type Round,
  reviewState,
  type StateFile,
} from "../record/state.ts";
import { claimsAt } from "./claims.ts";
import { withCriteria } from "./message.ts";
import { askForVerdict, confirmVerdict, needsConfirmation, type ReviewProgress } from "./opinion.ts";
import type { Stop } from "./stop.ts";
import type { Verdict } from "./verdict.ts";

/** Reviews a stop, if the limits allow: state → checks → proof → reviewer → verdict → ledger → outcome. */
export async function reviewStop(stop: Stop): Promise<Outcome> {
  const { log, options } = stop;
  stop.note({ limit: options.max_iterations, agentTokens: stop.agentTokens });
  const { round: claimed, state } = claimReview(stop);
  const remember = (note: ReviewNote) =>
    bestEffort(
      log.say,
      "save the verdict",
      () => state && reviewState(state).record(note, stop.world.now().toISOString()),
    );
  const changes = await stop.changes();
  stop.note({ changes });
  const { prompts } = stop.asked;
  const noticed = await noticedAt(stop, changes);
  const round = { ...claimed, ledger: withNoticed(claimed.ledger, { prompts, noticed }) };
  // Now, because the hook may be killed: the user's next prompt must not hide what was done to the tests.
  if ([claimed, round].some(({ ledger }) => ledger.criteria.some(isNoticed)))
    remember({ ledger: round.ledger, cost: NO_COST });
  if (round.number !== undefined) return reviewRound(stop, { round, changes, noticed, remember });
  const { criteria } = round.ledger;
  const outcome = { kind: "limit", criteria, total: round.cost, feedback: round.earlier.at(-1) } as const;
  log.say(announcement(outcome, options.max_iterations, ""));
  return outcome;
}

/**
 * The outcome of a stop that is not reviewed. If the agent worked, what ccc notices stays open until a review rules on it:
 * the user's next prompt takes a new baseline, in which the deleted test is already gone.
 */
export async function skipReview(stop: Stop, why: SkipReason, hasWorked: () => Promise<boolean>): Promise<Outcome> {
  const { world, id: sessionId, log, asked, baseline } = stop;
  const wasKnown = baseline !== undefined && baseline.trees.length > 0;
  if (wasKnown && (await hasWorked())) {
    const changes = await stop.changes();
    const noticed = await noticedAt(stop, changes);
    if (noticed.length > 0) stop.note({ changes });
    const now = { sessionId, seen: asked.seen, prompts: asked.prompts, noticed, now: world.now().toISOString() };
    for (const state of stop.states)
      if (bestEffort(log.say, "save what ccc noticed", () => reviewState(state).notice(now)) !== undefined) break;
  }
  return { kind: "skipped", why };
}

/** The outcome of a stop whose review ended with an error of ccc itself. */
export function notReviewed(error: unknown): Outcome {
  const advice = error instanceof CccError && error.advice !== undefined ? `. ${error.advice}` : "";
  return { kind: "unreviewed", why: `${messageOf(error)}${advice}`, ...NOT_LOOKED };
}

/** No reviewer was asked. */
export const NOT_LOOKED: Looked = { usage: NO_USAGE, seconds: 0, total: NO_COST, looked: [] };

interface OpenRound {
  readonly round: Round;
  readonly changes: Changes;
  readonly noticed: readonly Noticed[];
  readonly remember: (note: ReviewNote) => void;
}

async function reviewRound(stop: Stop, { round, changes, noticed, remember }: OpenRound): Promise<Outcome> {
  const { world, log, options, project } = stop;
  const known = round.ledger.criteria;
  const clean = stop.redactor.known;
  const startedAt = world.now().getTime();
  const took = (tokens: number) => {
    const seconds = Math.ceil((world.now().getTime() - startedAt) / 100) / 10;
    const cost = { seconds, tokens };
    return { cost, times: { seconds, total: addCost(round.cost, cost) } };
  };
  const notLooked = () => ({ ...NOT_LOOKED, ...took(0).times });

  if (isOver(options.budget_tokens, round.tokens)) {
    log.say(`round ${round.number}: no tokens left for a review`);
    const feedback = round.earlier.at(-1) ?? "";
    return { kind: "budget", spent: round.tokens, feedback, ...notLooked(), criteria: known };
  }
  const progress = reviewProgress(stop, round.number);
  const checks = await checkStop(stop, changes, progress.check);
  if (checks === undefined) return { kind: "unreviewed", why: CHECKS_INTERRUPTED, ...notLooked() };
  stop.note({ checks });
  const failed = checks.find(({ isPassed }) => !isPassed);
  if (failed !== undefined) {
    const rounds = { before: round.failure, files: filesNow(world, project, changes), limit: options.stalemate };
    const { label, feedback: whole, failure, why } = failedCheck(failed, project, rounds);
    const check = clean(label);
    log.say(`round ${round.number}: check failed: ${check}`);
    remember({ feedback: `A check failed: ${check}.`, cost: took(0).cost, failure });
    const about = { feedback: clean(whole), check, ...notLooked(), criteria: known };
    if (why !== undefined) return { kind: "stalemate", rounds: round.number, why: clean(why), ...about };
    return { kind: "rework", round: round.number, ...about };
  }

  const proof = await proveChecks({
    world,
    place: stop,
    baseline: stop.baseline,
    isWanted: options.proof !== false,
    isParallel: options.proof === "parallel",
    checks,
    env: stop.checks.env,
    timeoutSeconds: options.check_timeout_seconds,
    clean,
    memory: stop.record?.proof,
    onRun: (command) => progress.check(`${command} in a copy`),
    say: log.say,
  });
  if (proof === undefined) return { kind: "unreviewed", why: CHECKS_INTERRUPTED, ...notLooked() };
  stop.note({ proof });
  const ledger = openLedger(round.ledger, {
    prompts: stop.asked.prompts,
    instructions: stop.launch.instructions.text,
    isSettled: round.isSettled,
    noticed: [...proof.points, ...noticed],
    hasProof: proof.isWhole,
  });
  const subject = { round, checks, proof, changes, ledger, progress };
  const first = await askForVerdict(stop, subject);
  const isUnconfirmed = needsConfirmation(stop, first);
  const isTooExpensive = isUnconfirmed && isOver(options.budget_tokens, round.tokens + totalTokens(first.usage));
  const asked = isUnconfirmed && !isTooExpensive ? await confirmVerdict(stop, subject, first) : first;
  const { usage, looked, reviewer, confirmation } = asked;
  const { cost, times } = took(totalTokens(usage));
  const about = { usage, ...times, looked, reviewer, confirmation, proof: proofLine(proof) };
  if ("failure" in asked) {
    remember({ cost, failure: null });
    return { kind: "unreviewed", why: asked.failure, cause: asked.cause, ...about };
  }
  const { verdict, instead } = asked;
  const feedback = isTooExpensive ? UNCONFIRMED : verdict.feedback;
  stop.note({ feedback });
  const { criteria } = asked.ledger;
  const spent = round.tokens + cost.tokens;
  const before = ledger.criteria;
  const outcome: Outcome = isTooExpensive
    ? { kind: "budget", spent, feedback, ...about, instead, criteria }
    : decideOutcome({ verdict, round: round.number, before, criteria, spent, options, ...about, instead });
  log.say(`round ${round.number}: ${OUTCOMES[outcome.kind].reported}`);
  const isDone = outcome.kind === "done";
  const done = isDone ? doneState(stop, changes) : undefined;
  remember({
    ...(isDone ? {} : { feedback }),
    ledger: asked.ledger,
    cost,
    failure: null,
    isDone,
    done,
  });
  return outcome;
}

const CHECKS_INTERRUPTED = "interrupted while the checks ran";
const UNCONFIRMED = "A reviewer says that the work is done, but no tokens were left for a fresh review to confirm it.";

/** The points for a review to rule on: changes that can make work look done, and claims that are not true. */
async function noticedAt(stop: Stop, changes: Changes): Promise<Noticed[]> {
  const { suspicious = [] } = changes;
  return [...suspicious.map(({ text, content }) => ({ text, content })), ...(await claimsAt(stop, changes))];
}

/** What must be the same at a later stop for this verdict to hold. */
function doneState({ recorded }: Stop, changes: Changes): DoneState | undefined {
  if (recorded === undefined) return undefined;
  return { prompts: recorded.length, files: "tree" in changes ? changes.tree : null };
}

/** A review with a verdict that counts. */
interface DecidedReview extends Looked {
  readonly verdict: Verdict;
  readonly round: number;
  /** The criteria before the review and after it. */
  readonly before: readonly Criterion[];
  readonly criteria: readonly Criterion[];
  /** Tokens used for the prompt, this review included. */
  readonly spent: number;
  readonly options: Pick<SupervisorSettings, "stalemate" | "budget_tokens">;
}

/** How the stop ends: the agent continues only if that can lead anywhere. */
function decideOutcome({ verdict, round, before, spent, options, ...common }: DecidedReview): Outcome {
  const { criteria } = common;
  const { feedback } = verdict;
  if (verdict.needsUser) return { kind: "needs_user", rounds: round, feedback, ...common };
  if (verdict.completed) return { kind: "done", rounds: round, feedback, ...common };
  if (deadlocked(before, criteria, options.stalemate).length > 0) {
    return { kind: "stalemate", rounds: round, feedback, ...common };
  }
  if (isOver(options.budget_tokens, spent)) return { kind: "budget", spent, feedback, ...common };
  return { kind: "rework", round, feedback: withCriteria(feedback, criteria), ...common };
}

/** Whether a limit of tokens is used up; 0 is no limit. */
function isOver(limit: number, spent: number): boolean {
  return limit > 0 && spent >= limit;
}

interface ClaimedReview {
  readonly round: Round | Exhausted;
  /** Where it was counted; undefined if no state can be saved. */
  readonly state: StateFile | undefined;
}

/** Counts the review, unless the limit is reached. */
function claimReview({ world, id, states, options, log, asked, isRepeated, agentTokens }: Stop): ClaimedReview {
  const now = world.now().toISOString();
  const { userPromptId, seen } = asked;
  const wanted = { sessionId: id, userPromptId, seen, limit: options.max_iterations, now, agentTokens };
  for (const state of states) {
    try {
      return { round: reviewState(state).claim(wanted, log.say), state };
    } catch (error) {
      log.say(`could not save the state: ${messageOf(error)}`);
    }
  }
  // Without a count the loop could be endless: review only the first stop of a prompt.
  const first = { ...NOTHING_CLAIMED, number: 1, isSettled: false, tokens: agentTokens };
  return { round: isRepeated ? NOTHING_CLAIMED : first, state: undefined };
}

/** Records what a review does, for the status line, and reports it to `onStep`. A failure does not stop the review. */
function reviewProgress(stop: Stop, round: number): ReviewProgress {
  const { world, log, redactor, options } = stop;
  const since = world.now().getTime();
  const ends_by = since + longestReviewMs(stop);
  let now = stop.record?.now;
  let shown: string | undefined;
  let writes = 0;
  let isConfirming = false;
  const show = (what: string) => {
    const doing = shortStep(redactor.text(what));
    stop.onStep?.(isConfirming ? `confirming ${doing}`.trimEnd() : doing);
    const allowed = WRITES_AT_ONCE + ((world.now().getTime() - since) / 1000) * WRITES_PER_SECOND;
    if (doing === shown || writes >= allowed) return;
    shown = doing;
    writes++;
    const which = { round, limit: options.max_iterations, ...(isConfirming ? { is_confirming: true } : {}) };
    const running: RunningReview = { pid: world.pid, ...which, doing, since, ends_by };
    const isSaved = bestEffort(log.say, "save what the review does", () => {
      if (now !== undefined) now.save(running);
      return true;
    });
    if (!isSaved) now = undefined;
  };
  const begin = () => show("");
  begin();
  return {
    begin,
    check: (command: string) => show(`check ${command}`),
    confirm: () => {
      isConfirming = true;
      shown = undefined;
    },
    ask: (what: string) => show(`asked again: ${what}`),
    read: (event: StreamEvent) => {
      const step = stepOf(event);
      if (step !== undefined) show(step);
    },
  };
}

/** A reviewer may make any number of calls, and nobody reads that fast. */
const WRITES_AT_ONCE = 20;
const WRITES_PER_SECOND = 1;

/** The reviewer's current step, if a line of its stream tells. */
function stepOf(event: StreamEvent): string | undefined {
  if (event.kind === "retry")
    return event.status === undefined ? "server not reached, trying again" : `HTTP ${event.status}, trying again`;
  const call = event.kind === "text" ? event.tools.at(-1) : undefined;
  return call && `${call.name} ${call.what}`;
}

/** Takes a redacted step: once it is cut, half a key would not be recognized. */
function shortStep(step: string): string {
  return oneLine(step).slice(0, LONGEST_STEP);
}

const LONGEST_STEP = 200;

function longestReviewMs({ reviewers, confirmers, checks, options }: Stop): number {
  const seconds =
    (reviewers.length + (confirmers?.length ?? 0)) * options.timeout_seconds +
    (checks.commands.length + 1) * options.check_timeout_seconds;
  return (seconds + MARGIN_SECONDS) * 1000;
}

/** Time for everything else that a review does. */
const MARGIN_SECONDS = 60;
