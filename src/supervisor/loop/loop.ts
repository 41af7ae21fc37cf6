import { addUsage, NO_USAGE, type StreamEvent, type Usage } from "../../claude/stream.ts";
import { messageOf } from "../../errors.ts";
import { shownDuration, shownTime } from "../../text/words.ts";
import { CONTINUE, LIMIT_RESET, type LimitSoFar, limitEnd, NOT_WAITED } from "../limits.ts";
import { meaningOf, OUTCOMES, type Outcome, totalTokens } from "../outcome.ts";
import { confirmationFields, usageFields } from "../record/stops.ts";
import type { AgentPhase } from "./agent.ts";
import type { Report } from "./ending.ts";

/** Agent → review → feedback → agent, until a review says done or the limit is reached. */
export async function runLoop(firstPrompt: string, parts: LoopParts): Promise<LoopResult> {
  const progress = newProgress(firstPrompt);
  try {
    return await turns(progress, firstPrompt, parts);
  } catch (error) {
    // Keep what was recorded so far.
    return ended(progress, "failed", messageOf(error));
  }
}

/** The end of a loop whose user interrupted before there was anything to do. */
export function withoutTask(interruptedBy: string): LoopResult {
  const nothing = { ...newProgress(""), prompts: [] };
  return ended(nothing, "interrupted", interruptedReason(interruptedBy, BEFORE_START));
}

/** Everything the loop acts through. */
export interface LoopParts {
  /** Called before the agent starts on a prompt of the user. */
  readonly onPrompt: () => Promise<void>;
  /** Runs the agent on one message until it stops. */
  readonly agent: (message: string, sessionId: string | undefined, listen: AgentListener) => Promise<AgentPhase>;
  /** The providers that the agent can work on. The first is its own. */
  readonly providers: readonly [string, ...string[]];
  /** Lets the agent continue on another of them. Returns why it cannot, if it cannot. */
  readonly changeProvider: (name: string) => Promise<string | undefined>;
  /** Whether Claude Code has saved a session, so that it can be resumed. */
  readonly isSaved: (sessionId: string) => boolean;
  readonly review: (sessionId: string, stop: LoopStop) => Promise<Outcome>;
  /** What the user typed since the last call. */
  readonly typed: () => readonly string[];
  readonly isInterrupted: () => boolean;
  /** What interrupted: "Ctrl-C" or a signal. */
  readonly interruptedBy: () => string;
  readonly show: LoopView;
  readonly seconds: () => number;
  /** Ends early if the user interrupts. */
  readonly sleep: (seconds: number) => Promise<void>;
  /** How long to wait for a limit of the agent's provider to reset. */
  readonly limitWaitSeconds: number;
  /** The command that continues a session. */
  readonly resumeCommand: (sessionId: string) => string;
}

export interface LoopStop {
  /** All prompts of the user so far. */
  readonly prompts: readonly string[];
  /** Counts the reviews since the last of them. */
  readonly round: number;
  /** Whether the agent used a tool since the last review that said done. */
  readonly usedTools: boolean;
  /** What the agent said last. */
  readonly answer: string;
  /** Tokens that it used since the last review. */
  readonly agentTokens: number;
}

interface AgentListener {
  readonly onEvent: (event: StreamEvent) => void;
  readonly onSession: (id: string) => void;
}

export interface LoopView {
  readonly event: (event: StreamEvent) => void;
  readonly outcome: (outcome: Outcome) => void;
  /** Called when a wait begins, and now and then while it lasts. */
  readonly waiting: (wait: LimitWait, isStart: boolean) => void;
  /** The agent continues on another provider. */
  readonly relayed: (relay: Report["relays"][number]) => void;
}

/** A wait for a usage limit of the agent's provider. */
interface LimitWait {
  readonly isResetKnown: boolean;
  /** In seconds, as all times here. */
  readonly until: number;
  readonly left: number;
}

/** How a loop ended. */
export type LoopResult = Pick<
  Report,
  | "session_id"
  | "outcome"
  | "reason"
  | "usage_limit"
  | "prompts"
  | "rounds"
  | "agent"
  | "reviews"
  | "nudges"
  | "waited_seconds"
  | "relays"
  | "answer"
>;

async function turns(progress: LoopProgress, firstPrompt: string, parts: LoopParts): Promise<LoopResult> {
  const { prompts, rounds, agent, reviews } = progress;
  let round = 0;
  let usedTools = false;
  let limit = NOT_WAITED;
  let agentTokens = 0;
  const relay = openRelay(parts.providers);
  const interrupted = (when: string) => ended(progress, "interrupted", interruptedReason(parts.interruptedBy(), when));
  await parts.onPrompt();
  if (parts.isInterrupted()) return interrupted(BEFORE_START);
  for (let message = firstPrompt; ; ) {
    const agentStartedAt = parts.seconds();
    const phase = await parts.agent(message, progress.session_id ?? undefined, {
      onEvent: (event) => {
        if (event.kind === "text" && event.tools.length > 0) usedTools = true;
        parts.show.event(event);
      },
      onSession: (id) => {
        progress.session_id ??= id;
      },
    });
    agent.phases++;
    agent.seconds += parts.seconds() - agentStartedAt;
    agent.usage = addUsage(agent.usage, phase.usage);
    agentTokens += totalTokens(phase.usage);
    if (phase.kind === "interrupted" || parts.isInterrupted())
      return interrupted(progress.session_id === null ? BEFORE_START : "while the agent was working");
    if (phase.kind === "answered" || phase.usage.outputTokens > 0) limit = NOT_WAITED;
    if (phase.kind !== "answered") {
      if (!canHelp(phase, relay.isFirst())) return ended(progress, "failed", phase.why);
      relay.fail(relay.current(), phase, parts.seconds());
      const isRelayed = await relayOn(relay, phase, parts, progress);
      if (!isRelayed) {
        const ends = relay.limit();
        if (ends === undefined) return ended(progress, "failed", relay.reasons().join(". "));
        const waited = await waitForLimit(ends.resetAt, limit, parts);
        if (waited === undefined)
          return ended(progress, "failed", whyNotWaited(relay, ends.resetAt, limit, parts, progress.session_id), {
            resets_at: ends.resetAt === undefined ? null : new Date(ends.resetAt * 1000).toISOString(),
          });
        progress.waited_seconds += waited.seconds - limit.seconds;
        limit = waited;
        if (!parts.isInterrupted()) await changeTo(ends.provider, "its usage limit has reset", relay, parts, progress);
      }
      if (parts.isInterrupted())
        return interrupted(isRelayed ? "while the provider was changed" : "while waiting for a usage limit");
      if (progress.session_id !== null && isRelayed && !parts.isSaved(progress.session_id)) progress.session_id = null;
      const meanwhile = parts.typed();
      prompts.push(...meanwhile);
      if (meanwhile.length > 0) round = 0;
      const resumed = isRelayed ? CONTINUE : LIMIT_RESET;
      message = [progress.session_id === null ? message : resumed, ...meanwhile].join("\n\n");
      continue;
    }
    progress.answer = phase.answer;
    if (progress.session_id === null)
      return ended(progress, "failed", "claude reported no session ID, so there is nothing to review");

    const typed = parts.typed();
    if (typed.length > 0) {
      prompts.push(...typed);
      message = typed.join("\n\n");
      round = 0;
      await goBack(relay, parts, progress);
      continue;
    }
    const startedAt = parts.seconds();
    const outcome = await parts.review(progress.session_id, {
      prompts,
      usedTools,
      agentTokens,
      answer: phase.answer,
      round: round + 1,
    });
    if (OUTCOMES[outcome.kind].isReview) round++;
    if (outcome.kind === "nudged") progress.nudges++;
    agentTokens = 0;
    if ("usage" in outcome && meaningOf(outcome).verdict !== "check failed") {
      reviews.count++;
      reviews.seconds += parts.seconds() - startedAt;
      reviews.usage = addUsage(reviews.usage, outcome.usage);
    }
    if (parts.isInterrupted()) return interrupted("while the agent's work was being reviewed");
    parts.show.outcome(outcome);
    const entry = roundOf(outcome, wholeSeconds(parts.seconds() - startedAt));
    if (entry !== undefined) rounds.push(entry);

    if (outcome.kind === "done") usedTools = false;
    const more = parts.typed();
    prompts.push(...more);
    if (more.length > 0) round = 0;
    const { message: feedback, why } = meaningOf(outcome);
    // Until then, a prompt belongs to the work that is not done.
    if (more.length > 0 && feedback === undefined) await parts.onPrompt();
    const next = [...more, ...(feedback === undefined ? [] : [feedback])];
    if (next.length > 0) {
      message = next.join("\n\n");
      if (more.length > 0) await goBack(relay, parts, progress);
      continue;
    }
    // Without an ending there was no review, and only a review can say done.
    return ended(progress, OUTCOMES[outcome.kind].ending ?? "not reviewed", why);
  }
}

/** Continues on the next provider that can. */
async function relayOn(relay: Relay, { why }: FailedPhase, parts: LoopParts, progress: LoopProgress): Promise<boolean> {
  for (;;) {
    const next = relay.next(parts.seconds());
    if (next === undefined) return false;
    if (await changeTo(next, why, relay, parts, progress)) return true;
  }
}

/** A new prompt begins on the first provider that can be used again. */
async function goBack(relay: Relay, parts: LoopParts, progress: LoopProgress): Promise<void> {
  const before = relay.back(parts.seconds());
  if (before !== undefined) await changeTo(before, `${before} can be used again`, relay, parts, progress);
}

/** Returns whether the agent continues on this provider. */
async function changeTo(
  to: string,
  why: string,
  relay: Relay,
  parts: LoopParts,
  { relays }: LoopProgress,
): Promise<boolean> {
  const from = relay.current();
  const problem = from === to ? undefined : await parts.changeProvider(to);
  if (problem !== undefined) {
    relay.fail(to, { kind: "failed", why: problem, cause: "other" }, parts.seconds());
    return false;
  }
  relay.change(to);
  if (from === to) return true;
  const entry = { at: new Date(parts.seconds() * 1000).toISOString(), from, to, why };
  relays.push(entry);
  parts.show.relayed(entry);
  return true;
}

/** Which provider the agent works on, and when the others may be asked again. Times are in seconds. */
interface Relay {
  readonly current: () => string;
  readonly isFirst: () => boolean;
  /** Records that a provider cannot continue. */
  readonly fail: (provider: string, phase: WhyFailed, now: number) => void;
  /** The first other provider that may be asked now. */
  readonly next: (now: number) => string | undefined;
  /** The provider that a new prompt begins with, if that is one before the current. */
  readonly back: (now: number) => string | undefined;
  /** The agent continues on this provider. */
  readonly change: (provider: string) => void;
  /** The limit that ends first, if the providers are limited. One whose end is known comes before the others. */
  readonly limit: () => { readonly provider: string; readonly resetAt: number | undefined } | undefined;
  /** Why each of them cannot continue. */
  readonly reasons: () => readonly string[];
}

type FailedPhase = Extract<AgentPhase, { readonly kind: "failed" | "limited" }>;

/** A run without what it used. */
type WhyFailed = FailedPhase extends infer Phase ? (Phase extends FailedPhase ? Omit<Phase, "usage"> : never) : never;

interface Failure {
  readonly why: string;
  /** Not before. */
  readonly freeAt: number;
  readonly limit: { readonly resetAt: number | undefined } | undefined;
}

function openRelay(providers: readonly [string, ...string[]]): Relay {
  const failures = new Map<string, Failure>();
  let current = providers[0];
  const isFree = (name: string, now: number) => (failures.get(name)?.freeAt ?? 0) <= now;
  return {
    current: () => current,
    isFirst: () => current === providers[0],
    fail: (provider, phase, now) => {
      const limit = phase.kind === "limited" ? { resetAt: phase.resetAt } : undefined;
      failures.set(provider, { why: phase.why, freeAt: freeAt(phase, now), limit });
    },
    next: (now) => providers.find((name) => name !== current && isFree(name, now)),
    back: (now) => providers.slice(0, providers.indexOf(current)).find((name) => isFree(name, now)),
    change: (provider) => {
      current = provider;
      failures.delete(provider);
    },
    limit: () => {
      const limited = [...failures].flatMap(([provider, { limit }]) =>
        limit === undefined ? [] : [{ provider, ...limit }],
      );
      const ends = limited.flatMap(({ resetAt }) => resetAt ?? []);
      const first = ends.length === 0 ? undefined : Math.min(...ends);
      const soonest = limited.filter(({ resetAt }) => resetAt === first);
      return soonest.find(({ provider }) => provider === current) ?? soonest[0];
    },
    reasons: () =>
      providers.length === 1
        ? [...failures.values()].map(({ why }) => why)
        : [...failures].map(([name, { why }]) => `${name}: ${why.replace(/\.$/, "")}`),
  };
}

/** Whether another provider can help. On the first one, a request that its server does not accept is the user's to correct. */
function canHelp(phase: FailedPhase, isFirst: boolean): boolean {
  if (phase.kind === "limited") return true;
  return phase.cause !== undefined && (phase.cause !== "other" || !isFirst);
}

/** A refused key and an empty account stay so until the user acts. */
function freeAt(phase: WhyFailed, now: number): number {
  if (phase.kind === "limited") return phase.resetAt ?? now + UNKNOWN_SECONDS;
  return phase.cause === "server error" || phase.cause === "unreachable"
    ? now + UNKNOWN_SECONDS
    : Number.POSITIVE_INFINITY;
}

/** How long a provider is left alone if nothing says when it can be used again. */
const UNKNOWN_SECONDS = 900;

/** Waits until the agent may continue, or the user interrupts. Undefined, at once, if that would take too long. */
async function waitForLimit(
  resetAt: number | undefined,
  before: LimitSoFar,
  { limitWaitSeconds, seconds, sleep, isInterrupted, show }: LoopParts,
): Promise<LimitSoFar | undefined> {
  const startedAt = seconds();
  const until = limitEnd(resetAt, before, startedAt, limitWaitSeconds);
  if (until === undefined) return undefined;
  const wait = (now: number): LimitWait => ({ isResetKnown: resetAt !== undefined, until, left: until - now });
  show.waiting(wait(startedAt), true);
  for (let shownAt = startedAt; !isInterrupted(); ) {
    const now = seconds();
    if (now >= until) break;
    if (now - shownAt >= NOTICE_SECONDS) {
      show.waiting(wait(now), false);
      shownAt = now;
    }
    // In short steps: timers stand still while a machine sleeps.
    await sleep(Math.min(until - now, LONGEST_SLEEP_SECONDS));
  }
  return { waits: before.waits + 1, seconds: before.seconds + (seconds() - startedAt) };
}

const NOTICE_SECONDS = 300;
const LONGEST_SLEEP_SECONDS = 15;

/** Why the loop does not wait for a limit, and how to continue the session later. */
function whyNotWaited(
  relay: Relay,
  resetAt: number | undefined,
  { seconds }: LimitSoFar,
  parts: LoopParts,
  sessionId: string | null,
): string {
  const allowed = parts.limitWaitSeconds;
  const most =
    allowed === 0
      ? "Waiting is off (supervisor.limit_wait_seconds is 0, the default without a terminal)"
      : `The longest wait is ${shownDuration(allowed)} (supervisor.limit_wait_seconds)`;
  const waited = seconds > 0 ? `, of which ${shownDuration(seconds)} have passed` : "";
  const command = sessionId === null ? "the same command" : `\`${parts.resumeCommand(sessionId)}\``;
  const when =
    resetAt === undefined
      ? "later; the provider does not say when the limit resets"
      : `when the limit resets, at ${shownTime(resetAt)} (in ${shownDuration(resetAt - parts.seconds())})`;
  return `${relay.reasons().join(". ").replace(/\.$/, "")}. ${most}${waited}. Continue with ${command} ${when}`;
}

/** A review, or a failed check, as the report has it. */
function roundOf(outcome: Outcome, seconds: number): Report["rounds"][number] | undefined {
  if (!("usage" in outcome)) return undefined;
  const feedback = "feedback" in outcome ? outcome.feedback : "";
  return {
    verdict: meaningOf(outcome).verdict,
    feedback,
    seconds,
    reviewer: outcome.reviewer,
    ...(outcome.confirmation && { confirmation: confirmationFields(outcome.confirmation) }),
    ...usageFields(outcome.usage),
  };
}

/** What has happened so far. */
type LoopProgress = Pick<
  LoopResult,
  "session_id" | "prompts" | "rounds" | "nudges" | "waited_seconds" | "relays" | "answer"
> & {
  agent: { phases: number; seconds: number; usage: Usage };
  reviews: { count: number; seconds: number; usage: Usage };
};

function newProgress(firstPrompt: string): LoopProgress {
  return {
    session_id: null,
    prompts: [firstPrompt],
    rounds: [],
    agent: { phases: 0, seconds: 0, usage: NO_USAGE },
    reviews: { count: 0, seconds: 0, usage: NO_USAGE },
    nudges: 0,
    waited_seconds: 0,
    relays: [],
    answer: "",
  };
}

function ended(
  progress: LoopProgress,
  outcome: Report["outcome"],
  reason: string,
  usage_limit: Report["usage_limit"] = null,
): LoopResult {
  const { agent, reviews } = progress;
  return {
    ...progress,
    agent: { phases: agent.phases, seconds: wholeSeconds(agent.seconds), ...usageFields(agent.usage) },
    reviews: { count: reviews.count, seconds: wholeSeconds(reviews.seconds), ...usageFields(reviews.usage) },
    waited_seconds: Math.round(progress.waited_seconds),
    outcome,
    reason,
    usage_limit,
  };
}

/** At least a second for anything that took time. */
function wholeSeconds(seconds: number): number {
  return seconds > 0 ? Math.max(1, Math.round(seconds)) : 0;
}

function interruptedReason(by: string, when: string): string {
  return `interrupted by ${by} ${when}`;
}

const BEFORE_START = "before the agent had started";
