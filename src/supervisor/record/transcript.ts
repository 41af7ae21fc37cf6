import { type LastAnswer, type SessionFacts, sessionFacts, transcriptEnd } from "../../claude/transcript.ts";
import { lineSplitter } from "../../os/stdio.ts";

/** Reads the lines of a transcript, or of the last part of a very long one. Returns whether that was all of it. */
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

const LONGEST_LINE = 4_000_000;
const MOST_READ = 64_000_000;

/** How much is read from the end of a transcript, step by step. */
const STEPS = [1_000_000, 8_000_000, MOST_READ];

/**
 * Reads as much of a transcript's end as it takes: hooks must not get slower as a session grows. Each attempt has a new
 * reader, because it starts earlier than the one before.
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

/**
 * What `read` finds in a transcript, as soon as that is complete, or else as it is after a second. Claude Code writes the
 * transcript a little later than it reports an event.
 */
export async function awaitTranscript<T>(
  transcript: string,
  read: (transcript: string) => Promise<T>,
  isComplete: (found: T) => boolean,
): Promise<T> {
  let file = await look(transcript);
  let found = await read(transcript);
  // A missing file may still appear; a pipe or a folder never becomes a file.
  for (let looks = 1; !isComplete(found) && looks < MOST_LOOKS && file?.isFile !== false; looks++) {
    await Bun.sleep(PAUSE_MS);
    const size = file?.size;
    file = await look(transcript);
    // Where nothing was added, there is nothing new to read.
    if (file?.size !== size) found = await read(transcript);
  }
  return found;
}

const MOST_LOOKS = 20;
const PAUSE_MS = 50;

async function look(path: string): Promise<{ readonly size: number; readonly isFile: boolean } | undefined> {
  try {
    const stat = await Bun.file(path).stat();
    return { size: stat.size, isFile: stat.isFile() };
  } catch {
    return undefined;
  }
}

/** The answer that ended the last turn of a session. */
export async function readLastAnswer(transcript: string): Promise<LastAnswer | undefined> {
  const newReader = () => {
    const lines: string[] = [];
    return { add: (line: string) => void lines.push(line), answer: () => transcriptEnd(lines).lastAnswer() };
  };
  const isEnough = ({ answer }: ReturnType<typeof newReader>) => answer()?.prompt !== undefined;
  const { reader } = await readTranscriptEnd(transcript, newReader, isEnough, STEPS_FOR_ANSWER);
  return reader.answer();
}

/** The last answer is near the end. */
const STEPS_FOR_ANSWER = [250_000, 2_000_000];

/** The facts in a whole transcript, whose only prompt may be far from the end. No hook waits for this. */
export async function readSessionFacts(transcript: string): Promise<SessionFacts> {
  const { add, facts } = sessionFacts();
  await readTranscript(transcript, add, Number.POSITIVE_INFINITY);
  return facts();
}
