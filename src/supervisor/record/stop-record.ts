import * as v from "valibot";
import type { Files } from "../../os/files.ts";
import { parseJson } from "../../text/json.ts";
import type { Outcome } from "../review/outcome.ts";
import type { SessionRecord } from "./session-record.ts";
import { usageFields } from "./usage-fields.ts";

/**
 * Records every stop when it starts and when it ends. A stop without an end is one whose hook was killed, so it is
 * visible later that it was not reviewed.
 */
export function recordStop(files: Files, { stops }: SessionRecord, stop: string, at: string, pid: number): void {
  append(files, stops, { stop, at, pid });
}

export function recordOutcome(
  files: Files,
  { stops }: SessionRecord,
  stop: string,
  at: string,
  outcome: Outcome,
): void {
  append(files, stops, { stop, at, outcome: outcome.kind, ...details(outcome) });
}

/** Why a stop was not reviewed whose hook was ended by the user, by a time-out, or with the session. */
export const INTERRUPTED = "the hook was interrupted";

/** A stop on record. Without an outcome, its hook is still running or was killed. */
export interface RecordedStop {
  readonly at: string;
  readonly pid: number | undefined;
  readonly outcome: string | undefined;
  readonly why: string | undefined;
}

export function readStops(files: Files, { stops }: SessionRecord): RecordedStop[] {
  const found = new Map<string, RecordedStop>();
  for (const line of files.read(stops)?.split("\n") ?? []) {
    const entry = v.safeParse(EntrySchema, parseJson(line));
    if (!entry.success) continue;
    const { stop, at, pid, outcome, why } = entry.output;
    const begun = found.get(stop) ?? { at, pid };
    found.set(stop, { ...begun, outcome, why });
  }
  return [...found.values()];
}

const EntrySchema = v.object({
  stop: v.string(),
  at: v.string(),
  pid: v.optional(v.number()),
  outcome: v.optional(v.string()),
  why: v.optional(v.string()),
});

function details(outcome: Outcome): object {
  switch (outcome.kind) {
    case "done":
      return { round: outcome.rounds, feedback: outcome.feedback, ...usageFields(outcome.usage) };
    case "rework":
      return { round: outcome.round, feedback: outcome.feedback, ...usageFields(outcome.usage) };
    case "skipped":
      return { why: outcome.why };
    case "unreviewed":
      return { why: outcome.why, ...usageFields(outcome.usage) };
    default:
      return {};
  }
}

function append(files: Files, path: string, entry: object): void {
  files.append(path, `${JSON.stringify(entry)}\n`, LARGEST_RECORD);
}

const LARGEST_RECORD = 20_000_000;
