import * as v from "valibot";
import { lenient } from "./lenient.ts";
import { SESSION_ID } from "./session-id.ts";

export const SessionIdSchema = v.pipe(v.string(), v.regex(SESSION_ID, "is not a session id"));

/** The stdin of a Stop hook. Versions differ in what they send, see version-facts.ts; only the session id is always there. */
export const StopEventSchema = v.object({
  session_id: SessionIdSchema,
  stop_hook_active: lenient(v.boolean()),
  transcript_path: lenient(v.string()),
  /** The agent's current folder, not necessarily the one the session started in. */
  cwd: lenient(v.string()),
  permission_mode: lenient(v.string()),
  /** The agent's answer, in versions with `lastAnswers`. */
  last_assistant_message: lenient(v.string()),
  /** The prompt that led to this stop, in versions with `promptIds`. */
  prompt_id: lenient(v.string()),
  background_tasks: v.fallback(
    v.optional(v.array(v.object({ type: text(), status: text(), description: text(), command: text() })), []),
    [],
  ),
  /** Prompts that are scheduled for later, in versions with `scheduledPrompts`. */
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
