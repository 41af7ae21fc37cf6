import { classifyFailure } from "../../claude/failures.ts";
import { savedSession } from "../../claude/sessions.ts";
import { transcriptEnd } from "../../claude/transcript.ts";
import { shownDuration, shownTime } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { LIMIT_RESET, type LimitSoFar, limitEnd } from "../limits.ts";
import { type AgentPhase, type LimitReached, limitReached } from "./agent.ts";
import type { Report } from "./ending.ts";
import type { LoopParts } from "./loop.ts";

export type LimitedPhase = Extract<AgentPhase, { kind: "limited" }>;

export interface LimitWait {
  readonly isResetKnown: boolean;
  /** In seconds, as all times here. */
  readonly until: number;
  readonly left: number;
}

type Waiting = Pick<LoopParts, "limitWaitSeconds" | "seconds" | "sleep" | "isInterrupted" | "show">;

/** Waits until the agent may continue, or the user interrupts. Undefined, at once, if that would be too long. */
export async function waitForLimit(
  { resetAt }: LimitedPhase,
  before: LimitSoFar,
  { limitWaitSeconds, seconds, sleep, isInterrupted, show }: Waiting,
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

/** What the agent is told after the wait. */
export function messageAfterLimit(message: string, hasBegun: boolean, typed: readonly string[]): string {
  return [hasBegun ? LIMIT_RESET : message, ...typed].join("\n\n");
}

/** The limit as reports have it. */
export function limitOf({ resetAt }: Pick<LimitedPhase, "resetAt">): NonNullable<Report["usage_limit"]> {
  return { resets_at: resetAt === undefined ? null : new Date(resetAt * 1000).toISOString() };
}

/** Why the loop does not wait, and what to do. */
export function tooLongToWait(
  { why, resetAt }: LimitedPhase,
  { seconds }: LimitSoFar,
  parts: Pick<LoopParts, "limitWaitSeconds" | "seconds" | "resumeCommand">,
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
  return `${why.replace(/\.$/, "")}. ${most}${waited}. Continue with ${command} ${when}`;
}

/** The usage limit that claude is retrying after, if it lasts longer than the retries: those take about three minutes. */
export function retriedLimit(world: World, sessionId: string): LimitReached | undefined {
  const transcript = savedSession(world.files, world, sessionId)?.transcript;
  const error =
    transcript === undefined
      ? undefined
      : transcriptEnd(world.files.readEnd(transcript, LONGEST_END).split("\n")).retryError();
  if (error === undefined) return undefined;
  const now = world.now();
  const failure = classifyFailure(error, now);
  const lasts = failure.resetAt === undefined ? 0 : failure.resetAt.getTime() - now.getTime();
  return failure.kind === "usage limit" && lasts > RETRIES_MS
    ? limitReached(`API Error: ${error.text}`, failure)
    : undefined;
}

const RETRIES_MS = 180_000;
const LONGEST_END = 100_000;
