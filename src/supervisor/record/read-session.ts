import * as v from "valibot";
import type { Paths } from "../../config/ccc-paths.ts";
import { parseJson } from "../../text/json.ts";
import type { World } from "../../world.ts";
import { type LaunchRecord, readLaunch } from "./launch-record.ts";
import { type LoopEnd, readLoopEnd } from "./loop-end.ts";
import { type RecordedPrompt, readPromptRecord } from "./prompt-record.ts";
import { sessionRecord } from "./session-record.ts";
import { type StopEntry, StopEntrySchema } from "./stop-entry.ts";
import type { UsageFields } from "./usage-fields.ts";

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
