import * as v from "valibot";
import { parseJson, prettyJson } from "../../text/json.ts";

const StateSchema = v.looseObject({
  session_id: v.string(),
  /** Reviews since the user's last prompt. */
  count: v.pipe(v.number(), v.integer(), v.minValue(0)),
  created_at: v.string(),
  updated_at: v.string(),
  /** The user's last prompt. */
  prompt_id: v.optional(v.string()),
  /** Feedback of the reviews since that prompt. */
  feedback: v.optional(v.array(v.string()), []),
  /** If the last review said done: how many prompts were on record then, and what identifies the files, if known. */
  done: v.optional(v.object({ prompts: v.number(), files: v.nullable(v.string()) })),
  /** The last prompt in the transcript at the last stop, for versions whose prompts have no ids. */
  seen_prompt: v.optional(v.string()),
});

export type SessionState = v.InferOutput<typeof StateSchema>;
export type DoneMark = NonNullable<SessionState["done"]>;

/** A file that holds the state of a session. */
export interface StateFile {
  readonly path: string;
  /** Changes it under a lock. */
  readonly edit: (change: (text: string | undefined) => string | undefined) => void;
}

/** A review to run: its round number since the user's last prompt, and the earlier feedback. */
export interface Round {
  readonly number: number;
  readonly earlier: readonly string[];
}

export interface Claim {
  readonly sessionId: string;
  /** The prompt that led here, if a person wrote it. Each one restarts the count. */
  readonly userPromptId: string | undefined;
  readonly seen?: string | undefined;
  readonly limit: number;
  readonly now: string;
}

/** Counts a review before it runs; undefined once the limit is reached. An invalid state is replaced. */
export function claimRound(place: StateFile, claim: Claim, warn: (message: string) => void): Round | undefined {
  let round: Round | undefined;
  place.edit((text) => {
    const before = readState(text, place.path, warn) ?? newState(claim);
    const state = restartCount(before, claim.userPromptId);
    if (state.count >= claim.limit) return state === before ? undefined : prettyJson(state);
    round = { number: state.count + 1, earlier: state.feedback };
    return prettyJson({ ...state, count: state.count + 1, updated_at: claim.now, done: undefined });
  });
  return round;
}

/** Saves the feedback, so that the next review can check whether it was met. */
export function recordFeedback(place: StateFile, feedback: string, now: string): void {
  place.edit((text) => {
    const state = readState(text, place.path, () => {});
    if (state === undefined) return undefined;
    const all = [...state.feedback, feedback.slice(0, LONGEST_MEMORY)];
    return prettyJson({ ...state, feedback: all, updated_at: now });
  });
}

const LONGEST_MEMORY = 2_000;

/** Saves that the last review said done. */
export function recordDone(place: StateFile, done: DoneMark, now: string): void {
  place.edit((text) => {
    const state = readState(text, place.path, () => {});
    return state && prettyJson({ ...state, done, updated_at: now });
  });
}

/** What was when the last review said done, if it was one of this prompt. */
export function readDone(place: StateFile, userPromptId: string | undefined): DoneMark | undefined {
  const state = peek(place);
  return userPromptId !== undefined && state?.prompt_id === userPromptId ? state.done : undefined;
}

/** The last prompt that a stop has seen, from the first state there is. */
export function readSeen(places: readonly StateFile[]): string | undefined {
  for (const place of places) {
    try {
      const state = peek(place);
      if (state !== undefined) return state.seen_prompt;
    } catch {
      // The next place counts.
    }
  }
  return undefined;
}

/** Where there is no state yet, the first review saves it. */
export function saveSeen(places: readonly StateFile[], seen: string): void {
  for (const place of places) {
    try {
      place.edit((text) => {
        const state = readState(text, place.path, () => {});
        return state === undefined || state.seen_prompt === seen
          ? undefined
          : prettyJson({ ...state, seen_prompt: seen });
      });
    } catch {
      // The prompt counts as unseen then.
    }
  }
}

function peek(place: StateFile): SessionState | undefined {
  let state: SessionState | undefined;
  place.edit((text) => {
    state = readState(text, place.path, () => {});
    return undefined;
  });
  return state;
}

function readState(text: string | undefined, path: string, warn: (message: string) => void): SessionState | undefined {
  if (text === undefined) return undefined;
  const state = v.safeParse(StateSchema, parseJson(text));
  if (state.success) return state.output;
  warn(`the state in ${path} is invalid; counting starts over`);
  return undefined;
}

function newState({ sessionId, now, seen }: Claim): SessionState {
  return { session_id: sessionId, count: 0, created_at: now, updated_at: now, feedback: [], seen_prompt: seen };
}

function restartCount(state: SessionState, promptId: string | undefined): SessionState {
  if (promptId === undefined || promptId === state.prompt_id) return state;
  return { ...state, count: 0, feedback: [], prompt_id: promptId, done: undefined };
}
