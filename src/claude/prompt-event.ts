import * as v from "valibot";
import { lenient } from "./lenient.ts";
import { SessionIdSchema } from "./stop-event.ts";

const Common = { session_id: SessionIdSchema, transcript_path: lenient(v.string()), cwd: lenient(v.string()) };

/** The stdin of a UserPromptSubmit hook. A message typed while the agent works has the id of the prompt it works on. */
const PromptEventSchema = v.object({
  ...Common,
  hook_event_name: v.literal("UserPromptSubmit"),
  prompt_id: lenient(v.string()),
  prompt: v.string(),
  permission_mode: lenient(v.string()),
});

export type PromptEvent = v.InferOutput<typeof PromptEventSchema>;

/** The answer of a UserPromptSubmit or SessionStart hook: a message for the user alone, or an answer in place of the agent's. */
export type PromptAnswer = { readonly systemMessage: string } | { readonly decision: "block"; readonly reason: string };

/** The stdin of a SessionStart hook. */
const StartEventSchema = v.object({
  ...Common,
  hook_event_name: v.literal("SessionStart"),
  /** "startup", "resume", "clear" or "compact". */
  source: lenient(v.string()),
});

export type StartEvent = v.InferOutput<typeof StartEventSchema>;

/** The events of the hook that keeps a session's record: session starts and prompts. */
export const RecordEventSchema = v.variant("hook_event_name", [PromptEventSchema, StartEventSchema]);
