import { closeSync } from "node:fs";
import { CccError, reason } from "../errors.ts";
import { RUN_MARKER } from "../markers.ts";
import { nameBytes } from "./names.ts";
import { type EndSignal, onSignal, type Program, type Watch } from "./process.ts";
import { openRun } from "./processes.ts";
import { lineSplitter } from "./stdio.ts";

/** A program to run as a child process. */
export interface ChildRequest {
  readonly program: Program;
  readonly cwd: string;
  /**
   * Its stdin: a text, which may contain names that are not UTF-8; a stream of texts, whose end ends the program; or a
   * terminal of its own instead of pipes.
   */
  readonly stdin: string | ReadableStream<string> | OwnTerminal;
  /** Undefined: no limit. */
  readonly timeoutMs: number | undefined;
  /** Gets each line of stdout, undefined for a line that is too long. Returns true to end the program. */
  readonly onLine: (line: Uint8Array | undefined) => boolean;
  /** Whether onLine gets stdout byte for byte, in chunks as they arrive. */
  readonly isRaw?: boolean;
  /** Whether it ends soon by itself, so that it needs no watch. */
  readonly isBrief?: boolean;
}

export interface ChildResult {
  readonly exitCode: number | null;
  /** Why it ended: on its own, at the timeout, because onLine returned true or its input ended, or because ccc was asked to end. */
  readonly ending: "exited" | "timeout" | "stopped" | "interrupted";
  /** The end of its stderr. */
  readonly stderr: string;
}

interface OwnTerminal {
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
 * true, when the texts for its stdin end, or when ccc is asked to end. After the program itself has exited, the rest of the
 * group is killed. A second signal to ccc kills at once. Output after the timeout is ignored. If ccc itself is killed, the
 * watch ends the program.
 */
export async function runChild(request: ChildRequest, anyWatch?: Watch): Promise<ChildResult> {
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
  const decoder = new TextDecoder();
  const onStderr = (chunk: Uint8Array) => {
    stderr = (stderr + decoder.decode(chunk, { stream: true })).slice(-STDERR_KEPT);
  };
  const onInputEnd = () => ending.resolve("stopped");
  const watch = request.isBrief ? undefined : anyWatch;
  watch?.prepare();
  const child = start(request, marker, { onStdout: lines.push, onStderr, onInputEnd, isWanted });
  const run = openRun(child.pid, marker, watch);
  let asked = 0;
  let graceMs = GRACE_MS;
  const interrupt = (signal: EndSignal) => {
    if (++asked > 1) run.signal("SIGKILL", false);
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
  if (how !== "exited") {
    run.signal("SIGTERM", isSudden);
    await Promise.race([child.exited, Bun.sleep(graceMs)]);
  }
  // Searches again: new processes may have appeared.
  run.signal("SIGKILL", isSudden);
  run.close();
  const exitCode = await child.exited;
  // A process outside the group may keep the pipes open.
  await Promise.race([child.read, Bun.sleep(GRACE_MS)]);
  lines.end();
  isListening = false;
  clearTimeout(timer);
  stopListening();
  return { exitCode: how === "exited" ? exitCode : null, ending: how, stderr: stderr.trim() };
}

/** Passes on a limited number of texts and characters, then says `leftOut` once and drops the rest unevaluated. */
export function limited(
  say: (text: string) => void,
  most: { readonly texts: number; readonly characters: number },
  leftOut: string,
): (text: string | (() => string)) => void {
  let texts = 0;
  let characters = 0;
  let isFull = false;
  return (next) => {
    if (isFull) return;
    const text = typeof next === "string" ? next : next();
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

/** Writes texts to stdin as they come. Does not wait for the program, which may not read them, or may have ended. */
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
