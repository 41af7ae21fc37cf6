import * as v from "valibot";
import { type ApiFailure, classifyFailure } from "./api-failure.ts";
import type { HookCommand } from "./hook-form.ts";
import { lenient } from "./lenient.ts";
import { SessionIdSchema } from "./stop-event.ts";
import { canDo } from "./version-facts.ts";

/** The stdin of a StopFailure hook: an error of the API ended the turn. */
export const FailureEventSchema = v.object({
  session_id: SessionIdSchema,
  /** Claude Code's own word for it, such as "rate_limit". */
  error: lenient(v.string()),
  /** The message that the user sees. */
  last_assistant_message: lenient(v.string()),
});

export type FailureEvent = v.InferOutput<typeof FailureEventSchema>;

export function failureOf({ error, last_assistant_message: text = "" }: FailureEvent, now: Date): ApiFailure {
  const failure = classifyFailure({ text }, now);
  return failure.kind === "other" && error === "rate_limit" ? { ...failure, kind: "rate limit" } : failure;
}

/** What a hook exits with to wake the session. The agent is told what it wrote on stderr. */
export const WAKE = 2;

/** Whether a StopFailure hook can wake the session, and can tell when that has ended. Older versions drop settings with it. */
export function canWake(version: string | undefined): boolean {
  return canDo(version, "wakingHooks") && canDo(version, "processIds");
}

/** A StopFailure hook that may wake the session later, as in settings. */
export function failureHook(command: HookCommand, timeoutSeconds: number) {
  const wake = { asyncRewake: true, rewakeSummary: "the usage limit has reset" };
  return { hooks: [{ type: "command", ...command, timeout: timeoutSeconds, ...wake }] };
}
