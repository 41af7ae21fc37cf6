import { join } from "node:path";
import { killWithin } from "../attack/processes.ts";
import { TEMPORARY } from "./tree-copy.ts";

/** How a test run ended: all passed, or the name of one that failed. A run that takes too long has failed. */
export type TestRun =
  | { readonly passed: true }
  | { readonly passed: false; readonly by: string; readonly file?: string };

/** Runs test files in a tree until one of them fails twice: on a busy machine, a test can fail once. */
export async function runTests(tree: string, tests: readonly string[], limitMs: number): Promise<TestRun> {
  const run = (files: readonly string[]) =>
    runProgram(
      tree,
      [process.execPath, "test", "--bail", "--timeout", String(limitMs), ...files.map((file) => `./${file}`)],
      limitMs,
    );
  for (let left = tests; left.length > 0; ) {
    const first = await run(left);
    if (first.passed || first.file === undefined) return first;
    const second = await run([first.file]);
    if (!second.passed) return second;
    left = left.filter((file) => file !== first.file);
  }
  return { passed: true };
}

/** Builds dist/ccc in a tree. */
export function build(tree: string): Promise<TestRun> {
  return runProgram(tree, [process.execPath, "build.ts"], 60_000);
}

/** The same for a tree without a mutant, where it must succeed. */
export async function buildSound(tree: string): Promise<void> {
  const run = await build(tree);
  if (!run.passed) throw new Error(`the build fails without any mutant: ${run.by}`);
}

/** Whether ccc.schema.json and docs/configuration.md still match the code, as in `bun run check`. */
export async function checkGenerated(tree: string): Promise<TestRun> {
  const { passed } = await runProgram(tree, [process.execPath, "scripts/reference.ts", "--check"], 60_000);
  return passed ? { passed } : { passed, by: "scripts/reference.ts --check" };
}

async function runProgram(tree: string, command: string[], limitMs: number): Promise<TestRun> {
  const child = Bun.spawn(command, {
    cwd: tree,
    // killWithin looks for TMPDIR. With colors, bun test prints failures differently.
    env: { ...process.env, TMPDIR: join(tree, TEMPORARY), FORCE_COLOR: undefined },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    killWithin(join(tree, TEMPORARY));
  }, limitMs);
  const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  clearTimeout(timer);
  if (isLate) return { passed: false, by: `took longer than ${Math.round(limitMs / 1000)} s` };
  return exitCode === 0 ? { passed: true } : { passed: false, ...firstFailure(`${errors}\n${output}`) };
}

/** The test that failed, and its file, from what `bun test` prints. */
export function firstFailure(output: string): { readonly by: string; readonly file?: string } {
  const found = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/m.exec(output);
  if (found === null) return { by: /^(?:error|\S*Error): .*/m.exec(output)?.[0] ?? "ended with an error" };
  const file = output
    .slice(0, found.index)
    .match(/^tests\/.*\.test\.ts(?=:$)/gm)
    ?.at(-1);
  return { by: found[1] ?? "", ...(file === undefined ? {} : { file }) };
}
