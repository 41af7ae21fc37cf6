import type { SessionRecord } from "./record/session.ts";

/** The wait for one limit so far. It starts anew when the agent gets further. */
export interface LimitSoFar {
  readonly waits: number;
  readonly seconds: number;
}

/** The agent's next message after a wait. In the transcript it looks like a prompt of the user. */
export const LIMIT_RESET = "The usage limit has reset. Continue where you left off.";

export const NOT_WAITED: LimitSoFar = { waits: 0, seconds: 0 };

/** Between attempts if nothing says when the limit ends; the last one repeats. */
const STEPS_MINUTES = [1, 2, 5, 10, 15];
/** Times in errors are given in whole seconds. */
const MARGIN_SECONDS = 1;
const TRUSTED_TIMES = 2;

/** Until when to wait for a limit, in seconds; undefined if that is too long. */
export function limitEnd(
  resetAt: number | undefined,
  { waits, seconds }: LimitSoFar,
  now: number,
  allowed: number,
): number | undefined {
  const left = allowed - seconds;
  if (left <= 0) return undefined;
  if (resetAt === undefined) return now + Math.min(step(waits), left);
  if (resetAt - now > left) return undefined;
  // The limit did not end when the provider said it would: wait longer each time.
  const least = waits < TRUSTED_TIMES ? 0 : Math.min(step(waits - TRUSTED_TIMES), left);
  return Math.max(resetAt + MARGIN_SECONDS, now + least);
}

function step(waits: number): number {
  return 60 * (STEPS_MINUTES[Math.min(waits, STEPS_MINUTES.length - 1)] ?? 0);
}

/** The wait so far, if it ended a moment ago: then it is the same limit. */
export function limitSoFar({ limit }: SessionRecord, now: number): LimitSoFar {
  const found = limit.read();
  return found !== undefined && now - found.ended < SAME_LIMIT_SECONDS ? found : NOT_WAITED;
}

/** Claude Code's own retries take three minutes. */
const SAME_LIMIT_SECONDS = 600;
