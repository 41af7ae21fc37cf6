import * as v from "valibot";
import { lenient } from "./lenient.ts";

/** Safe as the name of a file. */
export const SessionIdSchema = v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "is not a session id"));

/** The event on the stdin of a Stop hook. Versions differ in what they send; only the session is always there. */
export const StopEventSchema = v.object({
  session_id: SessionIdSchema,
  stop_hook_active: lenient(v.boolean()),
  transcript_path: lenient(v.string()),
  /** Where the agent is now, which need not be where the session began. */
  cwd: lenient(v.string()),
  /** Names the prompt that led to this stop, from 2.1.2xx on. */
  prompt_id: lenient(v.string()),
  background_tasks: v.fallback(
    v.optional(v.array(v.object({ type: text(), status: text(), description: text(), command: text() })), []),
    [],
  ),
  /** What the agent wants to be asked later, from about 2.1.2xx on. */
  session_crons: v.fallback(v.optional(v.array(v.object({ prompt: text() })), []), []),
});

function text() {
  return v.fallback(v.optional(v.string(), ""), "");
}

export type StopEvent = v.InferOutput<typeof StopEventSchema>;
export type BackgroundTask = StopEvent["background_tasks"][number];

/** Delegated work that wakes the session when it ends. */
export function isDelegated({ type, status }: BackgroundTask): boolean {
  return status === "running" && /agent|teammate|workflow/.test(type);
}
