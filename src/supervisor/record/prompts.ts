import * as v from "valibot";
import type { Cron, StopEvent } from "../../claude/events.ts";
import { isFromClaudeCode, type Prompt, readPrompt, startsTurn } from "../../claude/prompts.ts";
import {
  type LastAnswer,
  lastAnswer,
  type SessionFacts,
  sessionFacts,
  toolWatch,
  type WatchedTurns,
} from "../../claude/transcript.ts";
import type { Files } from "../../os/files.ts";
import { lineSplitter } from "../../text/words.ts";
import type { SessionRecord } from "./session.ts";
import { readSeen, type StateFile, saveSeen } from "./state.ts";

/** The prompts of a session without a record of them: from the transcript. */
export async function eventPrompts(
  files: Files,
  { transcript_path: transcript, prompt_id, stop_hook_active }: StopEvent,
  states: readonly StateFile[],
): Promise<UserPrompts> {
  if (transcript === undefined) return { prompts: [], userPromptId: prompt_id };
  if (prompt_id !== undefined) return promptsInTranscript(files, transcript, prompt_id);
  return promptsWithoutIds(files, { transcript, isRepeated: stop_hook_active === true, states });
}

export interface LoopPrompts {
  /** Every prompt of the session so far, after the new ones were recorded. `prompts` are those of this run. */
  readonly record: (
    session: { readonly record: SessionRecord; readonly transcript: string | undefined },
    prompts: readonly string[],
  ) => Promise<UserPrompts>;
}

/**
 * The prompts of a loop's session: those of this run, after those of earlier runs if it was resumed. `sent` are the messages
 * that this run has sent to the agent: in the transcript they look like the user's.
 */
export function loopPrompts(
  now: () => Date,
  write: (action: () => void) => void,
  sent: ReadonlySet<string>,
): LoopPrompts {
  const startedAt = now().toISOString();
  let earlier: readonly RecordedPrompt[] | undefined;
  let recorded = 0;
  return {
    record: async ({ record, transcript }, prompts) => {
      const at = now().toISOString();
      // The agent began with the first one when the loop did.
      const since = (index: number) => (recorded + index === 0 ? startedAt : at);
      const added = prompts.slice(recorded).map((text, index) => asRecorded(text, since(index)));
      recorded = prompts.length;
      const known = earlier === undefined ? record.prompts.read() : [];
      const unknown =
        known === undefined
          ? await earlierPrompts(transcript, ({ text }) => prompts.includes(text) || sent.has(text), at)
          : [];
      earlier ??= known ?? unknown;
      if (unknown.length + added.length > 0) write(() => recordPrompts(record, [...unknown, ...added]));
      return {
        prompts: [...promptsOnRecord(earlier).prompts, ...prompts],
        // Each prompt of the user restarts the count.
        userPromptId: `loop ${startedAt} ${prompts.length}`,
      };
    },
  };
}

function asRecorded(text: string, at: string): RecordedPrompt {
  return { at, prompt_id: null, by_user: true, text, mode: null };
}

export const RecordedPromptSchema = v.object({
  at: v.string(),
  prompt_id: v.nullable(v.string()),
  /** Whether a person wrote it. Claude Code sends prompts when a task ends, and the agent can schedule some. */
  by_user: v.boolean(),
  text: v.string(),
  /** Claude Code's permission mode. */
  mode: v.optional(v.nullable(v.string()), null),
});

export type RecordedPrompt = v.InferOutput<typeof RecordedPromptSchema>;

export function recordPrompts({ prompts }: SessionRecord, added: readonly RecordedPrompt[]): void {
  prompts.append(...added.map((prompt) => ({ ...prompt, text: prompt.text.slice(0, LONGEST_PROMPT) })));
}

const LONGEST_PROMPT = 200_000;

export function isByUser({ scheduled }: SessionRecord, text: string): boolean {
  return !isFromClaudeCode(text) && !scheduled.read()?.some(({ prompt }) => prompt === text);
}

export interface StopWithoutId {
  readonly transcript: string;
  /** Whether a Stop hook has blocked since the prompt. */
  readonly isRepeated: boolean;
  readonly states: readonly StateFile[];
}

/**
 * The prompts in the transcript, for versions that do not say which one a stop belongs to. That is the last one, unless
 * the transcript is behind: a first stop of a prompt, with no prompt that the stop before had not seen. Then the user's
 * must be missing: better one review too many than a prompt without any.
 */
export async function promptsWithoutIds(files: Files, stop: StopWithoutId): Promise<UserPrompts> {
  const seen = readSeen(stop.states);
  const found = await awaitPrompts(files, stop.transcript, (prompts) => {
    const last = lastTurn(prompts);
    return last !== undefined && (stop.isRepeated || last.id !== seen);
  });
  const prompts = found.filter((prompt) => prompt.byUser).map(({ text }) => text);
  const last = lastTurn(found);
  if (last === undefined) return { prompts, userPromptId: undefined };
  saveSeen(stop.states, last.id);
  if (last.id !== seen) return { prompts, userPromptId: last.byUser ? last.id : undefined, seen: last.id };
  const isMissing = !stop.isRepeated;
  return { prompts, userPromptId: isMissing ? `missing ${crypto.randomUUID()}` : undefined, seen };
}

/** The last prompt that the agent answered or answers. */
function lastTurn(found: readonly Prompt[]): { readonly id: string; readonly byUser: boolean } | undefined {
  const turns = found.filter(({ text }) => startsTurn(text));
  const last = turns.at(-1);
  return last && { id: last.uuid ?? `${turns.length}`, byUser: last.byUser };
}

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

export const ScheduledSchema = v.object({
  id: v.string(),
  prompt: v.string(),
  /** The user's prompt at the stop at which it was first seen. */
  user_prompt_id: v.nullable(v.string()),
});

export type Scheduled = v.InferOutput<typeof ScheduledSchema>;

/** Saves the prompts that the agent has scheduled, so that they do not pass for the user's later. */
export function saveScheduled(
  { scheduled }: SessionRecord,
  crons: readonly Cron[],
  userPromptId: string | undefined,
): void {
  const known = scheduled.read() ?? [];
  const added = crons
    .filter((cron) => cron.prompt !== "" && !known.some(({ id, prompt }) => id === cron.id && prompt === cron.prompt))
    .map(({ id, prompt }) => ({ id, prompt, user_prompt_id: userPromptId ?? null }));
  if (added.length > 0) scheduled.save([...known, ...added].slice(-MOST_SCHEDULED));
}

const MOST_SCHEDULED = 200;

/**
 * Whether the agent has scheduled a single wake-up while it worked on this prompt of the user's. An older one says nothing
 * about this prompt, and with a recurring one there would be no review ever again.
 */
export function hasWakeUp(
  { scheduled }: SessionRecord,
  crons: readonly Cron[],
  userPromptId: string | undefined,
): boolean {
  const own = (scheduled.read() ?? []).filter((each) => each.user_prompt_id === userPromptId);
  return crons.some(({ id, recurring }) => !recurring && own.some((each) => each.id === id));
}

/** What the user asked for in a session. */
export interface SessionPrompts {
  readonly prompts: readonly string[];
  /** Whether ccc has no record of the last one: the session went on without supervision. */
  readonly isUnrecorded: boolean;
}

/**
 * The user's prompts on record, and those in the transcript that came later, if the session went on without supervision.
 * `feedback` is what ccc itself has said since the last prompt on record: the loop engine sends it like a prompt.
 */
export function sessionPrompts(
  recorded: readonly RecordedPrompt[],
  found: readonly Prompt[],
  feedback: readonly string[],
): SessionPrompts {
  const known = recorded.filter(({ by_user }) => by_user);
  const last = known.at(-1);
  const own = (prompts: readonly Prompt[]) => prompts.filter(({ byUser }) => byUser).map(({ text }) => text);
  if (last === undefined) return { prompts: own(found), isUnrecorded: true };
  const isLast = ({ id, text }: Prompt) => id === last.prompt_id || text.trim() === last.text.trim();
  const at = found.findLastIndex(isLast);
  const later = at === -1 ? [] : own(found.slice(at + 1));
  const others = recorded.filter(({ by_user }) => !by_user).map(({ text }) => text);
  const added = later.filter((text) => !others.includes(text) && !feedback.some((each) => text.includes(each)));
  return { prompts: [...known.map(({ text }) => text), ...added], isUnrecorded: added.length > 0 };
}

/** Claude Code may write the transcript after the event. */
const TRIES = 20;
const PAUSE_MS = 50;

/** Whether the agent used a tool in these turns; undefined if the transcript does not say. */
export async function toolsUsed(transcript: string, turns: WatchedTurns): Promise<boolean | undefined> {
  for (let attempt = 1, size = -1; ; attempt++) {
    const before = size;
    size = Bun.file(transcript).size;
    // Where nothing was added, there is nothing new to read.
    if (size !== before) {
      const { reader } = await readTranscriptEnd(
        transcript,
        () => toolWatch(turns),
        (watch) => watch.hasWholeTurns(),
      );
      const used = reader.usedTools();
      if (used !== undefined) return used;
    }
    if (attempt === TRIES) return undefined;
    await Bun.sleep(PAUSE_MS);
  }
}

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
const USER_PROMPTS_TRIES = 20;
const USER_PROMPTS_PAUSE_MS = 50;

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
    if (isComplete(found) || file?.isFile === false || attempt === USER_PROMPTS_TRIES) return found;
    await Bun.sleep(USER_PROMPTS_PAUSE_MS);
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
  record: SessionRecord,
  transcript: string | undefined,
  at: string,
): Promise<void> {
  const known = record.prompts.read();
  if (known === undefined) return;
  const isKnown = ({ id, text }: Prompt) =>
    known.some((prompt) => (id === undefined ? prompt.text.trim() === text : prompt.prompt_id === id));
  const missing = await earlierPrompts(transcript, isKnown, at);
  if (missing.length > 0) recordPrompts(record, missing);
}

async function readTranscriptPrompts(transcript: string): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  await readTranscript(transcript, (line) => {
    const prompt = readPrompt(line);
    if (prompt !== undefined) prompts.push(prompt);
  });
  return prompts;
}
