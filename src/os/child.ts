import { closeSync, readdirSync, readFileSync } from "node:fs";
import { CccError, reason } from "../errors.ts";
import { RUN_MARKER } from "../markers.ts";
import { nameBytes } from "./files.ts";
import { type EndSignal, onSignal, type Program } from "./process.ts";
import { lineSplitter } from "./stdio.ts";

/** A program to run as a child process. */
export interface ChildRequest {
  readonly program: Program;
  readonly cwd: string;
  /**
   * The text on its stdin, which may contain names that are not UTF-8; texts as they come, whose end ends the program; or a
   * terminal of its own instead of pipes.
   */
  readonly stdin: string | ReadableStream<string> | OwnTerminal;
  /** Undefined: it may take as long as it wants. */
  readonly timeoutMs: number | undefined;
  /** Gets each line of stdout, undefined for a line that is too long. Returns true to end the program. */
  readonly onLine: (line: Uint8Array | undefined) => boolean;
  /** Whether onLine gets stdout byte for byte, in chunks as they arrive. */
  readonly isRaw?: boolean;
}

export interface ChildResult {
  readonly exitCode: number | null;
  /** Why it ended: on its own, at the timeout, because onLine returned true or its input ended, or because ccc was asked to end. */
  readonly ending: "exited" | "timeout" | "stopped" | "interrupted";
  /** The end of its stderr. */
  readonly stderr: string;
}

export interface OwnTerminal {
  readonly isTerminal: true;
  /** The text on its stdin, which is then a pipe; undefined if stdin is the terminal too. */
  readonly input: string | undefined;
}

const LONGEST_LINE = 16_000_000;
const STDERR_KEPT = 4_000;
/** Between SIGTERM and SIGKILL. */
const GRACE_MS = 2_000;
const SHORT_GRACE_MS = 500;

/**
 * Runs a program in its own process group. The whole group gets SIGTERM, then SIGKILL, at the timeout, when onLine returns
 * true, when texts for its stdin end, or when ccc is asked to end. After the program itself has exited, the rest of the group is killed. A second signal
 * to ccc kills at once. Output after the timeout is ignored.
 */
export async function runChild(request: ChildRequest): Promise<ChildResult> {
  const ending = Promise.withResolvers<ChildResult["ending"]>();
  const endsAt = performance.now() + (request.timeoutMs ?? Number.POSITIVE_INFINITY);
  let isListening = true;
  const isWanted = () => {
    const isLate = performance.now() >= endsAt;
    // The timer may fire late while output keeps coming.
    if (isLate) ending.resolve("timeout");
    return isListening && !isLate;
  };
  const take = (line: Uint8Array | undefined) => {
    if (isWanted() && request.onLine(line)) ending.resolve("stopped");
  };
  const lines = request.isRaw ? { push: take, end: () => {} } : lineSplitter(LONGEST_LINE, take);
  let stderr = "";
  const marker = `ccc-${crypto.randomUUID()}`;
  const onStderr = (chunk: Uint8Array) => {
    stderr = (stderr + new TextDecoder().decode(chunk)).slice(-STDERR_KEPT);
  };
  const onInputEnd = () => ending.resolve("stopped");
  const child = start(request, marker, { onStdout: lines.push, onStderr, onInputEnd, isWanted });
  const run = { program: child.pid, since: inProc(child.pid)?.start };
  let asked = 0;
  let graceMs = GRACE_MS;
  const interrupt = (signal: EndSignal) => {
    if (++asked > 1) signalGroup(child.pid, "SIGKILL");
    // Whoever sends SIGTERM may soon send SIGKILL, and then nothing cleans up.
    if (signal !== "SIGINT") graceMs = SHORT_GRACE_MS;
    ending.resolve("interrupted");
  };
  const stopListening = onSignal(interrupt);
  const timer =
    request.timeoutMs === undefined ? undefined : setTimeout(() => ending.resolve("timeout"), request.timeoutMs);

  const how = await Promise.race([ending.promise, child.exited.then(() => "exited" as const)]);
  const isSudden = how !== "exited" || (await child.exited) === null;
  // Its children may have process groups of their own. What it leaves running when it exits normally is left alone.
  const others = new Set<number>();
  const all = () => [child.pid, ...(isSudden ? endable(processesOfRun(marker, child.pid, others), run) : [])];
  if (how !== "exited") {
    for (const pid of all()) signalGroup(pid, "SIGTERM");
    await Promise.race([child.exited, Bun.sleep(graceMs)]);
  }
  // Searched again: new processes may have appeared.
  for (const pid of all()) signalGroup(pid, "SIGKILL");
  const exitCode = await child.exited;
  // A process outside the group may keep the pipes open.
  await Promise.race([child.read, Bun.sleep(GRACE_MS)]);
  lines.end();
  isListening = false;
  clearTimeout(timer);
  stopListening();
  return { exitCode: how === "exited" ? exitCode : null, ending: how, stderr: stderr.trim() };
}

/** Passes on a limited number of texts and characters, then says `leftOut` once and drops the rest, which is never made. */
export function limited(
  say: (text: string) => void,
  most: { readonly texts: number; readonly characters: number },
  leftOut: string,
): (text: string | (() => string)) => void {
  let texts = 0;
  let characters = 0;
  let isFull = false;
  return (given) => {
    if (isFull) return;
    const text = typeof given === "string" ? given : given();
    texts++;
    characters += text.length;
    isFull = texts > most.texts || characters > most.characters;
    say(isFull ? leftOut : text);
  };
}

type OnChunk = (chunk: Uint8Array) => void;

interface Listener {
  readonly onStdout: OnChunk;
  readonly onStderr: OnChunk;
  readonly onInputEnd: () => void;
  readonly isWanted: () => boolean;
}

interface Started {
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** Resolves when all output has been read. */
  readonly read: Promise<unknown>;
}

function start(request: ChildRequest, marker: string, listener: Listener): Started {
  const { onStdout, onStderr, onInputEnd, isWanted } = listener;
  const { file, args, env } = request.program;
  const command = [file, ...args];
  const options = { cwd: request.cwd, env: { ...env, [RUN_MARKER]: marker } };
  try {
    const wanted = request.stdin;
    const onPipes = { ...options, stdout: "pipe", stderr: "pipe", detached: true } as const;
    const piped = (child: Bun.Subprocess<Bun.SpawnOptions.Writable, "pipe", "pipe">) => {
      const read = Promise.all([drain(child.stdout, onStdout, isWanted), drain(child.stderr, onStderr, isWanted)]);
      return { pid: child.pid, exited: child.exited.then(() => child.exitCode), read };
    };
    if (wanted instanceof ReadableStream) {
      const child = Bun.spawn(command, { ...onPipes, stdin: "pipe" });
      void feed(child.stdin, wanted).then(onInputEnd);
      return piped(child);
    }
    const started = typeof wanted === "string" ? undefined : startOnTerminal(command, options, wanted.input, onStdout);
    if (started !== undefined) return started;
    const text = (typeof wanted === "string" ? wanted : wanted.input) ?? "";
    return piped(Bun.spawn(command, { ...onPipes, stdin: new Blob([nameBytes(text) ?? text]) }));
  } catch (error) {
    throw new CccError(`cannot run ${file}: ${reason(error)}`);
  }
}

/** Passes texts on as they come, until they end. A program need not read them, and may have ended: it is not waited for. */
async function feed(stdin: Bun.FileSink, texts: ReadableStream<string>): Promise<void> {
  const attempt = async (action: () => unknown) => action();
  for await (const text of texts) {
    attempt(() => stdin.write(text)).catch(() => {});
    attempt(() => stdin.flush()).catch(() => {});
  }
  attempt(() => stdin.end()).catch(() => {});
}

/**
 * A new terminal starts a new session, and with it a new process group. stdout and stderr arrive as one stream. Undefined
 * if no terminal is available; then pipes are used.
 */
function startOnTerminal(
  command: string[],
  options: SpawnOptions,
  input: string | undefined,
  onChunk: OnChunk,
): Started | undefined {
  const closed = Promise.withResolvers<void>();
  const terminal = {
    cols: 200,
    rows: 50,
    data: (_: unknown, chunk: Uint8Array) => onChunk(chunk),
    exit: () => closed.resolve(),
  };
  try {
    const child =
      input === undefined
        ? Bun.spawn(command, { ...options, terminal })
        : Bun.spawn([...WITH_INPUT, ...command], { ...options, terminal, stdio: [null, null, null, "pipe"] });
    if (input !== undefined) void writeInput(child.stdio[3], input);
    const exited = child.exited.then(() => child.exitCode);
    return {
      pid: child.pid,
      exited,
      read: exited.then(() => Promise.race([closed.promise, Bun.sleep(LAST_WORDS_MS)])),
    };
  } catch {
    return undefined;
  }
}

/** Bun attaches a terminal to stdin, stdout and stderr or to none of them; a shell replaces stdin with the pipe. */
const WITH_INPUT = ["/bin/sh", "-c", 'exec "$@" <&3 3<&-', "sh"];

/** Fails silently: a program need not read its input. */
async function writeInput(fd: unknown, input: string): Promise<void> {
  if (typeof fd !== "number") return;
  await Bun.write(Bun.file(fd), input).catch(() => {});
  closeSync(fd);
}

interface SpawnOptions {
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
}

/** The terminal may deliver the last output after the program has exited. */
const LAST_WORDS_MS = 300;

/** Signals a process and the group that it leads, if they still exist. To the system, 0 and -1 mean every process. */
function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
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
 * The processes of a run, in any process group: found by the marker they inherited, or else by their parents. `others` are
 * known not to be of the run, and get more: a machine may have hundreds of them. Exported so that tests can look at what would
 * be ended without ending it.
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

/** A process. When it started is a number that is larger for later ones, in a unit of the system. */
export interface SeenProcess {
  readonly pid: number;
  readonly parent: number;
  readonly start: number;
}

/**
 * Those of the processes found that a run may end, however they were found: none that is older than the run, and neither
 * `own`, which is ccc, nor a process that it descends from. `since` is when the run's program started; if that is not known,
 * it is looked up, and for a program that is gone the start of ccc counts.
 */
export function endable(
  found: readonly number[],
  { program, since }: { readonly program: number; readonly since: number | undefined },
  look: (pid: number) => SeenProcess | undefined = processLook(),
  own: number = process.pid,
): number[] {
  const begin = since ?? look(program)?.start ?? look(own)?.start ?? Number.POSITIVE_INFINITY;
  const line = new Set<number>();
  for (let pid: number | undefined = own; pid !== undefined && !line.has(pid); pid = look(pid)?.parent) line.add(pid);
  return found.filter((pid) => pid > 1 && !line.has(pid) && (look(pid)?.start ?? Number.NEGATIVE_INFINITY) >= begin);
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

/** What follows the name of a process, which comes first, in parentheses, and may contain anything. */
function statFields(stat: string): string[] {
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

const STATE_FIELD = 0;
const PARENT_FIELD = 1;
const SESSION_FIELD = 3;
const FLAGS_FIELD = 6;
const START_FIELD = 19;

/** The threads of the kernel, which are often more than all processes. In a container there are none. */
function kernelThreads(): number[] {
  const isKernels = (Number(statFields(read(KTHREADD, "stat"))[FLAGS_FIELD]) & PF_KTHREAD) !== 0;
  return isKernels ? read(KTHREADD, `task/${KTHREADD}/children`).split(" ").map(Number) : [];
}

/** The parent of the others. */
const KTHREADD = 2;
const PF_KTHREAD = 0x200000;

/** Those that have the marker. What is not known yet is looked at again, for a short time. */
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

/** Whether a process is one of a session, and has not ended. */
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
 * Passes on the chunks of a stream until it ends or `isWanted` returns false. Yields to the event loop now and then: a
 * stream that never pauses would starve all timers.
 */
export async function drain(
  stream: ReadableStream<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
  isWanted: () => boolean,
): Promise<void> {
  let yieldedAt = performance.now();
  for await (const chunk of stream) {
    if (!isWanted()) return;
    onChunk(chunk);
    if (performance.now() - yieldedAt < YIELD_AFTER_MS) continue;
    await new Promise(setImmediate);
    yieldedAt = performance.now();
  }
}

const YIELD_AFTER_MS = 50;

/**
 * Each process on Windows with its parent's id, from the system itself: programs that list them are slow or missing. Windows
 * uses ids again and does not correct them in children, so a parent must be older than its child.
 */
function windowsProcesses(): SeenProcess[] {
  const { symbols: kernel, close } = openKernel();
  const ages = new Map<number, bigint>();
  const startOf = (pid: number) => {
    const known = ages.get(pid) ?? processStart(kernel, pid);
    ages.set(pid, known);
    return known;
  };
  // A parent that is gone was a program of this ccc, or is not of interest.
  const own = startOf(process.pid);
  const all = listProcesses(kernel).filter(([pid, parent]) => startOf(pid) >= (startOf(parent) || own));
  const seen = all.map(([pid, parent]) => ({ pid, parent, start: Number(startOf(pid)) }));
  close();
  return seen;
}

/** Required when needed: hooks run programs, too, and only Windows needs this. */
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
