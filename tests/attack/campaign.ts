import type { Random } from "./random.ts";

/** One row of the table: an attack, tried a number of times. */
export interface Campaign {
  /** The name for --only, such as "kill/hook". */
  readonly name: string;
  /** What is tried. */
  readonly what: string;
  /** How it is tried, and what must hold. */
  readonly how: string;
  /** Number of tries, in a full run and in a quick one. */
  readonly tries: number;
  readonly quick: number;
  readonly run: (count: number, random: Random) => Promise<Outcome>;
}

export interface Outcome {
  readonly tried: number;
  readonly failures: readonly Failure[];
}

/** A failed try: which one, and what was seen. */
export interface Failure {
  readonly where: string;
  readonly problem: string;
}

/** What went wrong in one try; empty if nothing did. */
export type Problems = readonly string[];

/** A campaign that takes longer hangs somewhere; tries that are still missing then count as failed. */
const TIME_MS = 9 * 60_000;

/** Tries every case, `width` at a time. An exception counts as a problem. */
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

/** As many of the cases as wanted: all of them in order, or a random choice. */
export function choose<T>(cases: readonly T[], count: number, random: Random): T[] {
  return count >= cases.length ? [...cases] : random.shuffled(cases).slice(0, count);
}

/** A problem, unless the condition holds. */
export function unless(condition: boolean, problem: string): string[] {
  return condition ? [] : [problem];
}

function asProblem(error: unknown): Problems {
  return [`the try itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}
