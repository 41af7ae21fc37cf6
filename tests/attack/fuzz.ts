import fc from "fast-check";
import { CccError } from "../../src/errors.ts";
import type { Campaign, Failure, Outcome, Problems } from "./campaign.ts";
import { CANARY } from "./odd.ts";
import type { Random } from "./random.ts";

/** A pure function of ccc to fuzz, in this process. */
export interface Target<T> {
  readonly name: string;
  readonly what: string;
  readonly how: string;
  readonly input: fc.Arbitrary<T>;
  readonly check: (input: T) => Problems | Promise<Problems>;
}

type Check<T> = (input: T) => Promise<Problems>;

export function fuzzing<T>({ name, what, how, input, check }: Target<T>): Campaign {
  const run = (count: number, random: Random) => fuzz(input, (each) => checked(each, check), count, random);
  return { name: `fuzz/${name}`, what, how, tries: 10_000, quick: 300, run };
}

/** Inputs are generated in batches to save memory. */
const BATCH = 250;

async function fuzz<T>(input: fc.Arbitrary<T>, check: Check<T>, count: number, random: Random): Promise<Outcome> {
  const failures: Failure[] = [];
  for (let tried = 0; tried < count; tried += BATCH) {
    const seed = random.below(2 ** 31);
    for (const each of fc.sample(input, { seed, numRuns: Math.min(BATCH, count - tried) })) {
      const problems = await check(each);
      if (problems.length > 0) failures.push({ where: excerpt(each), problem: problems.join("; ") });
    }
  }
  const [first] = failures;
  return {
    tried: count,
    failures: first === undefined ? [] : [(await smallest(input, check, random)) ?? first, ...failures.slice(1)],
  };
}

/** The smallest failing input that can be found quickly. */
async function smallest<T>(input: fc.Arbitrary<T>, check: Check<T>, random: Random): Promise<Failure | undefined> {
  const property = fc.asyncProperty(input, async (each) => (await check(each)).length === 0);
  const { counterexample } = await fc.check(property, {
    seed: random.below(2 ** 31),
    numRuns: 5_000,
    interruptAfterTimeLimit: 20_000,
  });
  if (counterexample === null) return undefined;
  return { where: excerpt(counterexample[0]), problem: (await check(counterexample[0])).join("; ") };
}

/** Much more than any input needs. */
const LONGEST_MS = 5_000;

async function checked<T>(input: T, check: Target<T>["check"]): Promise<Problems> {
  const started = performance.now();
  let problems: Problems;
  try {
    problems = await check(input);
  } catch (error) {
    problems = [`it threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`.slice(0, 500)];
  }
  const ms = performance.now() - started;
  return ms < LONGEST_MS ? problems : [...problems, `it took ${Math.round(ms)} ms`];
}

/** The result of an action. A CccError is a valid result too, if it quotes no secret. */
export function answered<T>(action: () => T): { readonly value?: T; readonly problems: Problems } {
  try {
    return { value: action(), problems: [] };
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    const said = `${error.message}${error.advice ?? ""}`;
    return { problems: said.includes(CANARY) ? [`the error quotes a secret: ${said.slice(0, 300)}`] : [] };
  }
}

function excerpt(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? String(value));
  return text.length <= 300 ? text : `${text.slice(0, 300)}… (${text.length} characters)`;
}
