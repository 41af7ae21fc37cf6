import * as v from "valibot";
import type { ReviewWay } from "../../claude/reviewer-command.ts";
import type { Usage } from "../../claude/stream.ts";
import type { Paths } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import { parseJson } from "../../text/json.ts";
import { exact } from "../../text/words.ts";
import type { World } from "../../world.ts";
import type { ChangeList, Changes } from "../changes/changes.ts";
import type { CheckResult } from "../checks/result.ts";
import { type Criterion, countMet } from "../ledger.ts";
import { OUTCOME_KINDS, type Outcome, outcomeNamed } from "../outcome.ts";
import { type LaunchRecord, type LoopEnd, readLaunch, readLoopEnd } from "./launch.ts";
import { type RecordedPrompt, readPromptRecord } from "./prompts.ts";
import { type EndedReview, type SessionRecord, sessionRecord } from "./session.ts";
import { CriterionSchema } from "./state.ts";

/** A stop that is being handled. */
export interface OpenStop {
  readonly note: (notes: StopNotes) => void;
  readonly close: (outcome: Outcome) => void;
}

/** Records that a stop begins. What is noted about it is recorded with its outcome. */
export function openStop(
  { files, pid, now }: Pick<World, "files" | "pid" | "now">,
  record: SessionRecord,
  stop: {
    readonly promptId: string | undefined;
    /** Masks the secrets in a value. */
    readonly clean: <T>(value: T) => T;
    /** Writes, or says why it could not. */
    readonly write: (action: () => void) => void;
  },
): OpenStop {
  const id = crypto.randomUUID();
  const at = () => now().toISOString();
  stop.write(() => recordStop(files, record, { stop: id, at: at(), pid, prompt_id: stop.promptId ?? null }));
  let notes: StopNotes = {};
  return {
    note: (more) => {
      notes = { ...notes, ...more };
    },
    close: (outcome) =>
      stop.write(() => recordOutcome(files, record, { stop: id, at: at(), outcome, notes }, stop.clean)),
  };
}

/** Everything on record about a supervised session, for commands that show it. */
export interface SupervisedSession {
  readonly id: string;
  /** Undefined if the session was recorded by an older version. */
  readonly launch: LaunchFacts | undefined;
  readonly prompts: readonly RecordedPrompt[];
  readonly stops: readonly SessionStop[];
  /** How the last run of the loop engine ended, if it ran the session. */
  readonly loopEnd?: LoopEnd | undefined;
}

export type LaunchFacts = Pick<LaunchRecord, "cwd" | "provider" | "reviewer" | "version" | "engine" | "checks">;

/** A stop from its start to its end. */
export interface SessionStop extends Omit<StopEntry, "stop" | "at" | "pid" | "prompt_id" | keyof UsageFields> {
  readonly at: string;
  /** Undefined while it lasts, and if its hook was killed. */
  readonly endedAt: string | undefined;
  readonly isRunning: boolean;
  readonly promptId: string | undefined;
  /** Undefined if nobody was asked. */
  readonly usage: UsageFields | undefined;
}

/** Undefined if there is no record of such a session. */
export function readSession(
  { files, isAlive }: Pick<World, "files" | "isAlive">,
  paths: Paths,
  id: string,
): SupervisedSession | undefined {
  const record = sessionRecord(paths, id);
  const prompts = readPromptRecord(files, record);
  const lines = files.read(record.stops)?.split("\n");
  if (prompts === undefined && lines === undefined) return undefined;
  const entries = (lines ?? []).flatMap((line) => {
    const entry = v.safeParse(StopEntrySchema, parseJson(line));
    return entry.success ? [entry.output] : [];
  });
  return {
    id,
    launch: launchFacts(readLaunch(files, record.launch)),
    prompts: prompts ?? [],
    stops: joinEntries(entries, isAlive),
    loopEnd: readLoopEnd(files, record),
  };
}

function launchFacts(launch: LaunchRecord | undefined): LaunchFacts | undefined {
  if (launch === undefined) return undefined;
  const { cwd, provider, reviewer, version, engine, checks } = launch;
  return { cwd, provider, reviewer, version, engine, checks };
}

function joinEntries(entries: readonly StopEntry[], isAlive: (pid: number) => boolean): SessionStop[] {
  const ends = new Map(entries.filter(({ outcome }) => outcome !== undefined).map((entry) => [entry.stop, entry]));
  const starts = new Map(entries.toReversed().map((entry) => [entry.stop, entry]));
  return [...starts.values()].reverse().map((start) => {
    const { stop: _, at: endedAt, pid: __, prompt_id: ___, ...end } = ends.get(start.stop) ?? start;
    const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, cost_usd = null, ...others } = end;
    const hasUsage = input_tokens !== undefined && output_tokens !== undefined;
    const hasEnded = others.outcome !== undefined;
    return {
      ...others,
      at: start.at,
      endedAt: hasEnded ? endedAt : undefined,
      isRunning: !hasEnded && start.pid !== undefined && isAlive(start.pid),
      promptId: start.prompt_id ?? undefined,
      seconds: others.seconds ?? (hasEnded ? secondsBetween(start.at, endedAt) : undefined),
      usage: hasUsage
        ? {
            ...{ input_tokens, output_tokens, cost_usd },
            cache_read_tokens: cache_read_tokens ?? 0,
            cache_write_tokens: cache_write_tokens ?? 0,
          }
        : undefined,
    };
  });
}

/** Undefined if a time is invalid, or if the clock was set back. */
function secondsBetween(start: string, end: string): number | undefined {
  const seconds = (Date.parse(end) - Date.parse(start)) / 1000;
  return seconds >= 0 ? Math.round(seconds) : undefined;
}

/** Usage in ccc's files. */
export const UsageFieldsSchema = v.object({
  input_tokens: v.number(),
  cache_read_tokens: v.number(),
  cache_write_tokens: v.number(),
  output_tokens: v.number(),
  /** null if it is not known. */
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

export const CheckFieldsSchema = v.object({
  command: v.string(),
  /** "exit 1", "timed out after 600 seconds", "killed by a signal". */
  ending: v.string(),
  passed: v.boolean(),
  /** Whether it ran at an earlier stop, with the same files. */
  reused: v.boolean(),
  seconds: v.number(),
  /** The last lines. */
  output: v.string(),
});

const FileSchema = v.object({
  path: v.string(),
  kind: v.picklist(["added", "modified", "deleted", "renamed"]),
  /** The former path of a renamed file. */
  from: v.optional(v.string()),
  /** Lines; missing where they cannot be counted. */
  added: v.optional(v.number()),
  deleted: v.optional(v.number()),
});

const SuspicionSchema = v.object({
  /** "T1", once a review had to rule on it. */
  id: v.optional(v.string()),
  kind: v.string(),
  /** Empty for something that is not about one file. */
  path: v.string(),
  text: v.string(),
});

export const ChangeFieldsSchema = v.union([
  v.object({
    /** When the baseline was recorded. */
    since: v.string(),
    files: v.array(FileSchema),
    /** How many more files changed. */
    more: v.number(),
    suspicious: v.array(SuspicionSchema),
  }),
  /** Why they are not known. */
  v.object({ why: v.string() }),
]);

/** A field that is invalid is treated as missing, so that the rest can be read. */
function known<Schema extends v.GenericSchema>(schema: Schema) {
  return v.fallback(v.optional(schema), undefined);
}

/** A line of stops.jsonl: the start of a stop, or its end. What older versions did not record is missing. */
export const StopEntrySchema = v.object({
  stop: v.string(),
  at: v.string(),
  pid: known(v.number()),
  prompt_id: known(v.nullable(v.string())),
  outcome: known(v.picklist(OUTCOME_KINDS)),
  /** Why there was no review. */
  why: known(v.string()),
  round: known(v.number()),
  limit: known(v.number()),
  seconds: known(v.number()),
  feedback: known(v.string()),
  /** The check that failed, as "npm test (exit 1)". */
  check: known(v.string()),
  criteria: known(v.array(CriterionSchema)),
  reviewer: known(v.string()),
  instead: known(v.string()),
  looked: known(v.array(v.string())),
  context: known(v.picklist(["shared", "schema", "fresh"])),
  ...v.partial(UsageFieldsSchema).entries,
  agent_tokens: known(v.number()),
  checks: known(v.array(CheckFieldsSchema)),
  changes: known(ChangeFieldsSchema),
});

export type StopEntry = v.InferOutput<typeof StopEntrySchema>;

/** What is noted about a stop besides its outcome. */
export interface StopNotes {
  /** How many reviews there may be for the prompt. */
  readonly limit?: number;
  readonly checks?: readonly CheckResult[];
  readonly changes?: Changes;
  /** How the reviewer was asked last. */
  readonly way?: ReviewWay;
  /** The reviewer's own words, without what ccc adds for the agent. */
  readonly feedback?: string;
  /** Tokens that the agent used since the last stop, if known. */
  readonly agentTokens?: number;
}

export const NO_NOTES: StopNotes = {};

/** The notes as they are recorded, bounded in number. The criteria have the ids of suspicions that a review ruled on. */
export function noteFields(notes: StopNotes, criteria: readonly Criterion[]): object {
  const { limit, checks = [], changes, way, feedback, agentTokens = 0 } = notes;
  return {
    ...(limit === undefined ? {} : { limit }),
    ...(way === undefined ? {} : { context: way }),
    ...(feedback === undefined ? {} : { feedback }),
    ...(agentTokens === 0 ? {} : { agent_tokens: agentTokens }),
    ...(checks.length === 0 ? {} : { checks: checks.map(checkFields) }),
    ...(changes === undefined ? {} : { changes: "why" in changes ? changes : changeFields(changes, criteria) }),
  };
}

function checkFields({ command, ending, isPassed, isReused = false, seconds, output }: CheckResult): object {
  return { command, ending, passed: isPassed, reused: isReused, seconds, output };
}

function changeFields({ since, files, more, suspicious }: ChangeList, criteria: readonly Criterion[]): object {
  // What is suspicious is listed in any case.
  const named = new Set(suspicious.map(({ path }) => path));
  const marked = files.filter(({ path }) => named.has(path));
  const others = files.filter(({ path }) => !named.has(path));
  const listed = [...marked, ...others].slice(0, MOST_FILES);
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

/** A stop that begins. */
export interface StopStart {
  readonly stop: string;
  readonly at: string;
  readonly pid: number;
  /** Claude Code's id of the prompt that the agent worked on; null if it has none. */
  readonly prompt_id: string | null;
}

/**
 * Records every stop when it starts and when it ends. A stop without an end is one whose hook was killed, so it is
 * visible later that it was not reviewed.
 */
export function recordStop(files: Files, { stops }: SessionRecord, start: StopStart): void {
  append(files, stops, start);
}

/** How a stop ended, and what was noted meanwhile. `clean` masks the secrets in a value. */
export function recordOutcome(
  files: Files,
  { stops, now }: SessionRecord,
  end: { readonly stop: string; readonly at: string; readonly outcome: Outcome; readonly notes: StopNotes },
  clean: <T>(value: T) => T,
): void {
  const { stop, at, outcome, notes } = end;
  const told = clean({ ...details(outcome), ...noteFields(notes, "criteria" in outcome ? outcome.criteria : []) });
  append(files, stops, { stop, at, outcome: outcome.kind, ...withShortTexts(told) });
  if (outcome.kind !== "skipped") files.writePrivate(now, `${JSON.stringify(endedReview(outcome))}\n`);
}

function endedReview(outcome: Outcome): EndedReview {
  return { outcome: outcome.kind, ...countMet("criteria" in outcome ? outcome.criteria : []) };
}

/** Why a stop was not reviewed whose hook was ended by the user, by a time-out, or with the session. */
export const INTERRUPTED = "the hook was interrupted";

/** A stop on record. Without an outcome, its hook is still running or was killed. */
export interface RecordedStop {
  readonly at: string;
  readonly pid: number | undefined;
  readonly outcome: string | undefined;
  readonly why: string | undefined;
  /** The check that failed, if nobody was asked because of that. */
  readonly check?: string | undefined;
}

/** Whether a reviewer has given a verdict since then. */
export function wasReviewed(stops: readonly RecordedStop[], since: string): boolean {
  return stops.some(
    ({ at, outcome, check }) => at >= since && outcomeNamed(outcome)?.hasVerdict === true && check === undefined,
  );
}

export function readStops(files: Files, { stops }: SessionRecord): RecordedStop[] {
  const found = new Map<string, RecordedStop>();
  for (const line of files.read(stops)?.split("\n") ?? []) {
    const entry = v.safeParse(EntrySchema, parseJson(line));
    if (!entry.success) continue;
    const { stop, at, pid, outcome, why, check } = entry.output;
    const begun = found.get(stop) ?? { at, pid };
    found.set(stop, { ...begun, outcome, why, check });
  }
  return [...found.values()];
}

const EntrySchema = v.object({
  stop: v.string(),
  at: v.string(),
  pid: v.optional(v.number()),
  outcome: v.optional(v.string()),
  why: v.optional(v.string()),
  check: v.optional(v.string()),
});

function details(outcome: Outcome): object {
  if (outcome.kind === "skipped") return { why: outcome.why };
  if (outcome.kind === "limit") return { criteria: outcome.criteria };
  // The total is that of the stops with the same prompt.
  const { usage, total: _, ...others } = outcome;
  return { ...fieldsOf(others), ...usageFields(usage), looked: outcome.looked.slice(0, MOST_LOOKS) };
}

/** The round has one name in the record, whether the work was done in it or not. */
function fieldsOf({ kind: _, ...outcome }: object & { readonly kind: string; readonly rounds?: number }): object {
  const { rounds: round, ...others } = outcome;
  return round === undefined ? others : { round, ...others };
}

const MOST_LOOKS = 200;

/** A reviewer may be talkative, and a path or a command long. */
function withShortTexts<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, item: unknown) =>
      typeof item === "string" && item.length > LONGEST_TEXT ? `${item.slice(0, LONGEST_TEXT)}…` : item,
    ),
  );
}

const LONGEST_TEXT = 10_000;

function append(files: Files, path: string, entry: object): void {
  files.append(path, `${JSON.stringify(entry)}\n`, LARGEST_RECORD);
}

const LARGEST_RECORD = 20_000_000;
