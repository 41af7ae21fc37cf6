/**
 * Where the files of a session's record are, and the few of them that the status line and an idle hook read. Those run every
 * few seconds, so this file loads neither valibot nor node:fs. The paths are used in this folder only.
 */
import type { Paths } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { asObject, type Json, parseJson } from "../../text/json.ts";

/** What the status line shows of a session. */
export interface StatusRecord {
  readonly provider: string | undefined;
  /** Whether the next stop is reviewed. */
  readonly isSupervised: boolean;
  readonly review: ReviewNow | undefined;
  /** Whether the user, or an event, has prompted the agent since that review. */
  readonly isPrompted: boolean;
}

/** What the launch itself says. Where it is silent, the record counts, which may be that of an earlier launch. */
interface Launched {
  readonly provider: string | undefined;
  readonly isSupervised: boolean | undefined;
  /** The process id of claude, if it is in a terminal. */
  readonly claude: string | undefined;
}

type QuickFiles = Pick<Files, "read" | "modified">;

export function readStatusRecord(
  files: QuickFiles,
  paths: Paths,
  session: string | undefined,
  { provider, isSupervised, claude }: Launched,
): StatusRecord {
  if (session === undefined)
    return { provider, isSupervised: isSupervised ?? false, review: undefined, isPrompted: false };
  const record = recordPaths(paths, session);
  const isKnown = provider !== undefined && isSupervised !== undefined;
  const launch = isKnown ? undefined : files.read(record.launch);
  const inTerminal = () => providerIn(asObject(jsonIn(files, claude && terminalPaths(paths, claude).sessions).launch));
  const { is_on: isOn } = jsonIn(files, record.switch);
  return {
    provider: provider ?? providerIn(asObject(parseJson(launch ?? ""))) ?? inTerminal(),
    // What the user said in the session counts more than how it was launched.
    isSupervised: typeof isOn === "boolean" ? isOn : (isSupervised ?? launch !== undefined),
    review: readReviewNow(files.read(record.now) ?? ""),
    isPrompted: (files.modified(record.prompts) ?? 0) > (files.modified(record.now) ?? 0),
  };
}

function jsonIn(files: QuickFiles, path: string | undefined): Json {
  return asObject(parseJson((path && files.read(path)) || ""));
}

function providerIn({ provider }: Json): string | undefined {
  return typeof provider === "string" && provider !== "" ? provider : undefined;
}

/** Whether the user ever switched the supervision of a session. */
export function wasSwitched(modified: QuickFiles["modified"], paths: Paths, session: string): boolean {
  return modified(recordPaths(paths, session).switch) !== undefined;
}

/** What a review does right now, or how the last one ended; or why the agent cannot continue. */
export type ReviewNow = RunningReview | EndedReview | StalledAgent;

export interface RunningReview {
  readonly pid: number;
  readonly round: number;
  readonly limit: number;
  /** Whether a reviewer has said "done", which another one confirms now. */
  readonly is_confirming?: boolean;
  /** The reviewer's last step, as "Bash npm test", or "check npm test"; empty before the first. */
  readonly doing: string;
  /** When it began, in milliseconds since 1970; 0 if unknown. */
  readonly since: number;
  /** Claude Code does not let the hook run longer than this, in milliseconds since 1970: after that, the process is another one. */
  readonly ends_by: number;
}

export interface EndedReview {
  readonly outcome: string;
  /** How many of the criteria are met; both are 0 if there are none. */
  readonly met: number;
  readonly of: number;
  /** Who confirmed that it is done. */
  readonly confirmed_by?: string;
  /** How many stops in a row were nudged, if the last one was. */
  readonly nudges?: number;
}

/** An error of the API ended the turn. */
export interface StalledAgent {
  /** What it was, in a few words. */
  readonly stalled: string;
  /** When a limit resets, in milliseconds since 1970; 0 if it is no limit, or unknown. */
  readonly until: number;
  /** Whether the session then continues by itself. */
  readonly is_waiting: boolean;
  /** The command that continues it now; empty if there is none. */
  readonly command: string;
}

function readReviewNow(text: string): ReviewNow | undefined {
  const found = asObject(parseJson(text));
  if (typeof found.stalled === "string") return readStalled(found, found.stalled);
  const { pid, round, limit, doing, since, ends_by, outcome, met, of, nudges, ...more } = found;
  const { is_confirming, confirmed_by } = more;
  if (typeof outcome === "string") {
    const by = typeof confirmed_by === "string" ? { confirmed_by } : {};
    return {
      outcome,
      met: count(met),
      of: count(of),
      ...by,
      ...(nudges === undefined ? {} : { nudges: count(nudges) }),
    };
  }
  if (typeof pid !== "number" || !Number.isInteger(pid) || pid <= 0) return undefined;
  return {
    pid,
    round: count(round),
    limit: count(limit),
    ...(is_confirming === true ? { is_confirming } : {}),
    doing: typeof doing === "string" ? doing : "",
    since: count(since),
    ends_by: typeof ends_by === "number" ? ends_by : 0,
  };
}

function readStalled({ until, is_waiting, command }: Json, stalled: string): StalledAgent {
  return {
    stalled,
    until: count(until),
    is_waiting: is_waiting === true,
    command: typeof command === "string" ? command : "",
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isInteger(value) ? Math.max(value, 0) : 0;
}

/** The files of a session's record. session.ts says what is in them. */
export function recordPaths(paths: Pick<Paths, "generated">, session: string) {
  const folder = join(recordFolder(paths, "sessions"), session);
  return {
    launch: join(folder, "launch.json"),
    state: join(folder, "state.json"),
    prompts: join(folder, "prompts.jsonl"),
    scheduled: join(folder, "scheduled.json"),
    candidates: join(folder, "candidates.json"),
    stops: join(folder, "stops.jsonl"),
    now: join(folder, "now.json"),
    end: join(folder, "end.json"),
    baseline: join(folder, "baseline.json"),
    checks: join(folder, "checks.json"),
    proof: join(folder, "proof.json"),
    limit: join(folder, "limit.json"),
    switch: join(folder, "switch.json"),
  };
}

/** The files about a claude in a terminal. Its process id comes from the environment, so it could be anything. */
export function terminalPaths(paths: Pick<Paths, "generated">, claude: string) {
  const name = /^\d+$/.test(claude) ? claude : "unknown";
  return {
    sessions: join(recordFolder(paths, "terminals"), `${name}.json`),
    wait: join(recordFolder(paths, "waits"), name),
  };
}

/** A folder of records: of sessions, launches and so on. */
export function recordFolder({ generated }: Pick<Paths, "generated">, name: RecordFolder): string {
  return join(generated, name);
}

/**
 * "baselines" has git's objects, in a folder for each session. "runs" has what hooks tell a ccc that waits for claude.
 * "copies" has copies of projects, while something runs in them.
 */
type RecordFolder = "sessions" | "launches" | "terminals" | "waits" | "runs" | "baselines" | "copies";
