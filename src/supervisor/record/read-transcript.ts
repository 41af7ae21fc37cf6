import { type LastAnswer, lastAnswer } from "../../claude/last-answer.ts";
import { lineSplitter } from "../../text/lines.ts";

const LONGEST_LINE = 4_000_000;
const MOST_READ = 64_000_000;

/** Reads the lines of a transcript, or of the last part of a very long one. */
export async function readTranscript(
  transcript: string,
  onLine: (line: string) => void,
  most: number = MOST_READ,
): Promise<void> {
  const lines = lineSplitter(LONGEST_LINE, (line) => line && onLine(new TextDecoder().decode(line)));
  try {
    const file = Bun.file(transcript);
    // Reading a pipe would block.
    if (!(await file.stat()).isFile()) return;
    for await (const chunk of file.slice(Math.max(0, file.size - most)).stream()) lines.push(chunk);
  } catch {
    // The review does not depend on it.
  }
  lines.end();
}

/** The last answer is near the end. */
const MOST_READ_FOR_ANSWER = 2_000_000;

/** The answer that ended the last turn of a session. */
export async function readLastAnswer(transcript: string): Promise<LastAnswer | undefined> {
  const lines: string[] = [];
  await readTranscript(transcript, (line) => lines.push(line), MOST_READ_FOR_ANSWER);
  return lastAnswer(lines);
}
