import { type Prompt, readPrompt } from "../../claude/transcript.ts";
import type { Files } from "../../os/files.ts";
import { appendPrompts, type RecordedPrompt, readPromptRecord } from "./prompt-record.ts";
import { readTranscript } from "./read-transcript.ts";
import type { SessionRecord } from "./session-record.ts";

export interface UserPrompts {
  /** Every prompt of the user, in order. */
  readonly prompts: readonly string[];
  /** Identifies the user's last prompt, which restarts the count. Undefined if the stop follows no prompt of theirs. */
  readonly userPromptId: string | undefined;
  /** The last prompt in the transcript, whoever wrote it, for versions whose prompts have no ids. */
  readonly seen?: string | undefined;
}

/** The prompts in ccc's own record, which the agent cannot write. */
export function promptsOnRecord(recorded: readonly RecordedPrompt[]): UserPrompts {
  const own = recorded.filter((prompt) => prompt.by_user);
  // A message typed while the agent works shares the id of the current prompt, but counts as a new one.
  const last = own.length === 0 ? undefined : `${own.length}:${own.at(-1)?.prompt_id ?? ""}`;
  return { prompts: own.map(({ text }) => text), userPromptId: last };
}

/** Claude Code may write the transcript after the event. */
const TRIES = 20;
const PAUSE_MS = 50;

/** The prompts in the transcript, for sessions without a record. One that is still missing counts as the user's. */
export async function promptsInTranscript(files: Files, transcript: string, promptId: string): Promise<UserPrompts> {
  const found = await awaitPrompts(files, transcript, (prompts) => prompts.some(({ id }) => id === promptId));
  const current = found.find((prompt) => prompt.id === promptId);
  return {
    prompts: found.filter((prompt) => prompt.byUser).map((prompt) => prompt.text),
    userPromptId: current === undefined || current.byUser ? promptId : undefined,
  };
}

/** The prompts in a transcript, as soon as it has what is needed, or as they are after a second. */
export async function awaitPrompts(
  files: Files,
  transcript: string,
  isComplete: (found: readonly Prompt[]) => boolean,
): Promise<Prompt[]> {
  let found: Prompt[] = [];
  for (let attempt = 1, size = -1; ; attempt++) {
    const file = files.identify(transcript);
    const before = size;
    size = file === undefined ? -1 : Bun.file(transcript).size;
    // Where nothing was added, there is nothing new to read.
    if (size !== before) found = await readTranscriptPrompts(transcript);
    // A missing file may still appear; a pipe or a folder never becomes a file.
    if (isComplete(found) || file?.isFile === false || attempt === TRIES) return found;
    await Bun.sleep(PAUSE_MS);
  }
}

/** Unrecorded prompts of a resumed session, from its transcript. */
export async function earlierPrompts(
  transcript: string | undefined,
  isCurrent: (prompt: Prompt) => boolean,
  at: string,
): Promise<RecordedPrompt[]> {
  const found = transcript === undefined ? [] : await readTranscriptPrompts(transcript);
  const earlier = found.filter((prompt) => prompt.byUser && !isCurrent(prompt)).slice(-MOST_EARLIER);
  return earlier.map(({ id, text }) => ({ at, prompt_id: id ?? null, by_user: true, text, mode: null }));
}

const MOST_EARLIER = 200;

/** Adds the prompts that the user wrote while nothing was recorded. Without any record, the next prompt adds them all. */
export async function recordMissingPrompts(
  files: Files,
  record: SessionRecord,
  transcript: string | undefined,
  at: string,
): Promise<void> {
  const known = readPromptRecord(files, record);
  if (known === undefined) return;
  const isKnown = ({ id, text }: Prompt) =>
    known.some((prompt) => (id === undefined ? prompt.text.trim() === text : prompt.prompt_id === id));
  const missing = await earlierPrompts(transcript, isKnown, at);
  if (missing.length > 0) appendPrompts(files, record, missing);
}

async function readTranscriptPrompts(transcript: string): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  await readTranscript(transcript, (line) => {
    const prompt = readPrompt(line);
    if (prompt !== undefined) prompts.push(prompt);
  });
  return prompts;
}
