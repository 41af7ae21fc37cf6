import * as v from "valibot";
import type { Cron } from "../../claude/stop-event.ts";
import type { Files } from "../../os/files.ts";
import { parseJson } from "../../text/json.ts";
import type { SessionRecord } from "./session-record.ts";

const ScheduledSchema = v.object({
  id: v.string(),
  prompt: v.string(),
  /** The user's prompt at the stop at which it was first seen. */
  user_prompt_id: v.nullable(v.string()),
});

type Scheduled = v.InferOutput<typeof ScheduledSchema>;

/** Saves the prompts that the agent has scheduled, so that they do not pass for the user's later. */
export function saveScheduled(
  files: Files,
  { scheduled }: SessionRecord,
  crons: readonly Cron[],
  userPromptId: string | undefined,
): void {
  const known = readScheduled(files, scheduled);
  const added = crons
    .filter((cron) => cron.prompt !== "" && !known.some(({ id, prompt }) => id === cron.id && prompt === cron.prompt))
    .map(({ id, prompt }) => ({ id, prompt, user_prompt_id: userPromptId ?? null }));
  if (added.length > 0) files.writePrivate(scheduled, JSON.stringify([...known, ...added].slice(-MOST_SCHEDULED)));
}

const MOST_SCHEDULED = 200;

/**
 * Whether the agent has scheduled a single wake-up while it worked on this prompt of the user's. An older one says nothing
 * about this prompt, and with a recurring one there would be no review ever again.
 */
export function hasWakeUp(
  files: Files,
  { scheduled }: SessionRecord,
  crons: readonly Cron[],
  userPromptId: string | undefined,
): boolean {
  const own = readScheduled(files, scheduled).filter((each) => each.user_prompt_id === userPromptId);
  return crons.some(({ id, recurring }) => !recurring && own.some((each) => each.id === id));
}

export function readScheduled(files: Files, path: string): Scheduled[] {
  const list = v.safeParse(v.array(ScheduledSchema), parseJson(files.read(path) ?? "[]"));
  return list.success ? list.output : [];
}
