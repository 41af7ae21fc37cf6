import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { WATCH_COMMAND } from "../markers.ts";
import { type Env, isAlive, type Watch } from "./process.ts";
import { lineSplitter } from "./stdio.ts";

/** A program that ccc runs, with all that it has started. */
interface Run {
  readonly program: number;
  /** When the program started; undefined where only a search through all processes would tell. */
  readonly since?: number | undefined;
  /** What its processes inherit in their environment. Without it, only the program itself is ended. */
  readonly marker?: string | undefined;
}

type DeadlySignal = "SIGTERM" | "SIGKILL";

interface OpenRun {
  /** Signals the program and its group; `isWhole`: also what it has started in other groups. */
  readonly signal: (signal: DeadlySignal, isWhole: boolean) => void;
  /** Call this when nothing is left to end. */
  readonly close: () => void;
}

/** Begins the run of a program that has just started. With a watch, it ends when ccc does. */
export function openRun(program: number, marker: string, watch: Watch | undefined): OpenRun {
  const run = seenRun(program, marker);
  const others = new Set<number>();
  return {
    signal: (signal, isWhole) => {
      for (const pid of [program, ...(isWhole ? startedBy(run, others) : [])]) signalGroup(pid, signal);
    },
    close: watch?.begin(program, marker) ?? (() => {}),
  };
}

/**
 * A watch over what ccc runs: a second process, which gets a message for each start and end. The end of its stdin means that
 * ccc is gone. Only another process can clean up after SIGKILL. It starts with the first program that needs it.
 */
export function runWatcher(self: string, env: Env): Watch {
  let tell: ((message: Message) => void) | undefined;
  const prepare = () => {
    tell ??= startWatcher(self, env);
    return tell;
  };
  return {
    prepare,
    begin: (program, marker) => {
      const say = prepare();
      say({ begun: seenRun(program, marker) });
      return () => say({ over: program });
    },
  };
}

/** The watching process itself. */
export async function watchRuns(input: AsyncIterable<Uint8Array>): Promise<void> {
  const runs = new Map<number, Run>();
  const lines = lineSplitter(LONGEST_MESSAGE, (line) => {
    const message = JSON.parse(new TextDecoder().decode(line)) as Message;
    if ("over" in message) runs.delete(message.over);
    else runs.set(message.begun.program, message.begun);
  });
  for await (const chunk of input) lines.push(chunk);
  const left = [...runs.values()];
  const signalAll = (signal: DeadlySignal) => {
    for (const run of left)
      for (const pid of [...(isRunning(run) ? [run.program] : []), ...startedBy(run)]) signalGroup(pid, signal);
  };
  signalAll("SIGTERM");
  const givesUpAt = performance.now() + GRACE_MS;
  while (left.some(isRunning) && performance.now() < givesUpAt) await Bun.sleep(POLL_MS);
  signalAll("SIGKILL");
}

type Message = { readonly begun: Run } | { readonly over: number };

const LONGEST_MESSAGE = 10_000;
/** Between SIGTERM, at which Claude Code ends what it has started, and SIGKILL. */
const GRACE_MS = 2_000;
const POLL_MS = 10;

/**
 * Starts it in a session of its own, so that a signal to ccc's process group does not reach it, and without the marker of
 * a run that ccc itself may belong to. It gets no secrets. ccc works without it, too.
 */
function startWatcher(self: string, { PATH, SystemRoot }: Env): (message: Message) => void {
  const options = { detached: true, stdout: "ignore", stderr: "ignore", env: { PATH, SystemRoot } } as const;
  try {
    const watcher = Bun.spawn([self, WATCH_COMMAND], { ...options, cwd: dirname(self), stdin: "pipe" });
    watcher.unref();
    const write = async (text: string) => {
      watcher.stdin.write(text);
      await watcher.stdin.flush();
    };
    return (message) => void write(`${JSON.stringify(message)}\n`).catch(() => {});
  } catch {
    return () => {};
  }
}

function seenRun(program: number, marker: string | undefined): Run {
  return { program, marker, since: inProc(program)?.start };
}

/** False once the program has ended, even if another process has its id now. */
function isRunning({ program, since }: Run): boolean {
  return since === undefined ? isAlive(program) : inProc(program)?.start === since;
}

/** The processes of a run in other groups than its program's. */
function startedBy({ program, since, marker }: Run, others?: Set<number>): number[] {
  return marker === undefined ? [] : endable(processesOfRun(marker, program, others), { program, since });
}

/** Signals a process and the group that it leads, if they still exist. To the system, 0 and -1 mean every process. */
function signalGroup(pid: number, signal: DeadlySignal): void {
  if (!(pid > 1)) return;
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
    } catch {
      // Already gone.
    }
  }
}

/**
 * The processes of a run, in any process group: found by the marker they inherited, or else by their parents. `others`
 * collects processes known not to belong to the run: a machine may have hundreds. Exported so that tests can see what
 * would be ended without ending it.
 */
export function processesOfRun(marker: string, pid: number, others: Set<number> = new Set()): number[] {
  if (process.platform === "win32") return descendants(pid);
  try {
    if (others.size === 0) for (const thread of kernelThreads()) others.add(thread);
    const unknown: number[] = [];
    for (const each of readdirSync("/proc").map(Number))
      if (each > 0 && each !== pid && each !== process.pid && !others.has(each)) unknown.push(each);
    return marked(unknown, (each) => {
      const isMarked = hasMarker(each, marker, pid);
      if (isMarked === false) others.add(each);
      return isMarked;
    });
  } catch {
    return descendants(pid);
  }
}

/** A process. `start` is larger for later ones, in a unit of the system. */
export interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  readonly start: number;
}

/**
 * The processes among those found that a run may end: none older than the run, and neither ccc (`own`) nor its ancestors.
 * `since` is when the run's program started; if unknown, it is looked up, and if the program is gone, the start of ccc
 * counts.
 */
export function endable(
  found: readonly number[],
  { program, since }: { readonly program: number; readonly since: number | undefined },
  look: (pid: number) => SeenProcess | undefined = processLook(),
  own: number = process.pid,
): number[] {
  const begin = since ?? look(program)?.start ?? look(own)?.start ?? Number.POSITIVE_INFINITY;
  const lineage = new Set<number>();
  for (let pid: number | undefined = own; pid !== undefined && !lineage.has(pid); pid = look(pid)?.parent)
    lineage.add(pid);
  return found.filter((pid) => pid > 1 && !lineage.has(pid) && (look(pid)?.start ?? Number.NEGATIVE_INFINITY) >= begin);
}

function processLook(): (pid: number) => SeenProcess | undefined {
  if (inProc(process.pid) !== undefined) return inProc;
  const table = new Map(processTable().map((each) => [each.pid, each]));
  return (pid) => table.get(pid);
}

function inProc(pid: number): SeenProcess | undefined {
  const fields = statFields(process.platform === "win32" ? "" : read(pid, "stat"));
  const [parent, start] = [Number(fields[PARENT_FIELD]), Number(fields[START_FIELD])];
  return Number.isNaN(start) ? undefined : { pid, parent, start };
}

/** The fields after a process's name, which is in parentheses and may contain anything. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

const STATE_FIELD = 0;
const PARENT_FIELD = 1;
const SESSION_FIELD = 3;
const FLAGS_FIELD = 6;
const START_FIELD = 19;

/** The kernel's threads, which often outnumber all processes. In a container there are none. */
function kernelThreads(): number[] {
  const isKernels = (Number(statFields(read(KTHREADD, "stat"))[FLAGS_FIELD]) & PF_KTHREAD) !== 0;
  return isKernels ? read(KTHREADD, `task/${KTHREADD}/children`).split(" ").map(Number) : [];
}

/** The parent of the kernel's other threads. */
const KTHREADD = 2;
const PF_KTHREAD = 0x200000;

/** The processes that have the marker. Unclear ones are checked again for a short time. */
function marked(pids: readonly number[], hasIt: (pid: number) => boolean | undefined): number[] {
  const found: number[] = [];
  let unclear = pids;
  for (let tries = 0; tries < MOST_TRIES && unclear.length > 0; tries++) {
    if (tries > 0) Bun.sleepSync(1);
    const again: number[] = [];
    for (const pid of unclear) {
      const is = hasIt(pid);
      if (is) found.push(pid);
      else if (is === undefined) again.push(pid);
    }
    unclear = again;
  }
  return found;
}

const MOST_TRIES = 50;

/** Undefined if the process may be between two programs: Linux then shows no environment. */
function hasMarker(pid: number, marker: string, session: number): boolean | undefined {
  const environment = read(pid, "environ");
  if (environment !== "") return environment.includes(marker);
  return isOfSession(session, read(pid, "stat")) ? undefined : false;
}

/** Whether a process belongs to a session and has not ended. */
function isOfSession(session: number, stat: string): boolean {
  const fields = statFields(stat);
  return fields[STATE_FIELD] !== "Z" && fields[SESSION_FIELD] === String(session);
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
    const children = table.filter(({ parent }) => parents.includes(parent)).map((each) => each.pid);
    found.push(...children);
    parents = children;
  }
  return found;
}

function processTable(): SeenProcess[] {
  try {
    if (process.platform === "win32") return windowsProcesses();
    const { stdout } = Bun.spawnSync(["ps", "-A", "-o", "pid=,ppid=,etime="], { stderr: "ignore" });
    return stdout
      .toString()
      .trim()
      .split("\n")
      .map((line) => {
        const [pid, parent, age = ""] = line.trim().split(/\s+/);
        return { pid: Number(pid), parent: Number(parent), start: -secondsIn(age) };
      });
  } catch {
    return [];
  }
}

/** The seconds in "05:09", "23:05:09" or "2-23:05:09". */
function secondsIn(age: string): number {
  const [seconds = 0, minutes = 0, hours = 0, days = 0] = age.split(/[-:]/).map(Number).reverse();
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

/**
 * Each process on Windows with its parent's id, from the system itself: programs that list them are slow or missing.
 * Windows reuses ids and does not correct them in children, so a parent must be older than its child.
 */
function windowsProcesses(): SeenProcess[] {
  const { symbols: kernel, close } = openKernel();
  const ages = new Map<number, bigint>();
  const startOf = (pid: number) => {
    const known = ages.get(pid) ?? processStart(kernel, pid);
    ages.set(pid, known);
    return known;
  };
  // A parent that is gone was a program of this ccc, or does not matter.
  const own = startOf(process.pid);
  const all = listProcesses(kernel).filter(([pid, parent]) => startOf(pid) >= (startOf(parent) || own));
  const seen = all.map(([pid, parent]) => ({ pid, parent, start: Number(startOf(pid)) }));
  close();
  return seen;
}

/** Loaded here: hooks run programs, too, and only Windows needs this. */
function ffi() {
  return require("bun:ffi") as typeof import("bun:ffi");
}

function openKernel() {
  return ffi().dlopen("kernel32.dll", {
    CreateToolhelp32Snapshot: { args: ["u32", "u32"], returns: "ptr" },
    Process32FirstW: { args: ["ptr", "ptr"], returns: "i32" },
    Process32NextW: { args: ["ptr", "ptr"], returns: "i32" },
    OpenProcess: { args: ["u32", "i32", "u32"], returns: "ptr" },
    GetProcessTimes: { args: ["ptr", "ptr", "ptr", "ptr", "ptr"], returns: "i32" },
    CloseHandle: { args: ["ptr"], returns: "i32" },
  });
}

type Kernel = ReturnType<typeof openKernel>["symbols"];

function listProcesses(kernel: Kernel): [number, number][] {
  const found: [number, number][] = [];
  const snapshot = kernel.CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  const entry = new DataView(new ArrayBuffer(ENTRY_SIZE));
  entry.setUint32(0, ENTRY_SIZE, true);
  const address = ffi().ptr(entry);
  for (let more = kernel.Process32FirstW(snapshot, address); more !== 0; ) {
    found.push([entry.getUint32(PID_AT, true), entry.getUint32(PARENT_AT, true)]);
    more = kernel.Process32NextW(snapshot, address);
  }
  kernel.CloseHandle(snapshot);
  return found;
}

/** When a process started, in Windows' own units; 0 if it is gone, or another user owns it. */
function processStart(kernel: Kernel, pid: number): bigint {
  const handle = kernel.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
  if (!handle) return 0n;
  const times = new BigUint64Array(4);
  const [created, exited, inKernel, inProgram] = [0, 8, 16, 24].map((offset) => ffi().ptr(times, offset));
  kernel.GetProcessTimes(handle, created ?? null, exited ?? null, inKernel ?? null, inProgram ?? null);
  kernel.CloseHandle(handle);
  return times[0] ?? 0n;
}

const TH32CS_SNAPPROCESS = 2;
const PROCESS_QUERY_LIMITED_INFORMATION = 0x1000;

/** The layout of PROCESSENTRY32W in 64-bit programs. */
const ENTRY_SIZE = 568;
const PID_AT = 8;
const PARENT_AT = 32;
