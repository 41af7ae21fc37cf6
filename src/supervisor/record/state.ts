import * as v from "valibot";
import { MOST_NUDGES } from "../../config/defaults.ts";
import type { Paths } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import type { GuardedFiles } from "../../os/locks.ts";
import { join } from "../../os/path.ts";
import { parseJson, prettyJson } from "../../text/json.ts";
import { lazySchema } from "../../text/schema.ts";
import { CRITERION_STATUSES, type Criterion, newCriterion } from "../criteria.ts";
import { type BeforeReview, EMPTY_LEDGER, type Ledger, withNoticed } from "../ledger.ts";
import { addCost, NO_COST, type ReviewCost } from "../outcome.ts";
import type { SessionRecord } from "./session.ts";

/** The state in the session record. The copy in `folder`, in the project, is for information only. */
export function stateOnRecord(
  { id, state }: SessionRecord,
  project: { readonly files: Pick<GuardedFiles, "replace"> | undefined; readonly folder: string },
): StateFile {
  return {
    path: state.path,
    edit: (change) => {
      let after: string | undefined;
      state.edit((text) => {
        after = change(text);
        return after;
      });
      try {
        if (after !== undefined) project.files?.replace(join(project.folder, stateName(id)), after);
      } catch {
        // The project's folder is not writable; the record has the state.
      }
    },
  };
}

/** Where the state of a session without a record can be: in the project, or, if that is not writable, among ccc's files. */
export function statesWithoutRecord(
  files: Files,
  { generated }: Pick<Paths, "generated">,
  id: string,
  project: { readonly files: Pick<GuardedFiles, "edit"> | undefined; readonly folder: string },
): StateFile[] {
  const at = (folder: string, { edit }: Pick<Files, "edit">): StateFile => {
    const path = join(folder, stateName(id));
    return { path, edit: (change) => edit(path, change) };
  };
  return [...(project.files === undefined ? [] : [at(project.folder, project.files)]), at(generated, files)];
}

/**
 * A state for one review that leaves nothing behind. It has the criteria on record, but not what earlier reviews said
 * about them, so that the review is independent of those.
 */
export function unsavedState(saved: SessionState | undefined): StateFile {
  let text = saved && prettyJson(withoutReviews(saved));
  return {
    path: "",
    edit: (change) => {
      text = change(text) ?? text;
    },
  };
}

function stateName(id: string): string {
  return `supervisor-${id}.json`;
}

export function criterionSchema() {
  return v.object({
    id: v.string(),
    text: v.string(),
    status: v.picklist(CRITERION_STATUSES),
    evidence: v.optional(v.string(), ""),
    unmet_reviews: v.optional(v.number(), 0),
    unmet_files: v.optional(v.nullable(v.string()), null),
    met_files: v.optional(v.nullable(v.string())),
    noticed_at: v.optional(v.number()),
    content: v.optional(v.string()),
  }) satisfies v.GenericSchema<unknown, Criterion>;
}

export const LedgerSchema = lazySchema(() =>
  v.object({
    criteria: v.optional(v.array(criterionSchema()), []),
    numbered: v.optional(v.number(), 0),
    noticed: v.optional(v.number(), 0),
    prompts: v.optional(v.number(), 0),
  }),
) satisfies v.GenericSchema<unknown, Ledger>;

export const StateSchema = lazySchema(() =>
  v.looseObject({
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
    /** What must be true for the work to be done. */
    ledger: v.fallback(v.optional(LedgerSchema), undefined),
    /** Whether the last review of the session said done. */
    is_settled: v.fallback(v.optional(v.boolean(), false), false),
    /** Tokens used for the user's last prompt. */
    tokens: v.fallback(v.optional(v.number(), 0), 0),
    /** What the reviews since that prompt cost. */
    reviews: v.fallback(v.optional(v.object({ seconds: v.number(), tokens: v.number() }), NO_COST), NO_COST),
    /** Stops since the last review that were sent back without one. */
    nudges: v.fallback(v.optional(v.number(), 0), 0),
    /** The check that failed at the last review, if one did: see RepeatedFailure. */
    failure: v.fallback(
      v.optional(v.object({ check: v.string(), lines: v.string(), files: v.nullable(v.string()), times: v.number() })),
      undefined,
    ),
    /** The last prompt in the transcript at the last stop, for versions whose prompts have no ids. */
    seen_prompt: v.optional(v.string()),
  }),
);

export type SessionState = v.InferOutput<typeof StateSchema>;
export type DoneState = NonNullable<SessionState["done"]>;

/** A file that holds the state of a session. */
export interface StateFile {
  readonly path: string;
  /** Changes it under a lock. */
  readonly edit: (change: (text: string | undefined) => string | undefined) => void;
}

/** The state of a session, as its reviews use it. */
interface ReviewState {
  /** Undefined if it is missing or invalid. */
  readonly read: () => SessionState | undefined;
  /** Counts a review before it runs, unless the limit is reached. An invalid state is replaced. */
  readonly claim: (claim: Claim, warn: (message: string) => void) => Round | Exhausted;
  readonly record: (note: ReviewNote, now: string) => void;
  /** Counts a nudge before the agent gets it. Undefined if no more are allowed before the next review. */
  readonly nudge: (claim: NudgeClaim) => number | undefined;
  /** Keeps what ccc noticed at a stop that is not reviewed, without counting a review. Returns whether that is new. */
  readonly notice: (noticing: Noticing) => boolean;
  /** The state at the last review that said done, if it was one of this prompt. */
  readonly done: (userPromptId: string | undefined) => DoneState | undefined;
  /** Saves the last prompt that a stop has seen. Where there is no state yet, the first review saves it. */
  readonly saveSeen: (prompt: string) => void;
}

export function reviewState(file: StateFile): ReviewState {
  return {
    read: () => peek(file),
    claim: (claim, warn) => claimRound(file, claim, warn),
    record: (note, now) => recordReview(file, note, now),
    nudge: (claim) => claimNudge(file, claim),
    notice: (noticing) => keepNoticed(file, noticing),
    done: (userPromptId) => readDone(file, userPromptId),
    saveSeen: (prompt) => saveSeen(file, prompt),
  };
}

/** A review to run. */
export interface Round {
  /** Counts the reviews since the user's last prompt. */
  readonly number: number;
  /** The feedback of earlier ones. */
  readonly earlier: readonly string[];
  readonly ledger: Ledger;
  /** Whether the last review of the session said done. */
  readonly isSettled: boolean;
  /** Tokens used for the prompt so far. */
  readonly tokens: number;
  /** What the earlier ones cost. */
  readonly cost: ReviewCost;
  /** The check that failed at the last one. */
  readonly failure?: SessionState["failure"];
}

/** What is known once the limit of reviews is reached. */
export type Exhausted = Pick<Round, "earlier" | "ledger" | "cost"> & { readonly number?: undefined };

interface Claim {
  readonly sessionId: string;
  /** The prompt that led here, if a person wrote it. Each one restarts the count. */
  readonly userPromptId: string | undefined;
  readonly seen?: string | undefined;
  readonly limit: number;
  readonly now: string;
  /** Tokens that the agent used since the last stop, if known. */
  readonly agentTokens: number;
}

function claimRound(file: StateFile, claim: Claim, warn: (message: string) => void): Round | Exhausted {
  let claimed: Round | Exhausted = NOTHING_CLAIMED;
  file.edit((text) => {
    const before = readState(text, file.path, warn) ?? newState(claim);
    const state = restartCount(before, claim.userPromptId);
    const { count, feedback, ledger = EMPTY_LEDGER, is_settled: isSettled, reviews: cost } = state;
    claimed = { earlier: feedback, ledger, cost };
    if (count >= claim.limit) return state === before ? undefined : prettyJson(state);
    const tokens = state.tokens + claim.agentTokens;
    claimed = { number: count + 1, earlier: feedback, ledger, isSettled, tokens, cost, failure: state.failure };
    return prettyJson({ ...state, count: count + 1, nudges: 0, tokens, updated_at: claim.now, done: undefined });
  });
  return claimed;
}

interface NudgeClaim extends Claim {
  /** Tokens that the prompt may use; 0 is no limit. */
  readonly budget: number;
}

/** If the prompt has no review left, the next stop ends it; a nudge would only delay that. */
function claimNudge(file: StateFile, claim: NudgeClaim): number | undefined {
  let number: number | undefined;
  file.edit((text) => {
    const state = restartCount(readState(text, file.path) ?? newState(claim), claim.userPromptId);
    const tokens = state.tokens + claim.agentTokens;
    const isOver = state.count >= claim.limit || (claim.budget > 0 && tokens >= claim.budget);
    if (isOver || state.nudges >= MOST_NUDGES) return undefined;
    number = state.nudges + 1;
    return prettyJson({ ...state, nudges: number, tokens, updated_at: claim.now, done: undefined });
  });
  return number;
}

/** For a stop without a state. */
export const NOTHING_CLAIMED: Exhausted = { earlier: [], ledger: EMPTY_LEDGER, cost: NO_COST };

/** What a review leaves for the next one. */
export interface ReviewNote {
  /** What the next review checks first. */
  readonly feedback?: string;
  /** Undefined if there was no verdict. */
  readonly ledger?: Ledger;
  readonly cost: ReviewCost;
  /** The check that failed; null if all passed, undefined if unknown. */
  readonly failure?: SessionState["failure"] | null;
  /** Whether the verdict was "done", and what must be the same later for it to hold, if that is known. */
  readonly isDone?: boolean;
  readonly done?: DoneState | undefined;
}

function recordReview(file: StateFile, note: ReviewNote, now: string): void {
  file.edit((text) => {
    const state = readState(text, file.path);
    if (state === undefined) return undefined;
    const { feedback, ledger = state.ledger, isDone = state.is_settled, done } = note;
    const all = feedback === undefined ? state.feedback : [...state.feedback, feedback.slice(0, LONGEST_MEMORY)];
    const tokens = state.tokens + note.cost.tokens;
    const reviews = addCost(state.reviews, note.cost);
    const failure = note.failure === undefined ? state.failure : (note.failure ?? undefined);
    const noted = { feedback: all, ledger, tokens, reviews, failure, is_settled: isDone, done };
    return prettyJson({ ...state, ...noted, updated_at: now });
  });
}

const LONGEST_MEMORY = 2_000;

/** What ccc noticed at a stop. */
interface Noticing extends Pick<Claim, "sessionId" | "seen" | "now">, Pick<BeforeReview, "prompts" | "noticed"> {}

function keepNoticed(file: StateFile, { prompts, noticed, ...at }: Noticing): boolean {
  let isNew = false;
  file.edit((text) => {
    const state = readState(text, file.path) ?? newState(at);
    const before = state.ledger ?? EMPTY_LEDGER;
    const ledger = withNoticed(before, { prompts, noticed });
    isNew = prettyJson(ledger) !== prettyJson(before);
    // A "done" that knew nothing of it no longer holds.
    return isNew ? prettyJson({ ...state, ledger, done: undefined, updated_at: at.now }) : undefined;
  });
  return isNew;
}

function readDone(file: StateFile, userPromptId: string | undefined): DoneState | undefined {
  const state = peek(file);
  return userPromptId !== undefined && state?.prompt_id === userPromptId ? state.done : undefined;
}

function saveSeen(file: StateFile, seen: string): void {
  file.edit((text) => {
    const state = readState(text, file.path);
    return state === undefined || state.seen_prompt === seen ? undefined : prettyJson({ ...state, seen_prompt: seen });
  });
}

function peek(file: StateFile): SessionState | undefined {
  let state: SessionState | undefined;
  file.edit((text) => {
    state = readState(text, file.path);
    return undefined;
  });
  return state;
}

function readState(
  text: string | undefined,
  path: string,
  warn: (message: string) => void = () => {},
): SessionState | undefined {
  if (text === undefined) return undefined;
  const state = v.safeParse(StateSchema, parseJson(text));
  if (state.success) return state.output;
  warn(`the state in ${path} is invalid; counting starts over`);
  return undefined;
}

function newState({ sessionId, now, seen }: Pick<Claim, "sessionId" | "now" | "seen">): SessionState {
  const unused = {
    count: 0,
    feedback: [],
    tokens: 0,
    reviews: NO_COST,
    is_settled: false,
    ledger: undefined,
    nudges: 0,
  };
  return { session_id: sessionId, created_at: now, updated_at: now, seen_prompt: seen, ...unused };
}

function restartCount(state: SessionState, promptId: string | undefined): SessionState {
  if (promptId === undefined || promptId === state.prompt_id) return state;
  const unused = { count: 0, feedback: [], tokens: 0, reviews: NO_COST, nudges: 0, failure: undefined };
  return { ...state, ...unused, prompt_id: promptId, done: undefined };
}

function withoutReviews(state: SessionState): SessionState {
  const { ledger } = state;
  const asked = ledger?.criteria.filter(({ status }) => status !== "dropped") ?? [];
  return {
    ...state,
    count: 0,
    tokens: 0,
    reviews: NO_COST,
    feedback: [],
    done: undefined,
    ledger: ledger && { ...ledger, criteria: asked.map(({ id, text }) => newCriterion(id, text)) },
  };
}
