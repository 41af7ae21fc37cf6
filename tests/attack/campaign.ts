import type { Random } from "./random.ts";

/** One row of the table: an attack, tried a number of times. */
export interface Campaign {
  /** For --only: a word or a path of words, "kill/hook". */
  readonly name: string;
  /** What is tried. */
  readonly what: string;
  /** How it is tried, and what has to hold. */
  readonly how: string;
  /** How often, in a whole run and in a quick one. */
  readonly tries: number;
  readonly quick: number;
  readonly run: (count: number, random: Random) => Promise<Outcome>;
}

export interface Outcome {
  readonly tried: number;
  readonly failures: readonly Failure[];
}

/** A try that did not hold: which one it was, and what was seen. */
export interface Failure {
  readonly where: string;
  readonly problem: string;
}

/** What is wrong after one try; nothing if it held. */
export type Problems = readonly string[];

/** A campaign that takes longer has met something that waits; what it has not tried by then did not hold. */
const TIME_MS = 9 * 60_000;

/** Tries every case, `width` of them at a time. An exception is a problem like any other. */
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

/** A problem, if the condition does not hold. */
export function unless(condition: boolean, problem: string): string[] {
  return condition ? [] : [problem];
}

function asProblem(error: unknown): Problems {
  return [`the try itself failed: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`];
}
