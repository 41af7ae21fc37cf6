import * as v from "valibot";

/** The event on the stdin of a Stop hook. Versions differ in what they send; only the session is always there. */
export const StopEventSchema = v.object({
  session_id: v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, "is not a session id")),
  stop_hook_active: v.optional(v.boolean()),
  transcript_path: v.optional(v.string()),
  cwd: v.optional(v.string()),
  /** Names the prompt that led to this stop, from 2.1.2xx on. */
  prompt_id: v.optional(v.string()),
  background_tasks: v.optional(
    v.array(
      v.object({
        type: v.optional(v.string(), ""),
        status: v.optional(v.string(), ""),
        description: v.optional(v.string(), ""),
        command: v.optional(v.string(), ""),
      }),
    ),
    [],
  ),
});

export type StopEvent = v.InferOutput<typeof StopEventSchema>;
export type BackgroundTask = StopEvent["background_tasks"][number];

/** Delegated work that wakes the session when it ends. */
export function isDelegated({ type, status }: BackgroundTask): boolean {
  return status === "running" && /agent|teammate|workflow/.test(type);
}
