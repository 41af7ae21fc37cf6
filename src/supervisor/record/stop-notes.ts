import type { ReviewWay } from "../../claude/reviewer-command.ts";
import type { ChangeList, Changes } from "../baseline/changes.ts";
import type { CheckResult } from "../checks/describe-checks.ts";
import type { Criterion } from "../ledger/criterion.ts";

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
