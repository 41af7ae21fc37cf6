import { type LastAnswer, lastAnswer } from "../../claude/last-answer.ts";
import { type SessionFacts, sessionFacts } from "../../claude/session-facts.ts";
import { lineSplitter } from "../../text/lines.ts";

const LONGEST_LINE = 4_000_000;
const MOST_READ = 64_000_000;

/** Reads the lines of a transcript, or of the last part of a very long one. Tells whether that was all of it. */
export async function readTranscript(
  transcript: string,
  onLine: (line: string) => void,
  most: number = MOST_READ,
): Promise<boolean> {
  let isWhole = true;
  const lines = lineSplitter(LONGEST_LINE, (line) => line && onLine(new TextDecoder().decode(line)));
  try {
    const file = Bun.file(transcript);
    // Reading a pipe would block.
    if (!(await file.stat()).isFile()) return true;
    isWhole = file.size <= most;
    for await (const chunk of file.slice(Math.max(0, file.size - most)).stream()) lines.push(chunk);
  } catch {
    // The review does not depend on it.
  }
  lines.end();
  return isWhole;
}

/** How much is read from the end of a transcript, until it is enough. */
const STEPS = [1_000_000, 8_000_000, MOST_READ];

/**
 * Reads as much of a transcript's end as it takes: hooks must not get slower as a session grows. Each attempt has a reader
 * of its own, because it starts earlier than the one before.
 */
export async function readTranscriptEnd<T extends { readonly add: (line: string) => void }>(
  transcript: string,
  newReader: () => T,
  isEnough: (reader: T) => boolean,
  steps: readonly number[] = STEPS,
): Promise<{ readonly reader: T; readonly isWhole: boolean }> {
  for (let step = 0; ; step++) {
    const reader = newReader();
    const isWhole = await readTranscript(transcript, reader.add, steps[step]);
    if (isWhole || isEnough(reader) || step >= steps.length - 1) return { reader, isWhole };
  }
}

/** The last answer is near the end. */
const STEPS_FOR_ANSWER = [250_000, 2_000_000];

/** The answer that ended the last turn of a session. */
export async function readLastAnswer(transcript: string): Promise<LastAnswer | undefined> {
  const newReader = () => {
    const lines: string[] = [];
    return { add: (line: string) => void lines.push(line), answer: () => lastAnswer(lines) };
  };
  const isEnough = ({ answer }: ReturnType<typeof newReader>) => answer()?.prompt !== undefined;
  const { reader } = await readTranscriptEnd(transcript, newReader, isEnough, STEPS_FOR_ANSWER);
  return reader.answer();
}

/** What the transcript of a session says about it. */
export async function readSessionFacts(transcript: string): Promise<SessionFacts> {
  const { add, facts } = sessionFacts();
  await readTranscript(transcript, add);
  return facts();
}
