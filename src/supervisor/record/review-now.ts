import { asObject, parseJson } from "../../text/json.ts";

/** What a review does right now, or how the last one ended: a small file for the status line, which is read often. */
export type ReviewNow = RunningReview | EndedReview;

export interface RunningReview {
  readonly pid: number;
  readonly round: number;
  readonly limit: number;
  /** The reviewer's last step, as "Bash npm test", or "check npm test"; empty before the first. */
  readonly doing: string;
  /** Claude Code does not let the hook run longer than this, in milliseconds since 1970: a later process is another one. */
  readonly ends_by: number;
}

export interface EndedReview {
  readonly outcome: string;
  /** How many of the criteria are met; both are 0 if there are none. */
  readonly met: number;
  readonly of: number;
}

/** Reads it without valibot, for the same reason as the event of the status line. */
export function readReviewNow(text: string): ReviewNow | undefined {
  const { pid, round, limit, doing, ends_by, outcome, met, of } = asObject(parseJson(text));
  if (typeof outcome === "string") return { outcome, met: count(met), of: count(of) };
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return undefined;
  return {
    pid,
    round: count(round),
    limit: count(limit),
    doing: typeof doing === "string" ? doing : "",
    ends_by: typeof ends_by === "number" ? ends_by : 0,
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) ? Math.max(value, 0) : 0;
}
