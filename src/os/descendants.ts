import { readdirSync, readFileSync } from "node:fs";
import { windowsProcesses } from "./windows-processes.ts";

/** The processes of a run, in any process group: found by the mark they inherited, or else by their parents. */
export function processesOfRun(mark: string, pid: number): number[] {
  if (process.platform === "win32") return descendants(pid);
  try {
    // A name in /proc that is not a number becomes NaN, which has no environment.
    const pids = readdirSync("/proc")
      .map(Number)
      .filter((each) => each !== pid && each !== process.pid);
    return pids.filter((each) => environmentOf(each).includes(mark));
  } catch {
    return descendants(pid);
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1");
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
