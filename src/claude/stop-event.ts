import * as v from "valibot";
import { lenient } from "./lenient.ts";

/** Safe as a file name. */
export const SessionIdSchema = v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "is not a session id"));

/** The stdin of a Stop hook. Versions differ in what they send; only the session id is always there. */
export const StopEventSchema = v.object({
  session_id: SessionIdSchema,
  stop_hook_active: lenient(v.boolean()),
  transcript_path: lenient(v.string()),
  /** The agent's current folder, not necessarily the one the session started in. */
  cwd: lenient(v.string()),
  permission_mode: lenient(v.string()),
  /** The agent's answer, from about 2.1.4x on. */
  last_assistant_message: lenient(v.string()),
  /** The prompt that led to this stop, from about 2.1.2xx on. */
  prompt_id: lenient(v.string()),
  background_tasks: v.fallback(
    v.optional(v.array(v.object({ type: text(), status: text(), description: text(), command: text() })), []),
    [],
  ),
  /** Prompts that are scheduled for later, from about 2.1.2xx on. */
  session_crons: v.fallback(
    v.optional(
      v.array(v.object({ id: text(), prompt: text(), recurring: v.fallback(v.optional(v.boolean(), false), false) })),
      [],
    ),
    [],
  ),
});

function text() {
  return v.fallback(v.optional(v.string(), ""), "");
}

export type StopEvent = v.InferOutput<typeof StopEventSchema>;
export type Cron = StopEvent["session_crons"][number];
export type BackgroundTask = StopEvent["background_tasks"][number];

/** Delegated work: the session wakes up when it ends. */
export function isDelegated({ type, status }: BackgroundTask): boolean {
  return status === "running" && /agent|teammate|workflow/.test(type);
}
