import * as v from "valibot";
import type { Files } from "../../os/files.ts";
import { parseJson } from "../../text/json.ts";
import { countMet } from "../ledger/criterion.ts";
import type { Outcome } from "../review/outcome.ts";
import type { EndedReview } from "./review-now.ts";
import type { SessionRecord } from "./session-record.ts";
import { noteFields, type StopNotes } from "./stop-notes.ts";
import { usageFields } from "./usage-fields.ts";

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
    ({ at, outcome = "", check }) => at >= since && WITH_VERDICT.includes(outcome) && check === undefined,
  );
}

const WITH_VERDICT: readonly string[] = ["done", "rework", "needs_user", "stalemate"] satisfies Outcome["kind"][];

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
