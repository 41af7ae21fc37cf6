import type { Random } from "./random.ts";

/** One attack, tried many times: one row of the table. */
export interface Campaign {
  /** For --only, "kill/hook". */
  readonly name: string;
  readonly what: string;
  /** How, and what must hold. */
  readonly how: string;
  /** The number of tries, in a full run and in a quick one. */
  readonly tries: number;
  readonly quick: number;
  readonly run: (count: number, random: Random) => Promise<Outcome>;
}

export interface Outcome {
  readonly tried: number;
  readonly failures: readonly Failure[];
  /** What single tries came to, for a table of their own. */
  readonly details?: readonly Detail[];
}

export interface Detail {
  readonly what: string;
  readonly came: string;
}

/** A try that did not hold. */
export interface Failure {
  readonly where: string;
  readonly problem: string;
}

/** What went wrong in one try; empty if it held. */
export type Problems = readonly string[];

/** A campaign that takes longer is stuck. The remaining tries count as failures. */
const TIME_MS = 9 * 60_000;

/** Tries all cases, `width` at a time. An exception counts as a failure. */
export async function tryEach<T>(
  cases: readonly T[],
  width: number,
  describe: (each: T) => string,
  attack: (each: T) => Promise<Problems>,
): Promise<Outcome> {
  const failures: Failure[] = [];
  const waiting = [...cases];
  const endsAt = performance.now() + TIME_MS;
  const lane = async () => {
    for (let each = waiting.shift(); each !== undefined; each = waiting.shift()) {
      const isLate = performance.now() > endsAt;
      const problems = isLate ? ["not tried: time is up"] : await attack(each).catch(asProblem);
      if (problems.length > 0) failures.push({ where: describe(each), problem: [...new Set(problems)].join("; ") });
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  return { tried: cases.length, failures };
}

/** All cases in order if `count` allows, else a random selection. */
export function choose<T>(cases: readonly T[], count: number, random: Random): T[] {
  return count >= cases.length ? [...cases] : random.shuffled(cases).slice(0, count);
}

/** The problem, unless the condition holds. */
export function unless(condition: boolean, problem: string): string[] {
  return condition ? [] : [problem];
}

function asProblem(error: unknown): Problems {
  return [`the try itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}
