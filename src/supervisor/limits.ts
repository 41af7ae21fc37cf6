import * as v from "valibot";
import type { Paths } from "../config/paths.ts";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { parseJson } from "../text/json.ts";
import type { SessionRecord } from "./record/session.ts";

/** What has been waited for one limit so far. It ends when the agent gets further. */
export interface LimitSoFar {
  readonly waits: number;
  readonly seconds: number;
}

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
  // A limit that did not end when it was said to: no hurry.
  const least = waits < TRUSTED_TIMES ? 0 : Math.min(step(waits - TRUSTED_TIMES), left);
  return Math.max(resetAt + MARGIN_SECONDS, now + least);
}

function step(waits: number): number {
  return 60 * (STEPS_MINUTES[Math.min(waits, STEPS_MINUTES.length - 1)] ?? 0);
}

/** The file that exists while a session waits for a usage limit. A prompt or another session in its claude removes it. */
export function waitFile({ generated }: Paths, claudePid: string): string {
  return join(join(generated, "waits"), /^\d+$/.test(claudePid) ? claudePid : "unknown");
}

/** What was waited before, if that was just now: then it is the same limit. */
export function limitSoFar(files: Files, { limit }: SessionRecord, now: number): LimitSoFar {
  const found = v.safeParse(LimitSchema, parseJson(files.read(limit) ?? ""));
  return found.success && now - found.output.ended < SAME_LIMIT_SECONDS ? found.output : NOT_WAITED;
}

export function recordLimit(files: Files, { limit }: SessionRecord, soFar: LimitSoFar, ended: number): void {
  files.writePrivate(limit, JSON.stringify({ ...soFar, ended }));
}

const LimitSchema = v.object({ waits: v.number(), seconds: v.number(), ended: v.number() });

/** Claude Code's own retries take three minutes. */
const SAME_LIMIT_SECONDS = 600;
