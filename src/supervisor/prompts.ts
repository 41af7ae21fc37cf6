import { type Prompt, readPrompt } from "../claude/transcript.ts";
import type { Files } from "../os/files.ts";
import { lineSplitter } from "../text/lines.ts";
import type { RecordedPrompt } from "./prompt-record.ts";

/** What is known of the user's prompts. */
export interface Asked {
  /** Everything that the user asked for, in order. */
  readonly prompts: readonly string[];
  /** Stands for the user's last prompt: reviews are counted anew with each. Undefined where a stop follows none. */
  readonly userPromptId: string | undefined;
}

/** What the record says, which the agent cannot have written. */
export function askedOnRecord(recorded: readonly RecordedPrompt[]): Asked {
  const own = recorded.filter((prompt) => prompt.by_user);
  // What is typed while the agent works has the id of the prompt that it works on, and is one more all the same.
  const last = own.length === 0 ? undefined : `${own.length}:${own.at(-1)?.prompt_id ?? ""}`;
  return { prompts: own.map(({ text }) => text), userPromptId: last };
}

/** The transcript is written behind the events. */
const TRIES = 20;
const PAUSE_MS = 50;

/** What the transcript says, for sessions without a record. A prompt that is not in it yet counts as a person's. */
export async function askedInTranscript(
  files: Files,
  transcript: string | undefined,
  promptId: string | undefined,
): Promise<Asked> {
  if (transcript === undefined) return { prompts: [], userPromptId: promptId };
  let found: Prompt[] = [];
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await Bun.sleep(PAUSE_MS);
    const file = files.identify(transcript);
    found = file === undefined ? [] : await readTranscriptPrompts(transcript);
    const isThere = promptId === undefined ? file !== undefined : found.some((prompt) => prompt.id === promptId);
    // One that is not there may still come; what is no file never becomes one.
    if (isThere || file?.isFile === false) break;
  }
  const current = promptId === undefined ? undefined : found.find((prompt) => prompt.id === promptId);
  return {
    prompts: found.filter((prompt) => prompt.byUser).map((prompt) => prompt.text),
    userPromptId: current === undefined || current.byUser ? promptId : undefined,
  };
}

const LONGEST_LINE = 4_000_000;
const MOST_READ = 64_000_000;

/** The prompts in a transcript, or in the end of a very long one. */
export async function readTranscriptPrompts(transcript: string): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  const lines = lineSplitter(LONGEST_LINE, (line) => {
    const prompt = line && readPrompt(new TextDecoder().decode(line));
    if (prompt !== undefined) prompts.push(prompt);
  });
  try {
    const file = Bun.file(transcript);
    // A pipe would be waited for, and has no size.
    if (!(await file.stat()).isFile()) return [];
    for await (const chunk of file.slice(Math.max(0, file.size - MOST_READ)).stream()) lines.push(chunk);
  } catch {
    // No transcript, no prompts: the reviewer still has the conversation.
  }
  lines.end();
  return prompts;
}
