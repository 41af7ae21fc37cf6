import { type Prompt, readPrompt } from "../claude/transcript.ts";
import type { Files } from "../io/files.ts";
import { lineSplitter } from "../io/lines.ts";

/** What a transcript says of the user's prompts. */
export interface Asked {
  /** Everything that the user asked for, in order. */
  readonly prompts: readonly string[];
  /** The given prompt's id if a person wrote it. One that is not in the transcript yet counts as a person's. */
  readonly userPromptId: string | undefined;
}

const LONGEST_LINE = 4_000_000;
/** The transcript is written behind the events. */
const TRIES = 20;
const PAUSE_MS = 50;

export async function readAsked(
  files: Files,
  transcript: string | undefined,
  promptId: string | undefined,
): Promise<Asked> {
  if (transcript === undefined) return { prompts: [], userPromptId: promptId };
  let found: Prompt[] = [];
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (attempt > 0) await Bun.sleep(PAUSE_MS);
    const file = files.identify(transcript);
    // A pipe would make the hook wait for ever. One that is not there may still come.
    if (file !== undefined && !file.isFile) break;
    found = file === undefined ? [] : await readPrompts(transcript);
    const isThere = promptId === undefined ? file !== undefined : found.some((prompt) => prompt.id === promptId);
    if (isThere) break;
  }
  const current = promptId === undefined ? undefined : found.find((prompt) => prompt.id === promptId);
  return {
    prompts: found.filter((prompt) => prompt.byUser).map((prompt) => prompt.text),
    userPromptId: current === undefined || current.byUser ? promptId : undefined,
  };
}

async function readPrompts(transcript: string): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  const lines = lineSplitter(LONGEST_LINE, (line) => {
    const prompt = line && readPrompt(new TextDecoder().decode(line));
    if (prompt !== undefined) prompts.push(prompt);
  });
  try {
    for await (const chunk of Bun.file(transcript).stream()) lines.push(chunk);
  } catch {
    // No transcript, no prompts: the reviewer still has the conversation.
  }
  lines.end();
  return prompts;
}
