import type { Paths } from "../../config/paths.ts";
import { join } from "../../os/path.ts";
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

/** The files of the supervisor's own record of a session, outside the project. */
export interface SessionRecord {
  /** What the launch decided, and the project must not change. */
  readonly launch: string;
  /** The authoritative state. */
  readonly state: string;
  /** The user's prompts, one JSON object per line. */
  readonly prompts: string;
  /** Prompts that the agent has scheduled: they arrive like the user's. */
  readonly scheduled: string;
  /** Every stop, reviewed or not, one JSON object per line. */
  readonly stops: string;
  /** What a review does right now, or how the last one ended. */
  readonly now: string;
  /** How the loop engine ended, if it did so outside a review. */
  readonly end: string;
  /** The files at the user's last prompt. */
  readonly baseline: string;
  /** The last checks that passed, and for which files. */
  readonly checks: string;
  /** How long was waited for the last usage limit. */
  readonly limit: string;
  /** What the user has switched in the session. */
  readonly switch: string;
}

export function sessionRecord(paths: Paths, sessionId: string): SessionRecord {
  const folder = join(sessionsFolder(paths), sessionId);
  return {
    launch: join(folder, "launch.json"),
    state: join(folder, "state.json"),
    prompts: join(folder, "prompts.jsonl"),
    scheduled: join(folder, "scheduled.json"),
    stops: join(folder, "stops.jsonl"),
    now: join(folder, "now.json"),
    end: join(folder, "end.json"),
    baseline: join(folder, "baseline.json"),
    checks: join(folder, "checks.json"),
    limit: join(folder, "limit.json"),
    switch: join(folder, "switch.json"),
  };
}

/** Git's objects for the baselines of all sessions, in a folder for each session. */
export function baselinesFolder({ generated }: Pick<Paths, "generated">): string {
  return join(generated, "baselines");
}

export function sessionsFolder({ generated }: Pick<Paths, "generated">): string {
  return join(generated, "sessions");
}

export function terminalsFolder({ generated }: Pick<Paths, "generated">): string {
  return join(generated, "terminals");
}

/** What is known of a claude in a terminal, by its process id. */
export function terminalPath(paths: Paths, claude: string): string {
  return join(terminalsFolder(paths), `${/^\d+$/.test(claude) ? claude : "unknown"}.json`);
}
