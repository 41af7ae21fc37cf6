import { join } from "node:path";
import { killWithin } from "../attack/processes.ts";
import { TEMPORARY } from "./tree-copy.ts";

/** How a run of tests ended: all passed, or the name of one that failed. A run that takes too long has failed. */
export type TestRun = { readonly passed: true } | { readonly passed: false; readonly by: string };

/** Runs test files in a tree, until the first failure. */
export async function runTests(tree: string, tests: readonly string[], limitMs: number): Promise<TestRun> {
  if (tests.length === 0) return { passed: true };
  return runProgram(
    tree,
    [process.execPath, "test", "--bail", "--timeout", String(limitMs), ...tests.map((test) => `./${test}`)],
    limitMs,
  );
}

/** Builds dist/ccc of a tree. */
export function build(tree: string): Promise<TestRun> {
  return runProgram(tree, [process.execPath, "build.ts"], 60_000);
}

async function runProgram(tree: string, command: string[], limitMs: number): Promise<TestRun> {
  const child = Bun.spawn(command, {
    cwd: tree,
    // The variable is also what killWithin looks for.
    env: { ...process.env, TMPDIR: join(tree, TEMPORARY) },
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
  return exitCode === 0 ? { passed: true } : { passed: false, by: firstFailure(`${errors}\n${output}`) };
}

/** The name of the test that failed, from what `bun test` prints. */
export function firstFailure(output: string): string {
  const failed = /^\(fail\) (.*?)(?: \[[\d.]+m?s\])?$/m.exec(output)?.[1];
  return failed ?? /^(?:error|\S*Error): .*/m.exec(output)?.[0] ?? "ended with an error";
}
