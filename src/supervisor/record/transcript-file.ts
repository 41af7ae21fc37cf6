import { type Answer, lastAnswer } from "../../claude/last-answer.ts";
import { type Prompt, readPrompt } from "../../claude/transcript.ts";
import { lineSplitter } from "../../text/lines.ts";

const LONGEST_LINE = 4_000_000;
const MOST_READ = 64_000_000;

/** The prompts in a transcript, or in the last part of a very long one. */
export async function readTranscriptPrompts(transcript: string): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  const lines = lineSplitter(LONGEST_LINE, (line) => {
    const prompt = line && readPrompt(new TextDecoder().decode(line));
    if (prompt !== undefined) prompts.push(prompt);
  });
  await readTail(transcript, MOST_READ, async (end) => {
    for await (const chunk of end.stream()) lines.push(chunk);
  });
  lines.end();
  return prompts;
}

/** The last answer is near the end. */
const ANSWER_READ = 2_000_000;

/** The answer that ended the last turn of a session. */
export async function readLastAnswer(transcript: string): Promise<Answer | undefined> {
  const text = await readTail(transcript, ANSWER_READ, (end) => end.text());
  return text === undefined ? undefined : lastAnswer(text.split("\n"));
}

/** Reads the end of a file. Undefined if it cannot be read: the conversation itself does not depend on it. */
async function readTail<T>(path: string, longest: number, read: (end: Blob) => Promise<T>): Promise<T | undefined> {
  try {
    const file = Bun.file(path);
    // Reading a pipe would block.
    return (await file.stat()).isFile() ? await read(file.slice(Math.max(0, file.size - longest))) : undefined;
  } catch {
    return undefined;
  }
}
