import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { choose, type Mutant, type Part } from "./choose.ts";
import { readImports } from "./import-graph.ts";
import { type Fate, type Judged, judgeByE2eTests, judgeByUnitTests } from "./judge-mutant.ts";
import { chosenParts, inSrc } from "./parts.ts";
import { missedGoals, ratesTable } from "./rates.ts";
import { buildSound, runTests } from "./run-tests.ts";
import { copyProject } from "./tree-copy.ts";
import { openCompiler } from "./typescript.ts";

/**
 * `bun run test:mutants [N]`: do the tests catch a bug? Changes one thing in one file of src (a comparison, a condition, an early
 * return…) in a copy of the project, and runs the tests on it; N times for each part of src. Prints survivors and rates.
 * Exits with 1 if the rates are below the goals (rates.ts).
 *
 *   N                mutants of each part; 10 by default
 *   --only FOLDER    only this folder or file of src, as one part; repeatable
 *   --seed N         repeats the choices of an earlier run
 *   --unit           without the end-to-end tests
 *   --jobs N         how many at a time; 2 by default
 *   --minutes N      stops after that time, with the results so far; 60 by default
 */

const PROJECT = join(import.meta.dir, "../..");
const MOST_UNIT_MS = 600_000;
const MOST_E2E_MS = 600_000;
const WORDS = { survived: "survived", alive: "survived the unit tests" } as const;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", multiple: true, default: [] },
    seed: { type: "string" },
    unit: { type: "boolean", default: false },
    jobs: { type: "string", default: "2" },
    minutes: { type: "string", default: "60" },
  },
});
const count = wholeNumber("N", positionals[0] ?? "10");
const jobs = wholeNumber("--jobs", options.jobs);
const minutes = wholeNumber("--minutes", options.minutes);
const seed = wholeNumber("--seed", options.seed ?? String(Math.floor(Math.random() * 2 ** 31)));
for (const path of options.only) if (!existsSync(join(PROJECT, "src", inSrc(path)))) usage(`src has no ${path}`);
const endsAt = Date.now() + minutes * 60_000;
console.error(`seed ${seed}`);

using copies = copyProject(PROJECT, jobs);
const [first = ""] = copies.trees;
const imports = readImports(first, ["src", "tests"]);
const unit = [...imports.keys()].filter((file) => /^tests\/unit\/.*\.test\.ts$/.test(file));
const e2eTests = [...imports.keys()].filter((file) => /^tests\/(?:e2e|thorough)\/.*\.test\.ts$/.test(file));
const e2e = new Map(e2eTests.map((test) => [test, readFileSync(join(first, test), "utf8")]));

for (const tree of copies.trees) await buildSound(tree);
const startedAt = performance.now();
const sound = await runTests(first, unit, MOST_UNIT_MS);
// A run that times out counts as failed, so it gets more time than all tests need on a busy machine.
const unitLimitMs = Math.max(60_000, Math.round(1.5 * (performance.now() - startedAt)));
if (!sound.passed) throw new Error(`the unit tests fail without any mutant: ${sound.by}`);
const parts = await chooseMutants();

const means = { imports, e2e, unitLimitMs, e2eLimitMs: MOST_E2E_MS };
const chosen = inTurn(parts);
const fates = new Map<Mutant, Fate>();
await judgeAll("unit tests", chosen, judgeByUnitTests);
const alive = chosen.filter((mutant) => fates.get(mutant)?.fate === "alive");
if (!options.unit) await judgeAll("end-to-end tests", alive, judgeByE2eTests);

const judged = [...fates].map(([mutant, result]): Judged => ({ mutant, result }));
for (const { mutant, result } of judged)
  if (result.fate === "equivalent") console.log(`changes nothing: ${place(mutant)}\n${diff(mutant)}  ${result.why}\n`);
for (const { mutant, result } of judged)
  if (result.fate === "survived" || result.fate === "alive")
    console.log(`${WORDS[result.fate]}: ${place(mutant)}\n${diff(mutant)}`);
console.log(`Again with --seed ${seed}.\n`);
const rows = parts.map((part) => ({ part, judged: judged.filter(({ mutant }) => part.chosen.includes(mutant)) }));
console.log(ratesTable(rows, options.only.length === 0 ? "all of src, each part by its size" : undefined));
const left = chosen.length - judged.length;
if (left > 0) console.log(`\n${left} of ${chosen.length} were not tried: the ${minutes} minutes are up.`);
const untried = judged.filter(({ result }) => result.fate === "alive").length;
if (untried > 0)
  console.log(
    `\n${untried} that no unit test noticed were not tried with end-to-end tests, and count as the others do.`,
  );
const missed = missedGoals(rows);
for (const goal of missed) console.log(`\n${goal}`);
if (missed.length > 0) process.exitCode = 1;

function wholeNumber(name: string, text: string): number {
  return /^\d+$/.test(text) ? Number(text) : usage(`${name} must be a whole number, not "${text}"`);
}

function usage(problem: string): never {
  console.error(
    `${problem}\nUsage: bun run test:mutants [N] [--only FOLDER] [--seed N] [--unit] [--jobs N] [--minutes N]`,
  );
  process.exit(2);
}

async function chooseMutants(): Promise<Part[]> {
  await using compiler = openCompiler(first);
  const chosen: Part[] = [];
  for (const part of chosenParts(options.only))
    chosen.push(await choose(part, { tree: first, imports, compiler, count, seed }));
  return chosen;
}

/** In turn, so that a run that is cut short has tried about the same number of each part. */
function inTurn(parts: readonly Part[]): Mutant[] {
  const numbered = parts.flatMap(({ chosen }) => chosen.map((mutant, index) => ({ mutant, index })));
  return numbered.sort((a, b) => a.index - b.index).map(({ mutant }) => mutant);
}

/** Judges mutants in all copies at once, until the time is over. */
async function judgeAll(what: string, mutants: readonly Mutant[], judge: typeof judgeByUnitTests): Promise<void> {
  const queue = [...mutants];
  console.error(`${mutants.length} mutants, ${what}`);
  const work = async (tree: string) => {
    for (let next = queue.shift(); next !== undefined && Date.now() < endsAt; next = queue.shift()) {
      const result = await judge(next, tree, means);
      fates.set(next, result);
      console.error(`${place(next)} ${result.fate}${"by" in result ? `: ${result.by}` : ""} (${queue.length} left)`);
    }
  };
  await Promise.all(copies.trees.map(work));
}

function place({ file, line }: Mutant): string {
  return `${file}:${line}`;
}

function diff({ before, after }: Mutant): string {
  const lines = (mark: string, text: string) =>
    text
      .split("\n")
      .map((line) => `  ${mark} ${line.trim()}\n`)
      .join("");
  return lines("-", before) + lines("+", after);
}
