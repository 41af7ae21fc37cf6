import { closeSync } from "node:fs";
import { CccError, reason } from "../errors.ts";
import { RUN_MARK } from "../marks.ts";
import { lineSplitter } from "../text/lines.ts";
import type { EndSignal, Program } from "../world.ts";
import { processesOfRun } from "./descendants.ts";
import { drain } from "./drain.ts";
import { onSignal } from "./process.ts";

/** A program that ccc runs and listens to. */
export interface ChildRequest {
  readonly program: Program;
  readonly cwd: string;
  /** What it reads, or a terminal of its own instead of pipes. */
  readonly stdin: string | OwnTerminal;
  readonly timeoutMs: number;
  /** Gets each line of stdout, undefined for one that is too long to keep. Returns true to end the program. */
  readonly onLine: (line: Uint8Array | undefined) => boolean;
}

export interface ChildResult {
  readonly exitCode: number | null;
  /** Why it ended: by itself, by the clock, because onLine wanted it, or because ccc itself was asked to end. */
  readonly ending: "exited" | "timeout" | "stopped" | "interrupted";
  /** The last it had to say on stderr. */
  readonly stderr: string;
}

export interface OwnTerminal {
  readonly isTerminal: true;
  /** What it reads from a pipe, with the terminal for all else; undefined to read from the terminal too. */
  readonly input: string | undefined;
}

const LONGEST_LINE = 16_000_000;
const STDERR_KEPT = 4_000;
/** Between asking to end and making an end. */
const GRACE_MS = 2_000;
const SHORT_GRACE_MS = 500;

/**
 * Runs a program in a process group of its own and ends the whole group, first by asking: when time is up, when onLine
 * wants it, when ccc is asked to end; and in any case after the program itself has ended. Asked twice, ccc waits for
 * nothing any more. What it says after its time is not listened to, however much it is.
 */
export async function runChild(request: ChildRequest): Promise<ChildResult> {
  const ending = Promise.withResolvers<ChildResult["ending"]>();
  const endsAt = performance.now() + request.timeoutMs;
  let isHeard = true;
  const isWanted = () => {
    // The timer may come late while there are lines to look at.
    if (performance.now() >= endsAt) ending.resolve("timeout");
    return isHeard && performance.now() < endsAt;
  };
  const lines = lineSplitter(LONGEST_LINE, (line) => {
    if (isWanted() && request.onLine(line)) ending.resolve("stopped");
  });
  let stderr = "";
  const mark = `ccc-${crypto.randomUUID()}`;
  const onStderr = (chunk: Uint8Array) => {
    stderr = (stderr + new TextDecoder().decode(chunk)).slice(-STDERR_KEPT);
  };
  const child = start(request, mark, { onStdout: lines.push, onStderr, isWanted });
  let asked = 0;
  let graceMs = GRACE_MS;
  const interrupt = (signal: EndSignal) => {
    if (++asked > 1) signalGroup(child.pid, "SIGKILL");
    // Whoever sends TERM may soon send KILL, and then nobody is left to clear up.
    if (signal !== "SIGINT") graceMs = SHORT_GRACE_MS;
    ending.resolve("interrupted");
  };
  const stopListening = onSignal(interrupt);
  const timer = setTimeout(() => ending.resolve("timeout"), request.timeoutMs);

  const how = await Promise.race([ending.promise, child.exited.then(() => "exited" as const)]);
  const isSudden = how !== "exited" || (await child.exited) === null;
  // What it started may be in groups of their own. What it left behind on purpose, when it ended by itself, stays.
  const all = () => [child.pid, ...(isSudden ? processesOfRun(mark, child.pid) : [])];
  if (how !== "exited") {
    for (const pid of all()) signalGroup(pid, "SIGTERM");
    await Promise.race([child.exited, Bun.sleep(graceMs)]);
  }
  // Looked for again: some may have come since.
  for (const pid of all()) signalGroup(pid, "SIGKILL");
  const exitCode = await child.exited;
  // A stray process outside the group may hold the pipes open.
  await Promise.race([child.read, Bun.sleep(GRACE_MS)]);
  lines.end();
  isHeard = false;
  clearTimeout(timer);
  stopListening();
  return { exitCode: how === "exited" ? exitCode : null, ending: how, stderr: stderr.trim() };
}

type OnChunk = (chunk: Uint8Array) => void;

interface Listener {
  readonly onStdout: OnChunk;
  readonly onStderr: OnChunk;
  readonly isWanted: () => boolean;
}

interface Started {
  readonly pid: number;
  readonly exited: Promise<number | null>;
  /** When everything that it said has been read. */
  readonly read: Promise<unknown>;
}

function start(request: ChildRequest, mark: string, { onStdout, onStderr, isWanted }: Listener): Started {
  const { file, args, env } = request.program;
  const command = [file, ...args];
  const options = { cwd: request.cwd, env: { ...env, [RUN_MARK]: mark } };
  try {
    const wanted = request.stdin;
    const started = typeof wanted === "string" ? undefined : startOnTerminal(command, options, wanted.input, onStdout);
    if (started !== undefined) return started;
    const stdin = new Blob([(typeof wanted === "string" ? wanted : wanted.input) ?? ""]);
    const child = Bun.spawn(command, { ...options, stdin, stdout: "pipe", stderr: "pipe", detached: true });
    const read = Promise.all([drain(child.stdout, onStdout, isWanted), drain(child.stderr, onStderr, isWanted)]);
    return { pid: child.pid, exited: child.exited.then(() => child.exitCode), read };
  } catch (error) {
    throw new CccError(`cannot run ${file}: ${reason(error)}`);
  }
}

/**
 * The terminal is the program's own session, so its process group is its own too. Both outputs arrive as one. Undefined
 * where no terminal can be had, and pipes have to do.
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

/** Bun gives a terminal for all of stdin, stdout and stderr or for none; a shell puts the pipe in stdin's place. */
const WITH_INPUT = ["/bin/sh", "-c", 'exec "$@" <&3 3<&-', "sh"];

/** A program need not read it. */
async function writeInput(fd: unknown, input: string): Promise<void> {
  if (typeof fd !== "number") return;
  await Bun.write(Bun.file(fd), input).catch(() => {});
  closeSync(fd);
}

interface SpawnOptions {
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
}

/** What a program wrote before it ended may still be on its way through the terminal. */
const LAST_WORDS_MS = 300;

/** Signals a process and the group that it leads, as far as there are any. */
function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, signal);
    } catch {
      // Nobody is left.
    }
  }
}
