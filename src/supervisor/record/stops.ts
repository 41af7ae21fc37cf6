import * as v from "valibot";
import type { ReviewWay } from "../../claude/runs.ts";
import type { Usage } from "../../claude/stream.ts";
import { lazySchema, lenient } from "../../text/schema.ts";
import { exact } from "../../text/words.ts";
import type { World } from "../../world.ts";
import { type Criterion, countMet } from "../criteria.ts";
import { type Confirmation, OUTCOME_KINDS, type Outcome } from "../outcome.ts";
import type { RecordedPrompt } from "./prompts.ts";
import type { KeptProof, LaunchRecord, LoopEnd, SessionRecord } from "./session.ts";
import { criterionSchema } from "./state.ts";

/** A stop that is being handled. */
export interface OpenStop {
  /** Adds to what is recorded with its outcome. */
  readonly note: (notes: StopNotes) => void;
  readonly close: (outcome: Outcome) => void;
}

/**
 * Records every stop when it starts and when it ends. A stop without an end had its hook killed, which shows later that it was
 * not reviewed.
 */
export function openStop(
  { pid, now }: Pick<World, "pid" | "now">,
  record: SessionRecord,
  about: {
    /** Claude Code's id of the prompt that the agent worked on, if it has one. */
    readonly promptId: string | undefined;
    /** Masks the secrets in a value. */
    readonly clean: <T>(value: T) => T;
    /** Writes, or says why it could not. */
    readonly write: (action: () => void) => void;
  },
): OpenStop {
  const stop = crypto.randomUUID();
  const at = () => now().toISOString();
  about.write(() => record.stops.append({ stop, at: at(), pid, prompt_id: about.promptId ?? null }));
  let notes: StopNotes = {};
  return {
    note: (more) => {
      notes = { ...notes, ...more };
    },
    close: (outcome) =>
      about.write(() => {
        const criteria = "criteria" in outcome ? outcome.criteria : [];
        const fields = about.clean({ ...outcomeFields(outcome), ...noteFields(notes, criteria) });
        record.stops.append({ stop, at: at(), outcome: outcome.kind, ...withShortTexts(fields) });
        const nudges = outcome.kind === "nudged" ? { nudges: outcome.number } : {};
        const by = outcome.kind === "done" && outcome.confirmation && { confirmed_by: outcome.confirmation.reviewer };
        if (outcome.kind !== "skipped")
          record.now.save({ outcome: outcome.kind, ...countMet(criteria), ...by, ...nudges });
      }),
  };
}

/** A stop from its start to its end. */
export interface RecordedStop
  extends Omit<StopEntry, "stop" | "at" | "pid" | "prompt_id" | "outcome" | keyof UsageFields> {
  readonly at: string;
  /** Undefined while it lasts, and if its hook was killed. */
  readonly endedAt: string | undefined;
  /** Also undefined if a newer version has recorded one that this version does not know. */
  readonly outcome: Outcome["kind"] | undefined;
  readonly isRunning: boolean;
  readonly promptId: string | undefined;
  /** Undefined if no reviewer was asked. */
  readonly usage: UsageFields | undefined;
}

/** Every stop of a session, in order. `isAlive` says whether a process still runs. */
export function readStops({ stops }: SessionRecord, isAlive: (pid: number) => boolean): RecordedStop[] {
  const entries = stops.read() ?? [];
  const ends = new Map(entries.filter(({ outcome }) => outcome !== undefined).map((entry) => [entry.stop, entry]));
  const starts = new Map(entries.toReversed().map((entry) => [entry.stop, entry]));
  return [...starts.values()].reverse().map((start) => {
    const { stop: _, at: endedAt, pid: __, prompt_id: ___, outcome, ...end } = ends.get(start.stop) ?? start;
    const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_usd = null, ...others } = end;
    const hasUsage = input_tokens !== undefined && output_tokens !== undefined;
    const hasEnded = outcome !== undefined;
    return {
      ...others,
      at: start.at,
      endedAt: hasEnded ? endedAt : undefined,
      outcome: OUTCOME_KINDS.find((kind) => kind === outcome),
      isRunning: !hasEnded && start.pid !== undefined && isAlive(start.pid),
      promptId: start.prompt_id ?? undefined,
      seconds: others.seconds ?? (hasEnded ? secondsBetween(start.at, endedAt) : undefined),
      usage: hasUsage
        ? {
            input_tokens,
            output_tokens,
            cost_usd,
            cache_read_tokens: cache_read_tokens ?? 0,
            cache_write_tokens: cache_write_tokens ?? 0,
          }
        : undefined,
    };
  });
}

/** Everything on record about a supervised session, for commands that show it. */
export interface SupervisedSession {
  readonly id: string;
  /** Undefined if the session was recorded by an older version. */
  readonly launch: Pick<LaunchRecord, "cwd" | "provider" | "reviewer" | "version" | "engine" | "checks"> | undefined;
  readonly prompts: readonly RecordedPrompt[];
  readonly stops: readonly RecordedStop[];
  /** How the last run of the loop engine ended, if it ran the session. */
  readonly loopEnd?: LoopEnd | undefined;
}

/** Undefined if there is no record of such a session. */
export function readSession(record: SessionRecord, isAlive: (pid: number) => boolean): SupervisedSession | undefined {
  const prompts = record.prompts.read();
  if (prompts === undefined && record.stops.modified() === undefined) return undefined;
  return {
    id: record.id,
    launch: record.launch.read(),
    prompts: prompts ?? [],
    stops: readStops(record, isAlive),
    loopEnd: record.end.read(),
  };
}

/** Undefined if a time is invalid, or if the clock was set back. */
function secondsBetween(start: string, end: string): number | undefined {
  const seconds = (Date.parse(end) - Date.parse(start)) / 1000;
  return seconds >= 0 ? Math.round(seconds) : undefined;
}

/** Token usage in ccc's files. */
export const UsageFieldsSchema = v.object({
  input_tokens: v.number(),
  cache_read_tokens: v.number(),
  cache_write_tokens: v.number(),
  output_tokens: v.number(),
  /** null if unknown. */
  cost_usd: v.nullable(v.number()),
});

export type UsageFields = v.InferOutput<typeof UsageFieldsSchema>;

export function usageFields(usage: Usage): UsageFields {
  return {
    input_tokens: usage.inputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd === undefined ? null : exact(usage.costUsd),
  };
}

/** The fresh review of a "done". Its time and tokens are part of the stop's. */
export const ConfirmationFieldsSchema = lazySchema(() =>
  v.object({
    /** "provider" or "provider:model" */
    reviewer: v.string(),
    /** What this review says. The first one always said "done". */
    verdict: v.picklist(["done", "not done", "needs you", "not reviewed"]),
    /** Why the reviewers tried before this one could not review. */
    instead: v.nullable(v.string()),
    /** What it opened and ran. */
    looked: v.array(v.string()),
    /** What its answers lacked, each time it was asked again. */
    asked_again: v.array(v.string()),
    seconds: v.number(),
    ...UsageFieldsSchema.entries,
  }),
);

export type ConfirmationFields = v.InferOutput<typeof ConfirmationFieldsSchema>;

export function confirmationFields({ usage, questions, instead, looked, ...others }: Confirmation): ConfirmationFields {
  const shown = looked.slice(0, MOST_LOOKS);
  return { ...others, instead: instead ?? null, looked: shown, asked_again: [...questions], ...usageFields(usage) };
}

export const CheckFieldsSchema = lazySchema(() =>
  v.object({
    command: v.string(),
    /** "exit 1", "timed out after 600 seconds", "killed by a signal". */
    ending: v.string(),
    passed: v.boolean(),
    /** Whether it ran at an earlier stop, with the same files. */
    reused: v.boolean(),
    seconds: v.number(),
    /** The last lines. */
    output: v.string(),
  }),
);

/** Results of the checks in copies of the project that mix old and new tests and code. */
export const ProofFieldsSchema = lazySchema(() =>
  v.object({
    /** Why there is no proof, or none for one of the checks. */
    why: v.nullable(v.string()),
    /** Whether it was made at an earlier stop, with the same files. */
    reused: v.boolean(),
    runs: v.array(
      v.object({
        command: v.string(),
        /** As at the prompt, or as they are now. */
        tests: v.picklist(["before", "now"]),
        code: v.picklist(["before", "now"]),
        passed: v.boolean(),
        ending: v.string(),
        seconds: v.number(),
        output: v.string(),
      }),
    ),
    /** Points for a review to rule on. */
    points: v.array(v.object({ id: v.optional(v.string()), text: v.string() })),
  }),
);

export type ProofFields = v.InferOutput<typeof ProofFieldsSchema>;

function fileSchema() {
  return v.object({
    path: v.string(),
    kind: v.picklist(["added", "modified", "deleted", "renamed"]),
    /** The former path of a renamed file. */
    from: v.optional(v.string()),
    /** Lines; missing where they cannot be counted. */
    added: v.optional(v.number()),
    deleted: v.optional(v.number()),
  });
}

function suspicionSchema() {
  return v.object({
    /** "T1", once a review had to rule on it. */
    id: v.optional(v.string()),
    kind: v.string(),
    /** Empty if it is not about one file. */
    path: v.string(),
    text: v.string(),
  });
}

export const ChangeFieldsSchema = lazySchema(() =>
  v.union([
    v.object({
      /** When the baseline was recorded. */
      since: v.string(),
      files: v.array(fileSchema()),
      /** How many more files changed. */
      more: v.number(),
      suspicious: v.array(suspicionSchema()),
    }),
    /** Why the changes are unknown. */
    v.object({ why: v.string() }),
  ]),
);

/** A line of stops.jsonl: the start of a stop, or its end. What older versions did not record is missing. */
export const StopEntrySchema = lazySchema(() =>
  v.object({
    stop: v.string(),
    at: v.string(),
    pid: lenient(v.number()),
    prompt_id: lenient(v.nullable(v.string())),
    outcome: lenient(v.string()),
    /** Why there was no review. */
    why: lenient(v.string()),
    /** Counts the nudges since the last review. */
    nudge: lenient(v.number()),
    round: lenient(v.number()),
    limit: lenient(v.number()),
    seconds: lenient(v.number()),
    feedback: lenient(v.string()),
    /** The check that failed, as "npm test (exit 1)". */
    check: lenient(v.string()),
    criteria: lenient(v.array(criterionSchema())),
    reviewer: lenient(v.string()),
    instead: lenient(v.string()),
    looked: lenient(v.array(v.string())),
    context: lenient(v.picklist(["shared", "schema", "fresh"])),
    /** Whether a fresh review ran in a sandbox. */
    sandbox: lenient(v.boolean()),
    /** What the reviewer's answers lacked, each time it was asked again. */
    asked_again: lenient(v.array(v.string())),
    confirmation: lenient(ConfirmationFieldsSchema),
    ...v.partial(UsageFieldsSchema).entries,
    agent_tokens: lenient(v.number()),
    checks: lenient(v.array(CheckFieldsSchema)),
    proof: lenient(ProofFieldsSchema),
    changes: lenient(ChangeFieldsSchema),
  }),
);

export type StopEntry = v.InferOutput<typeof StopEntrySchema>;

/** What is recorded about a stop in addition to its outcome. */
export interface StopNotes {
  /** How many reviews there may be for the prompt. */
  readonly limit?: number;
  readonly checks?: readonly CheckResult[];
  readonly proof?: NotedProof;
  readonly changes?: NotedChanges;
  /** How the reviewer was asked last. */
  readonly way?: ReviewWay;
  /** Whether a fresh review ran in a sandbox. */
  readonly isSandboxed?: boolean;
  /** What its answers lacked, each time it was asked again. */
  readonly questions?: readonly string[];
  /** The reviewer's own words, without what ccc adds for the agent. */
  readonly feedback?: string;
  /** Tokens that the agent used since the last stop, if known. */
  readonly agentTokens?: number;
}

/** A check that ran. */
export interface CheckResult {
  readonly command: string;
  /** "exit 1", "timed out after 600 seconds", "killed by a signal". */
  readonly ending: string;
  readonly isPassed: boolean;
  /** Whether it ran earlier, with the same files. */
  readonly isReused?: boolean;
  readonly seconds: number;
  /** The end of its output, without secrets. */
  readonly output: string;
}

/** Results of the checks in copies. */
interface NotedProof {
  readonly why: string | undefined;
  readonly isReused: boolean;
  readonly runs: readonly Readonly<KeptProof["runs"][number]>[];
  readonly points: readonly { readonly text: string }[];
}

/** The files that changed since the user's prompt, or why those are unknown. */
type NotedChanges =
  | {
      readonly since: string;
      readonly files: readonly NotedFile[];
      readonly more: number;
      readonly suspicious: readonly { readonly kind: string; readonly path: string; readonly text: string }[];
    }
  | { readonly why: string };

interface NotedFile extends Omit<v.InferOutput<ReturnType<typeof fileSchema>>, "from" | "added" | "deleted"> {
  readonly from: string | undefined;
  readonly added: number | undefined;
  readonly deleted: number | undefined;
}

/** The notes as they are recorded, bounded in number. The criteria have the ids of suspicions that a review ruled on. */
function noteFields(notes: StopNotes, criteria: readonly Criterion[]): object {
  const { limit, checks = [], proof, changes, way, isSandboxed = false, questions, feedback, agentTokens = 0 } = notes;
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(way === undefined ? {} : { context: way }),
    ...(isSandboxed ? { sandbox: true } : {}),
    ...(questions === undefined ? {} : { asked_again: questions }),
    ...(feedback === undefined ? {} : { feedback }),
    ...(agentTokens === 0 ? {} : { agent_tokens: agentTokens }),
    ...(checks.length === 0 ? {} : { checks: checks.map(checkFields) }),
    ...(proof === undefined ? {} : { proof: proofFields(proof, criteria) }),
    ...(changes === undefined ? {} : { changes: changeFields(changes, criteria) }),
  };
}

function checkFields({ command, ending, isPassed, isReused = false, seconds, output }: CheckResult): object {
  return { command, ending, passed: isPassed, reused: isReused, seconds, output };
}

/** The criteria have the ids of the points. */
function proofFields(
  { why, isReused, runs, points }: NotedProof,
  criteria: readonly Pick<Criterion, "id" | "text">[],
): ProofFields {
  return {
    why: why ?? null,
    reused: isReused,
    runs: runs.map(({ command, tests, code, isPassed, ending, seconds, output }) => {
      return { command, tests, code, passed: isPassed, ending, seconds, output };
    }),
    points: points.map(({ text }) => ({ id: criteria.find((each) => each.text === text)?.id, text })),
  };
}

function changeFields(changes: NotedChanges, criteria: readonly Criterion[]): object {
  if ("why" in changes) return changes;
  const { since, files, more, suspicious } = changes;
  // Suspicious files are listed even if there are too many files.
  const named = new Set(suspicious.map(({ path }) => path));
  const first = files.filter(({ path }) => named.has(path));
  const others = files.filter(({ path }) => !named.has(path));
  const listed = [...first, ...others].slice(0, MOST_FILES);
  return {
    since,
    files: listed.map(({ path, kind, from, added, deleted }) => ({ path, kind, from, added, deleted })),
    more: more + files.length - listed.length,
    suspicious: suspicious.map(({ kind, path, text }) => {
      return { id: criteria.find((each) => each.text === text)?.id, kind, path, text };
    }),
  };
}

const MOST_FILES = 200;

function outcomeFields(outcome: Outcome): object {
  if (outcome.kind === "skipped") return { why: outcome.why };
  if (outcome.kind === "nudged") return { why: outcome.why, nudge: outcome.number };
  if (outcome.kind === "limit") return { criteria: outcome.criteria };
  // The total spans all stops of the prompt.
  const { usage, total: _, proof: __, confirmation, ...others } = outcome;
  const confirmed = confirmation && { confirmation: confirmationFields(confirmation) };
  return { ...withRound(others), ...confirmed, ...usageFields(usage), looked: outcome.looked.slice(0, MOST_LOOKS) };
}

const MOST_LOOKS = 200;

/** The record calls the round by one name, whether the work was done in it or not. */
function withRound({ kind: _, ...outcome }: object & { readonly kind: string; readonly rounds?: number }): object {
  const { rounds: round, ...others } = outcome;
  return round === undefined ? others : { round, ...others };
}

/** A reviewer may be talkative, and a path or a command long. */
function withShortTexts<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, item: unknown) =>
      typeof item === "string" && item.length > LONGEST_TEXT ? `${item.slice(0, LONGEST_TEXT)}…` : item,
    ),
  );
}

const LONGEST_TEXT = 10_000;

/** Why a stop was not reviewed: its hook was ended by the user, by a time-out, or with the session. */
export const INTERRUPTED = "the hook was interrupted";
