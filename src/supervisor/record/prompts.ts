import * as v from "valibot";
import type { Cron, StopEvent } from "../../claude/events.ts";
import { type Prompt, readPrompt, scheduledCalls, startsTurn } from "../../claude/prompts.ts";
import type { Json } from "../../text/json.ts";
import { lazySchema } from "../../text/schema.ts";
import type { RecordFile, RecordLines, SessionRecord } from "./session.ts";
import { reviewState, type StateFile } from "./state.ts";
import { awaitTranscript, readTranscript, readTranscriptEnd } from "./transcript.ts";

/** The user's prompts before a stop: those on record or, without a record, those in the transcript. */
export async function eventPrompts(
  { transcript_path: transcript, prompt_id, stop_hook_active }: StopEvent,
  states: readonly StateFile[],
  recorded: readonly RecordedPrompt[] | undefined,
): Promise<UserPrompts> {
  if (recorded !== undefined) return promptsOnRecord(recorded);
  if (transcript === undefined) return { prompts: [], userPromptId: prompt_id };
  if (prompt_id !== undefined) return promptsInTranscript(transcript, prompt_id);
  return promptsWithoutIds(transcript, stop_hook_active === true, states);
}

interface LoopPrompts {
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
      // The agent started on the first prompt when the loop started.
      const since = (index: number) => (recorded + index === 0 ? startedAt : at);
      const added = prompts.slice(recorded).map((text, index) => asRecorded(text, since(index)));
      recorded = prompts.length;
      const isOfThisRun = ({ text }: Prompt) => prompts.includes(text) || sent.has(text);
      const unrecorded = earlier === undefined ? await record.prompts.unrecorded(transcript, isOfThisRun, at) : [];
      earlier ??= (await record.prompts.settle(transcript, write, 0)) ?? unrecorded;
      if (unrecorded.length + added.length > 0) write(() => record.prompts.append(...unrecorded, ...added));
      return {
        prompts: [...promptsOnRecord(earlier).prompts, ...prompts],
        // Each prompt of the user restarts the count.
        userPromptId: `loop ${startedAt} ${prompts.length}`,
      };
    },
  };
}

function asRecorded(text: string, at: string, id?: string): RecordedPrompt {
  return { at, prompt_id: id ?? null, by_user: true, text, mode: null };
}

export interface RecordedPrompt {
  readonly at: string;
  readonly prompt_id: string | null;
  /**
   * Whether a person wrote it. Claude Code sends prompts when a task ends, and the agent can cause some: a message of a
   * delegated agent, a wake-up.
   */
  readonly by_user: boolean;
  readonly text: string;
  /** Claude Code's permission mode. */
  readonly mode: string | null;
  /** Set while `by_user` is a guess: names the later line that settles it. A guess counts for nothing. */
  readonly doubt?: string;
}

/** Settles who wrote an earlier prompt. */
interface Attribution {
  readonly settles: string;
  readonly by_user: boolean;
}

/**
 * The valid lines of prompts.jsonl. Checked by hand: every prompt hook reads all of them, and the engine would compile whatever
 * is called for each line.
 */
function readLines(text: string): { readonly recorded: RecordedPrompt[]; readonly attributions: Attribution[] } {
  const [recorded, attributions]: [RecordedPrompt[], Attribution[]] = [[], []];
  for (const line of text.split("\n")) {
    if (!line.startsWith("{")) continue;
    let json: Json;
    try {
      json = JSON.parse(line);
    } catch {
      continue;
    }
    const { at, prompt_id, by_user, text: written, mode = null, doubt, settles } = json;
    if (typeof by_user !== "boolean") continue;
    if (
      typeof at === "string" &&
      typeof written === "string" &&
      (prompt_id === null || typeof prompt_id === "string") &&
      (mode === null || typeof mode === "string") &&
      (doubt === undefined || typeof doubt === "string")
    )
      recorded.push({ at, prompt_id, by_user, text: written, mode, ...(doubt === undefined ? {} : { doubt }) });
    else if (typeof settles === "string") attributions.push({ settles, by_user });
  }
  return { recorded, attributions };
}

/** The prompts of a session. */
export interface PromptRecord extends RecordLines<RecordedPrompt> {
  /**
   * Every prompt on record, after the transcript has settled who wrote them, as far as it can. Claude Code writes it a
   * little late, so this waits for prompts since `awaited`, in milliseconds.
   */
  readonly settle: (
    transcript: string | undefined,
    write: (action: () => void) => void,
    awaited?: number,
  ) => Promise<RecordedPrompt[] | undefined>;
  /** What the user wrote before the session had a record, from its transcript. Empty if it has one. */
  readonly unrecorded: (
    transcript: string | undefined,
    isCurrent: (prompt: Prompt) => boolean,
    at: string,
  ) => Promise<RecordedPrompt[]>;
  /** Adds what the user wrote while nothing was recorded. Without any record, the next prompt adds all of it. */
  readonly addMissing: (transcript: string | undefined, at: string) => Promise<void>;
}

/** `text` reads prompts.jsonl. */
export function promptRecord({ text, append, modified }: PromptsFile): PromptRecord {
  const read = () => {
    const found = text();
    const lines = found === undefined ? undefined : readLines(found);
    return lines && settled(lines.recorded, lines.attributions);
  };
  const add = (...prompts: readonly RecordedPrompt[]) =>
    append(...prompts.map((prompt) => ({ ...prompt, text: recordable(prompt.text) })));
  return {
    read,
    append: add,
    modified,
    settle: async (transcript, write, awaited = Number.POSITIVE_INFINITY) => {
      const recorded = read();
      if (transcript === undefined || !recorded?.some(isInDoubt)) return recorded;
      const attributions = await attributionsIn(transcript, recorded, awaited);
      if (attributions.length > 0) write(() => append(...attributions));
      return settled(recorded, attributions);
    },
    unrecorded: async (transcript, isCurrent, at) =>
      modified() === undefined ? await othersInTranscript(transcript, isCurrent, at) : [],
    addMissing: async (transcript, at) => {
      const known = read();
      if (known === undefined) return;
      const isKnown = ({ id, text }: Prompt) =>
        known.some((prompt) =>
          id === undefined || prompt.prompt_id === null ? prompt.text.trim() === text : prompt.prompt_id === id,
        );
      const missing = await othersInTranscript(transcript, isKnown, at);
      if (missing.length > 0) add(...missing);
    },
  };
}

interface PromptsFile extends Pick<RecordLines<RecordedPrompt | Attribution>, "append" | "modified"> {
  readonly text: () => string | undefined;
}

function isInDoubt({ doubt }: RecordedPrompt): boolean {
  return doubt !== undefined;
}

/** Whether a prompt is known to be the user's. */
function isUsers({ by_user, doubt }: RecordedPrompt): boolean {
  return by_user && doubt === undefined;
}

function settled(recorded: readonly RecordedPrompt[], attributions: readonly Attribution[]): RecordedPrompt[] {
  const attributed = new Map<string, boolean>();
  for (const { settles, by_user } of attributions) attributed.set(settles, by_user);
  const known: RecordedPrompt[] = [];
  for (const prompt of recorded) {
    const { doubt, ...others } = prompt;
    const by_user = doubt === undefined ? undefined : attributed.get(doubt);
    known.push(by_user === undefined ? prompt : { ...others, by_user });
  }
  return known;
}

async function attributionsIn(
  transcript: string,
  recorded: readonly RecordedPrompt[],
  awaited: number,
): Promise<Attribution[]> {
  const isAttributed = (attributions: readonly Attribution[], since: number) =>
    recorded
      .filter((prompt) => isInDoubt(prompt) && Date.parse(prompt.at) >= since)
      .every(({ doubt }) => attributions.some(({ settles }) => settles === doubt));
  const hasUnnamed = recorded.some((prompt) => isInDoubt(prompt) && prompt.prompt_id === null);
  const sought = recorded.filter((prompt, index) => isInDoubt(prompt) && !wasSought(index, recorded));
  let isEmpty = true;
  const read = async (path: string) => {
    const newReader = () => {
      const prompts: Prompt[] = [];
      const scheduled: string[] = [];
      const add = (line: string) => {
        prompts.push(...[readPrompt(line)].filter((prompt) => prompt !== undefined));
        if (hasUnnamed) scheduled.push(...scheduledCalls(line));
      };
      const attributions = (isWhole: boolean) => [
        ...attributionsById(recorded, prompts),
        ...attributionsByText(recorded, prompts, scheduled, isWhole),
      ];
      return { add, prompts, attributions };
    };
    const { reader, isWhole } = await readTranscriptEnd(path, newReader, ({ prompts, attributions }) => {
      const found = attributions(false);
      return sought.every(
        (prompt) => found.some(({ settles }) => settles === prompt.doubt) || startsBefore(prompt, recorded, prompts),
      );
    });
    isEmpty = reader.prompts.length === 0;
    return reader.attributions(isWhole);
  };
  const found = await awaitTranscript(transcript, read, (attributions) => isAttributed(attributions, awaited));
  // The session is not saved, or it is the first prompt: nobody else can have sent one.
  const isGuessed = (index: number) => isEmpty || index === 0;
  const others = recorded.filter(
    (prompt, index) => isInDoubt(prompt) && isGuessed(index) && !found.some(({ settles }) => settles === prompt.doubt),
  );
  const guesses = others.map(({ doubt = "", by_user }) => ({ settles: doubt, by_user }));
  return awaited === Number.POSITIVE_INFINITY ? found : [...found, ...guesses];
}

/** Whether the lines reach back beyond the turn of a prompt. If it is not in these, it is not in earlier ones either. */
function startsBefore(prompt: RecordedPrompt, recorded: readonly RecordedPrompt[], found: readonly Prompt[]): boolean {
  const turns = new Set(found.filter(startsTurn).map(({ id }) => id));
  const earlier = recorded.slice(0, recorded.indexOf(prompt)).map(({ prompt_id }) => prompt_id ?? undefined);
  return earlier.some((id) => id !== undefined && id !== prompt.prompt_id && turns.has(id));
}

/** Whether two prompts came later. Their hooks have looked for this one, so it is not worth going far back again. */
function wasSought(index: number, recorded: readonly RecordedPrompt[]): boolean {
  const later = recorded.slice(index + 1).map(({ prompt_id }, at) => prompt_id ?? at);
  return new Set(later.filter((id) => id !== recorded[index]?.prompt_id)).size >= 2;
}

/**
 * What the transcript says about the prompts in doubt. The first prompt with an id began a turn, whose line has that
 * id. Others with the same id came while the agent worked, or while its stop was handled: their lines have no id or the
 * next one, and come later.
 */
function attributionsById(recorded: readonly RecordedPrompt[], found: readonly Prompt[]): Attribution[] {
  const firstOf = new Map(recorded.toReversed().map((prompt) => [prompt.prompt_id, prompt]));
  const taken = new Set<Prompt>();
  return recorded.flatMap((prompt) => {
    if (prompt.prompt_id === null) return [];
    const turn = found.findIndex(({ id }) => id === prompt.prompt_id);
    if (turn === -1) return [];
    const isFirst = firstOf.get(prompt.prompt_id) === prompt;
    const text = prompt.text.trim();
    const isCandidate = (line: Prompt, index: number) =>
      index === turn ? isFirst : index > turn && !firstOf.has(line.id ?? null) && !taken.has(line);
    const same = found.find((line, index) => isCandidate(line, index) && line.text === text);
    // A prompt of another agent is wrapped in a warning, and plugins may rewrite the user's.
    const line = same ?? (isFirst ? found[turn] : undefined);
    if (line === undefined) return [];
    taken.add(line);
    if (prompt.doubt === undefined) return [];
    const isCertain = line === same && line.namesSender;
    return [{ settles: prompt.doubt, by_user: isCertain ? line.byUser : line.byUser && prompt.by_user }];
  });
}

/**
 * The same for versions whose events have no ids: a prompt and its line have the same text, and both are in order. It is the
 * user's if nothing on the line denies that, the text is neither scheduled nor of a form that Claude Code uses, or nobody
 * else can have sent it, because the session begins with it.
 */
function attributionsByText(
  recorded: readonly RecordedPrompt[],
  found: readonly Prompt[],
  scheduled: readonly string[],
  isWhole: boolean,
): Attribution[] {
  const turns = found.filter(startsTurn);
  const known = new Set(recorded.map(({ prompt_id }) => prompt_id));
  const taken = new Set<Prompt>(turns.filter(({ id }) => id !== undefined && known.has(id)));
  return recorded.flatMap((prompt, index) => {
    if (prompt.prompt_id !== null) return [];
    const text = prompt.text.trim();
    const line = turns.find((each) => each.text === text && !taken.has(each));
    if (line === undefined) return [];
    taken.add(line);
    if (prompt.doubt === undefined) return [];
    const isFirst = isWhole && index === 0 && line === turns[0];
    const isTyped = line.byUser && prompt.by_user && !scheduled.some((each) => each.trim() === text);
    return [{ settles: prompt.doubt, by_user: line.namesSender ? line.byUser : isFirst || isTyped }];
  });
}

function recordable(text: string): string {
  if (text.length <= LONGEST_PROMPT) return text;
  return `${text.slice(0, LONGEST_PROMPT)}\n[… ${text.length - LONGEST_PROMPT} more characters, which ccc did not record …]`;
}

const LONGEST_PROMPT = 1_000_000;

/** The user's prompts in a transcript, without those that are known. */
async function othersInTranscript(
  transcript: string | undefined,
  isKnown: (prompt: Prompt) => boolean,
  at: string,
): Promise<RecordedPrompt[]> {
  const found = transcript === undefined ? [] : await promptsIn(transcript);
  const others = found.filter((prompt) => prompt.byUser && !isKnown(prompt)).slice(-MOST_OTHERS);
  return others.map(({ id, text }) => asRecorded(text, at, id));
}

const MOST_OTHERS = 200;

/**
 * The prompts in the transcript, for versions that do not say which prompt a stop belongs to. It is the last one, unless the
 * transcript lags behind: no Stop hook has blocked since the prompt (`isRepeated`), yet the stop before has seen the last
 * one already. Then the user's must be missing, and counts as new: better one review too many than none.
 */
async function promptsWithoutIds(
  transcript: string,
  isRepeated: boolean,
  states: readonly StateFile[],
): Promise<UserPrompts> {
  const seen = readSeen(states);
  const found = await awaitTranscript(transcript, promptsIn, (prompts) => {
    const last = lastTurn(prompts);
    return last !== undefined && (isRepeated || last.id !== seen);
  });
  const prompts = usersTexts(found);
  const last = lastTurn(found);
  if (last === undefined) return { prompts, userPromptId: undefined };
  saveSeen(states, last.id);
  if (last.id !== seen) return { prompts, userPromptId: last.byUser ? last.id : undefined, seen: last.id };
  return { prompts, userPromptId: isRepeated ? undefined : `missing ${crypto.randomUUID()}`, seen };
}

function usersTexts(prompts: readonly Prompt[]): string[] {
  return prompts.filter(({ byUser }) => byUser).map(({ text }) => text);
}

/** The last prompt that a stop has seen, from the first state that exists. */
function readSeen(states: readonly StateFile[]): string | undefined {
  for (const file of states) {
    try {
      const state = reviewState(file).read();
      if (state !== undefined) return state.seen_prompt;
    } catch {
      // Try the next one.
    }
  }
  return undefined;
}

function saveSeen(states: readonly StateFile[], seen: string): void {
  for (const file of states) {
    try {
      reviewState(file).saveSeen(seen);
    } catch {
      // Without it, the next stop counts the prompt as unseen.
    }
  }
}

/** The last prompt that the agent has answered or is answering. */
function lastTurn(found: readonly Prompt[]): { readonly id: string; readonly byUser: boolean } | undefined {
  const turns = found.filter(startsTurn);
  const last = turns.at(-1);
  return last && { id: last.uuid ?? `${turns.length}`, byUser: last.byUser };
}

export const ScheduledSchema = lazySchema(() =>
  v.object({
    id: v.string(),
    prompt: v.string(),
    /** The user's prompt at the stop at which it was first seen. */
    user_prompt_id: v.nullable(v.string()),
  }),
);

type Scheduled = v.InferOutput<typeof ScheduledSchema>;

/** The prompts that the agent has scheduled, which arrive like the user's. */
export interface ScheduledRecord extends Pick<RecordFile<Scheduled[]>, "read"> {
  /** Adds those that are scheduled at a stop. */
  readonly add: (crons: readonly Cron[], userPromptId: string | undefined) => void;
  readonly has: (prompt: string) => boolean;
  /**
   * Whether the agent has scheduled a one-time wake-up while it worked on this prompt of the user. An older one says nothing
   * about this prompt, and with a recurring one there would never be a review again.
   */
  readonly hasWakeUp: (crons: readonly Cron[], userPromptId: string | undefined) => boolean;
}

export function scheduledRecord({ read, save }: RecordFile<Scheduled[]>): ScheduledRecord {
  return {
    read,
    add: (crons, userPromptId) => {
      const known = read() ?? [];
      const isNew = (cron: Cron) =>
        cron.prompt !== "" && !known.some(({ id, prompt }) => id === cron.id && prompt === cron.prompt);
      const added = crons.filter(isNew).map(({ id, prompt }) => ({ id, prompt, user_prompt_id: userPromptId ?? null }));
      if (added.length > 0) save([...known, ...added].slice(-MOST_SCHEDULED));
    },
    has: (text) => read()?.some(({ prompt }) => prompt === text) === true,
    hasWakeUp: (crons, userPromptId) => {
      const current = (read() ?? []).filter((each) => each.user_prompt_id === userPromptId);
      return crons.some(({ id, recurring }) => !recurring && current.some((each) => each.id === id));
    },
  };
}

const MOST_SCHEDULED = 200;

/** The user's prompts in a session. */
interface SessionPrompts {
  readonly prompts: readonly string[];
  /** Whether ccc has no record of the last one: the session continued without supervision. */
  readonly isUnrecorded: boolean;
}

/**
 * The user's prompts on record, and those in the transcript that came later, if the session continued without supervision.
 * `feedback` is what ccc itself has said since the last prompt on record: the loop engine sends it like a prompt.
 */
export function sessionPrompts(
  recorded: readonly RecordedPrompt[],
  found: readonly Prompt[],
  feedback: readonly string[],
): SessionPrompts {
  const known = settled(recorded, [
    ...attributionsById(recorded, found),
    ...attributionsByText(recorded, found, [], false),
  ]).filter(isUsers);
  const last = known.at(-1);
  if (last === undefined) return { prompts: usersTexts(found), isUnrecorded: true };
  const isLast = ({ id, text }: Prompt) => id === last.prompt_id || text.trim() === last.text.trim();
  const at = found.findLastIndex(isLast);
  const later = at === -1 ? [] : usersTexts(found.slice(at + 1));
  const others = recorded.filter(({ by_user }) => !by_user).map(({ text }) => text);
  const added = later.filter(
    (text) => !others.includes(text) && !feedback.some((each) => each.trim() !== "" && text.includes(each)),
  );
  return { prompts: [...known.map(({ text }) => text), ...added], isUnrecorded: added.length > 0 };
}

export interface UserPrompts {
  /** Every prompt of the user, in order. */
  readonly prompts: readonly string[];
  /** Identifies the user's last prompt, which restarts the count. Undefined if the stop follows another's prompt. */
  readonly userPromptId: string | undefined;
  /** The last prompt in the transcript, by the user or not, for versions whose prompts have no ids. */
  readonly seen?: string | undefined;
}

/** The prompts in ccc's own record, which the agent cannot write. */
function promptsOnRecord(recorded: readonly RecordedPrompt[]): UserPrompts {
  const written = recorded.filter(isUsers);
  // A message typed while the agent works shares the id of the current prompt, but counts as a new one.
  const last = written.length === 0 ? undefined : `${written.length}:${written.at(-1)?.prompt_id ?? ""}`;
  return { prompts: written.map(({ text }) => text), userPromptId: last };
}

/** The prompts in the transcript, for sessions without a record. One that is still missing counts as the user's. */
async function promptsInTranscript(transcript: string, promptId: string): Promise<UserPrompts> {
  const found = await awaitTranscript(transcript, promptsIn, (prompts) => prompts.some(({ id }) => id === promptId));
  const current = found.find((prompt) => prompt.id === promptId);
  return {
    prompts: usersTexts(found),
    userPromptId: current === undefined || current.byUser ? promptId : undefined,
  };
}

async function promptsIn(transcript: string): Promise<Prompt[]> {
  const prompts: Prompt[] = [];
  await readTranscript(transcript, (line) => {
    const prompt = readPrompt(line);
    if (prompt !== undefined) prompts.push(prompt);
  });
  return prompts;
}
