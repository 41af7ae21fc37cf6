import { type Mutant, withMutant } from "./choose.ts";
import { e2eTestsOf } from "./e2e-tests.ts";
import { whyEquivalent } from "./equivalents.ts";
import { type Imports, testsOf } from "./import-graph.ts";
import { build, buildSound, checkGenerated, runTests } from "./run-tests.ts";

/** What became of a mutant. Alive: no unit test caught it, and no end-to-end test was tried. */
export type Fate =
  | { readonly fate: "unit" | "e2e"; readonly by: string }
  | { readonly fate: "equivalent"; readonly why: string }
  | { readonly fate: "alive" | "survived" };

export interface Judged {
  readonly mutant: Mutant;
  readonly result: Fate;
}

export interface Means {
  readonly imports: Imports;
  /** The text of each end-to-end test. */
  readonly e2e: ReadonlyMap<string, string>;
  readonly unitLimitMs: number;
  readonly e2eLimitMs: number;
}

/** Tries unit tests on a mutant until one fails: the nearest ones, then all that import the file. */
export function judgeByUnitTests(mutant: Mutant, tree: string, { imports, unitLimitMs }: Means): Promise<Fate> {
  const why = whyEquivalent(mutant);
  if (why !== undefined) return Promise.resolve({ fate: "equivalent", why });
  return withMutant(mutant, tree, async () => {
    const unit = testsOf(mutant.file, imports).filter(({ test }) => test.startsWith("tests/unit/"));
    const near = unit.filter(({ steps }, index) => steps === 1 || index < NEAREST).map(({ test }) => test);
    const far = unit.map(({ test }) => test).filter((test) => !near.includes(test));
    for (const tests of [near, far]) {
      const run = await runTests(tree, tests, unitLimitMs);
      if (!run.passed) return { fate: "unit", by: run.by };
    }
    return { fate: "alive" };
  });
}

/**
 * Tries the rest of the suite: the checks of generated files, and the end-to-end tests that touch the file. A test that fails
 * without the mutant as well says nothing about it, and the others are tried again.
 */
export async function judgeByE2eTests(mutant: Mutant, tree: string, { e2e, e2eLimitMs }: Means): Promise<Fate> {
  for (let tests = e2eTestsOf(mutant.file, e2e); ; ) {
    const broken = await withMutant(mutant, tree, async () => {
      for (const step of [checkGenerated, build]) {
        const run = await step(tree);
        if (!run.passed) return { ...run, tests: [] };
      }
      const run = await runTests(tree, tests, e2eLimitMs);
      return run.passed ? undefined : { ...run, tests: run.file === undefined ? tests : [run.file] };
    });
    if (broken === undefined) return { fate: "survived" };
    const without = await failuresWithout(tree, broken.tests, e2eLimitMs);
    if (without.length === 0) return { fate: "e2e", by: broken.by };
    console.error(`${without.join(", ")}: fails without a mutant, too`);
    tests = tests.filter((test) => !without.includes(test));
  }
}

/** Which of these tests fail without a mutant. */
async function failuresWithout(tree: string, tests: readonly string[], limitMs: number): Promise<string[]> {
  if (tests.length === 0) return [];
  await buildSound(tree);
  const failed: string[] = [];
  for (const test of tests) if (!(await runTests(tree, [test], limitMs)).passed) failed.push(test);
  return failed;
}

const NEAREST = 5;
