/** The events that Claude Code passes to ccc's hooks, and their answers. quick-events.ts has those for which valibot is too slow. */
import * as v from "valibot";
import { CccError } from "../errors.ts";
import { parseJson } from "../text/json.ts";
import { lazySchema, lenient } from "../text/schema.ts";
import type { World } from "../world.ts";
import { SESSION_ID } from "./sessions.ts";

const optionalText = lenient(v.string());

export function sessionIdSchema() {
  return v.pipe(v.string(), v.regex(SESSION_ID, "is not a session id"));
}

/** The stdin of a Stop hook. Versions differ in what they send, see claude/versions.ts; only the session id is always there. */
export const StopEventSchema = lazySchema(() =>
  v.object({
    session_id: sessionIdSchema(),
    stop_hook_active: lenient(v.boolean()),
    transcript_path: optionalText,
    /** The agent's current folder, not necessarily the one the session started in. */
    cwd: optionalText,
    permission_mode: optionalText,
    /** The agent's answer, in versions with `lastAnswers`. */
    last_assistant_message: optionalText,
    /** The prompt that led to this stop, in versions with `promptIds`. */
    prompt_id: optionalText,
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
  }),
);

function text() {
  return v.fallback(v.optional(v.string(), ""), "");
}

export type StopEvent = v.InferOutput<typeof StopEventSchema>;
export type Cron = StopEvent["session_crons"][number];
export type BackgroundTask = StopEvent["background_tasks"][number];

/** The answer of a Stop hook. An empty one lets the agent stop. */
export interface StopAnswer {
  readonly decision?: "block";
  readonly reason?: string;
  readonly hookSpecificOutput?: { readonly hookEventName: "Stop"; readonly additionalContext: string };
  /** For the user alone. */
  readonly systemMessage?: string;
  /** Notifications and titles for the terminal: OSC 0, 1, 2, 9, 99, 777 and BEL, at most 4,096 bytes. */
  readonly terminalSequence?: string;
}

/**
 * Makes the agent continue with this feedback. As a block, which every version knows, it is shown as an error, and the agent
 * gets it twice.
 */
export function continueWith(feedback: string, takesFeedback: boolean): StopAnswer {
  if (!takesFeedback) return { decision: "block", reason: feedback };
  return { hookSpecificOutput: { hookEventName: "Stop", additionalContext: feedback } };
}

/** Claude Code replaces longer strings with a reference to a file. */
export const LONGEST_REASON = 10_000;

/** Delegated work: the session wakes up when it ends. */
export function isDelegated({ type, status }: BackgroundTask): boolean {
  return status === "running" && /agent|teammate|workflow/.test(type);
}

/** The stdin of a StopFailure hook: an error of the API ended the turn. */
export const FailureEventSchema = lazySchema(() =>
  v.object({
    session_id: sessionIdSchema(),
    /** Claude Code's name for it, such as "rate_limit". */
    error: optionalText,
    /** The message that the user sees. */
    last_assistant_message: optionalText,
  }),
);

/** The exit code of a hook that wakes the session. The agent gets what the hook wrote to stderr. */
export const WAKE = 2;

function commonFields() {
  return { session_id: sessionIdSchema(), transcript_path: optionalText, cwd: optionalText };
}

/** The stdin of a UserPromptSubmit hook. A message typed while the agent works has the id of the prompt it works on. */
function promptEventSchema() {
  return v.object({
    ...commonFields(),
    hook_event_name: v.literal("UserPromptSubmit"),
    prompt_id: optionalText,
    prompt: v.string(),
    permission_mode: optionalText,
    /** Who sent it. Versions up to 2.1.325 do not say. */
    source: optionalText,
  });
}

export type PromptEvent = v.InferOutput<ReturnType<typeof promptEventSchema>>;

/** The values of `source` in a prompt event that mean a person, in a terminal or through `-p`, an SDK or an editor. */
export const USER_SOURCES: readonly string[] = ["user", "sdk"];

/** The answer of a UserPromptSubmit or SessionStart hook: a message for the user alone, or an answer in place of the agent's. */
export type PromptAnswer = { readonly systemMessage: string } | { readonly decision: "block"; readonly reason: string };

/** The stdin of a SessionStart hook. */
function startEventSchema() {
  return v.object({
    ...commonFields(),
    hook_event_name: v.literal("SessionStart"),
    /** "startup", "resume", "clear" or "compact". */
    source: optionalText,
  });
}

export type StartEvent = v.InferOutput<ReturnType<typeof startEventSchema>>;

/** The events of the hook that keeps a session's record: session starts and prompts. */
export const RecordEventSchema = lazySchema(() =>
  v.variant("hook_event_name", [promptEventSchema(), startEventSchema()]),
);

/** The JSON that Claude Code passes to a hook on stdin. */
export function readInput({ stdin }: Pick<World, "stdin">): unknown {
  const text = stdin(LARGEST_EVENT);
  if (text === undefined) throw new CccError("the event on stdin is too large");
  const input = parseJson(text);
  if (input !== undefined) return input;
  throw new CccError(text.trim() === "" ? "no event on stdin" : "the event on stdin is not JSON");
}

/** Events are a few kilobytes; a prompt with a pasted file may be a few megabytes. */
const LARGEST_EVENT = 8_000_000;

/** Checks that the input is an event with this schema. */
export function readEvent<T extends v.GenericSchema>(input: unknown, schema: T, name: string): v.InferOutput<T> {
  const event = v.safeParse(schema, input);
  if (event.success) return event.output;
  const field = v.getDotPath(event.issues[0]);
  const wrong = field === null ? "it is not an object" : `${field} is missing or invalid`;
  throw new CccError(`the event on stdin is not a ${name} event: ${wrong}`);
}
