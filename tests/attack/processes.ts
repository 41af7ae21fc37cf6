import { existsSync, readdirSync, readFileSync } from "node:fs";

/** An environment variable that all processes of a try inherit, to find them again. */
export const MARK = "ATTACK_MARK";

/** The marker of one try. It starts with that of the whole run, so that an aborted run can kill everything it started. */
export function newMark(): string {
  return `${process.env[MARK] ?? "alone"}-${crypto.randomUUID()}`;
}

export interface Found {
  readonly pid: number;
  /** Its arguments. */
  readonly command: string;
}

/** The processes whose marker starts with `mark`. Zombies do not count. */
export function marked(mark: string): Found[] {
  const variable = `${MARK}=${mark}`;
  if (hasProc) return inProc((pid) => readFileSync(`/proc/${pid}/environ`, "latin1").includes(variable));
  // "e" adds the environment to the arguments.
  return byPs("axeww").filter(({ command }) => command.includes(variable));
}

/** The processes with this text in their arguments, which every user of the machine can read. */
export function showing(secret: string): Found[] {
  if (hasProc) return inProc((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(secret));
  return byPs("axww").filter(({ command }) => command.includes(secret));
}

/** Kills every process with this folder in its environment, as its temporary folder for example. */
export function killWithin(folder: string): void {
  const found = hasProc
    ? inProc((pid) => readFileSync(`/proc/${pid}/environ`, "latin1").includes(folder))
    : byPs("axeww").filter(({ command }) => command.includes(folder));
  for (const { pid } of found) kill(pid);
}

const hasProc = existsSync("/proc/self/environ");

/** Much faster than ps, but Linux only. */
function inProc(isWanted: (pid: number) => boolean): Found[] {
  const found: Found[] = [];
  for (const pid of readdirSync("/proc").map(Number)) {
    if (!(pid > 0) || pid === process.pid) continue;
    try {
      if (!isWanted(pid)) continue;
      found.push({ pid, command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") });
    } catch {
      // The process has ended.
    }
  }
  return found;
}

function byPs(options: string): Found[] {
  const lines = Bun.spawnSync(["ps", options, "-o", "pid=,command="]).stdout.toString().split("\n");
  return lines
    .map((line) => ({ pid: Number.parseInt(line, 10), command: line.trim() }))
    .filter(({ pid }) => pid > 0 && pid !== process.pid);
}

/** Waits until all processes of a try have ended. Kills and returns those that have not. */
export async function strays(mark: string, patienceMs: number): Promise<string[]> {
  const endsAt = performance.now() + patienceMs;
  let left = marked(mark);
  while (left.length > 0 && performance.now() < endsAt) {
    await Bun.sleep(50);
    left = marked(mark);
  }
  await killMarked(mark);
  return left.map(({ command }) => `a process is still running: ${command.slice(0, 200)}`);
}

/** Kills all processes of a try. */
export async function killMarked(mark: string): Promise<void> {
  for (let left = marked(mark); left.length > 0; left = marked(mark)) {
    for (const { pid } of left) kill(pid);
    await Bun.sleep(10);
  }
}

export function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has already ended.
  }
}
