import type { Files } from "../../os/files.ts";
import type { Outcome } from "../review/outcome.ts";
import type { SessionRecord } from "./session-record.ts";

/**
 * Records every stop when it starts and when it ends. A stop without an end is one whose hook was killed, so it is
 * visible later that it was not reviewed.
 */
export function recordStop(files: Files, { stops }: SessionRecord, stop: string, at: string): void {
  append(files, stops, { stop, at });
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

function details(outcome: Outcome): object {
  switch (outcome.kind) {
    case "done":
      return { round: outcome.rounds, feedback: outcome.feedback };
    case "rework":
      return { round: outcome.round, check: outcome.check, feedback: outcome.feedback };
    case "unreviewed":
      return { why: outcome.why };
    default:
      return {};
  }
}

function append(files: Files, path: string, entry: object): void {
  files.append(path, `${JSON.stringify(entry)}\n`, LARGEST_RECORD);
}

const LARGEST_RECORD = 20_000_000;
