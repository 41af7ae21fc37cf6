import { readdirSync, readFileSync } from "node:fs";
import { windowsProcesses } from "./windows-processes.ts";

/** The processes of a run, in any process group: found by the mark they inherited, or else by their parents. */
export function processesOfRun(mark: string, pid: number): number[] {
  if (process.platform === "win32") return descendants(pid);
  try {
    // A name in /proc that is not a number becomes NaN, which has no environment.
    const pids = readdirSync("/proc").map(Number);
    return marked(
      pids.filter((each) => each !== pid && each !== process.pid),
      mark,
    );
  } catch {
    return descendants(pid);
  }
}

/** Those with the mark in their environment. Processes that are just becoming another program are looked at again, all at once. */
function marked(pids: readonly number[], mark: string): number[] {
  const found: number[] = [];
  let unclear = pids;
  for (let tries = 0; tries < MOST_TRIES && unclear.length > 0; tries++) {
    if (tries > 0) Bun.sleepSync(1);
    const looked = unclear.map((pid) => ({ pid, environment: read(pid, "environ") }));
    found.push(...looked.filter(({ environment }) => environment.includes(mark)).map(({ pid }) => pid));
    const empty = looked.filter(({ environment }) => environment === "").map(({ pid }) => pid);
    unclear = empty.filter((pid) => isBetweenPrograms(read(pid, "cmdline"), read(pid, "stat")));
  }
  return found;
}

const MOST_TRIES = 50;

/**
 * Whether a process has left one program and not yet begun the next: Linux then shows neither its arguments nor its
 * environment. Kernel threads and processes that have ended never have any.
 */
export function isBetweenPrograms(cmdline: string, stat: string): boolean {
  // Its name comes first, in parentheses, and may contain anything.
  const [state, , , , , , flags] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return cmdline === "" && flags !== undefined && state !== "Z" && (Number(flags) & KERNEL_THREAD) === 0;
}

const KERNEL_THREAD = 0x200000;

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "latin1");
  } catch {
    return "";
  }
}

/** For macOS and Windows, which have no /proc. */
function descendants(pid: number): number[] {
  const table = processTable();
  const found: number[] = [];
  for (let parents = [pid]; parents.length > 0; ) {
    const children = table.flatMap(([child = 0, parent = 0]) => (parents.includes(parent) ? [child] : []));
    found.push(...children);
    parents = children;
  }
  return found;
}

function processTable(): number[][] {
  try {
    if (process.platform === "win32") return windowsProcesses();
    const { stdout } = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid="], { stderr: "ignore" });
    return stdout
      .toString()
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/).map(Number));
  } catch {
    return [];
  }
}
