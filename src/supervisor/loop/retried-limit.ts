import { classifyFailure } from "../../claude/api-failure.ts";
import { retryError } from "../../claude/retry-error.ts";
import { savedSession } from "../../claude/sessions.ts";
import type { World } from "../../world.ts";
import { type LimitReached, limitReached } from "./agent.ts";

/** The usage limit that claude is retrying after, if it lasts longer than the retries: those take about three minutes. */
export function retriedLimit(world: World, sessionId: string): LimitReached | undefined {
  const transcript = savedSession(world.files, world, sessionId)?.transcript;
  const error = transcript === undefined ? undefined : retryError(world.files.readEnd(transcript, LONGEST_END));
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
