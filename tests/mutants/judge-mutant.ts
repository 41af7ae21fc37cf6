import { type Mutant, withMutant } from "./choose.ts";
import { e2eTestsOf } from "./e2e-tests.ts";
import { whyEquivalent } from "./equivalents.ts";
import { type Imports, testsOf } from "./import-graph.ts";
import { build, runTests } from "./run-tests.ts";

/** What became of a mutant. */
export type Fate =
  | { readonly fate: "unit" | "e2e"; readonly by: string }
  | { readonly fate: "equivalent"; readonly why: string }
  | { readonly fate: "survived" };

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

/** Tries tests on a mutant until one fails: the nearest unit tests, all that import the file, then the end-to-end tests. */
export function judgeMutant(mutant: Mutant, tree: string, means: Means): Promise<Fate> {
  const why = whyEquivalent(mutant);
  if (why !== undefined) return Promise.resolve({ fate: "equivalent", why });
  return withMutant(mutant, tree, async () => {
    const unit = testsOf(mutant.file, means.imports).filter(({ test }) => test.startsWith("tests/unit/"));
    const near = unit.filter(({ steps }, index) => steps === 1 || index < NEAREST).map(({ test }) => test);
    const far = unit.map(({ test }) => test).filter((test) => !near.includes(test));
    for (const tests of [near, far]) {
      const run = await runTests(tree, tests, means.unitLimitMs);
      if (!run.passed) return { fate: "unit", by: run.by };
    }
    if (means.e2eLimitMs === 0) return { fate: "survived" };
    const built = await build(tree);
    const run = built.passed ? await runTests(tree, e2eTestsOf(mutant.file, means.e2e), means.e2eLimitMs) : built;
    return run.passed ? { fate: "survived" } : { fate: "e2e", by: run.by };
  });
}

const NEAREST = 5;
