import { readdirSync, readFileSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";

/** What is left of a launcher while claude runs, and what claude was given. */
export interface Stays {
  readonly processes: number;
  readonly megabytes: number;
  /** claude's arguments, environment and `--settings`. */
  readonly given: string;
}

export interface Launch {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** A folder for a stand-in for claude, the first of PATH. */
  readonly bin: string;
}

const LONGEST_MS = 60_000;

/**
 * Launches a stand-in for claude that waits. Every process with the launch's HOME, other than the stand-in, counts: also a
 * server that the launcher started in the background. Linux only.
 */
export async function whatStays({ command, env, cwd, bin }: Launch): Promise<Stays> {
  const [started, goOn, claude] = ["started", "go-on", "claude"].map((name) => join(bin, name));
  if (started === undefined || goOn === undefined || claude === undefined) throw new Error("no paths");
  await $`mkfifo ${started} ${goOn}`;
  await writeFile(claude, standIn(started, goOn));
  await chmod(claude, 0o755);
  const silent = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const;
  const child = Bun.spawn([...command], { env: { ...env }, cwd, ...silent, timeout: LONGEST_MS });
  const report = await Promise.race([readFile(started, "utf8"), child.exited.then(() => undefined)]);
  if (report === undefined) {
    await writeFile(started, ""); // Somebody still waits for it.
    throw new Error("it ended without starting claude");
  }
  const [pid = "", ...given] = report.split("\n");
  const staying = processesOf(env.HOME ?? "").filter((each) => each !== Number(pid));
  const megabytes = staying.map(residentMegabytes).reduce((sum, each) => sum + each, 0);
  await writeFile(goOn, "");
  await child.exited;
  return { processes: staying.length, megabytes, given: given.join("\n") };
}

/** Uses the shell's own commands only, so that it is a single process while it waits. */
const standIn = (started: string, goOn: string) => `#!/bin/sh
{
  echo $$
  export -p
  for argument; do
    echo "$argument"
    if [ -f "$argument" ]; then while read -r line || [ -n "$line" ]; do echo "$line"; done <"$argument"; fi
  done
} >'${started}'
read -r line <'${goOn}'
exit 0
`;

function processesOf(home: string): number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => readProcess(pid, "environ").split("\0").includes(`HOME=${home}`));
}

function residentMegabytes(pid: number): number {
  const kilobytes = readProcess(pid, "status").match(/^VmRSS:\s+(\d+) kB/m)?.[1] ?? 0;
  return (Number(kilobytes) * 1024) / 1e6;
}

/** Nothing for a process that has ended, or belongs to somebody else. */
function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
