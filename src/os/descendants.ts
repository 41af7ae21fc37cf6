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
      (each) => hasMark(each, mark, pid),
    );
  } catch {
    return descendants(pid);
  }
}

/** Those that are marked. What is not known yet is looked at again, for a short time. */
function marked(pids: readonly number[], isMarked: (pid: number) => boolean | undefined): number[] {
  const found: number[] = [];
  let unclear = pids;
  for (let tries = 0; tries < MOST_TRIES && unclear.length > 0; tries++) {
    if (tries > 0) Bun.sleepSync(1);
    const looked = unclear.map((pid) => ({ pid, is: isMarked(pid) }));
    found.push(...looked.filter(({ is }) => is).map(({ pid }) => pid));
    unclear = looked.filter(({ is }) => is === undefined).map(({ pid }) => pid);
  }
  return found;
}

const MOST_TRIES = 50;

/** Undefined if the process may be between two programs: Linux then shows no environment. */
function hasMark(pid: number, mark: string, session: number): boolean | undefined {
  const environment = read(pid, "environ");
  if (environment !== "") return environment.includes(mark);
  return isOfSession(session, read(pid, "stat")) ? undefined : false;
}

/** Whether a process is one of a session, and has not ended. */
export function isOfSession(session: number, stat: string): boolean {
  // Its name comes first, in parentheses, and may contain anything.
  const [state, , , own] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return state !== "Z" && own === String(session);
}

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
