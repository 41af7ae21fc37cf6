import { CccError, EXIT, errno, reason } from "../errors.ts";

export type Env = Readonly<Record<string, string | undefined>>;

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Env;
}

export interface ProgramEnd {
  /** 128 and the number of the signal, if one ended it. */
  readonly exitCode: number;
  readonly signal: string | null;
  /** Whether the user pressed Ctrl-C meanwhile. */
  readonly isInterrupted: boolean;
}

/** The signals that ask ccc to end. */
export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Replaces ccc with a program: by execve on Linux and macOS, by waiting for a child on Windows. */
export async function exec(program: Program): Promise<number> {
  if (process.platform === "win32") return (await handOver(program)).exitCode;
  const { file, args, env } = program;
  try {
    // Bun queues a warning that execve is experimental. Nobody would see it, but creating the queue takes longer than
    // everything ccc does.
    process.nextTick = () => {};
    return process.execve?.(file, [file, ...args], { ...env } as NodeJS.ProcessEnv) ?? EXIT.cannotRun;
  } catch (error) {
    throw cannotRun(file, error);
  }
}

/** Ends what ccc runs if ccc is killed. */
export interface Watch {
  /** Call this before a program starts, so that it is never without a watch. */
  readonly prepare: () => void;
  /**
   * Returns a function to call when the program has ended. With the marker of a run, everything that the program has started
   * is ended with it.
   */
  readonly begin: (program: number, marker?: string) => () => void;
}

/**
 * Runs a program on ccc's own stdin, stdout and stderr, in its process group, and waits for its end. Ends it once `cancelled`
 * resolves.
 */
export async function handOver(
  { file, args, env }: Program,
  cancelled?: Promise<unknown>,
  watch?: Watch,
): Promise<ProgramEnd> {
  let child: Bun.Subprocess | undefined;
  let endWatch: (() => void) | undefined;
  let isInterrupted = false;
  // Before the start: a signal that arrives meanwhile must not end ccc alone.
  const stopListening = onSignal((signal) => {
    if (signal === "SIGINT") isInterrupted = true;
    if (signal !== "SIGINT" || !isAtTerminal()) child?.kill(signal);
  });
  try {
    watch?.prepare();
    child = Bun.spawn([file, ...args], { env: { ...env }, stdio: ["inherit", "inherit", "inherit"] });
    endWatch = watch?.begin(child.pid);
    void cancelled?.then(() => child?.kill("SIGTERM"));
    return { exitCode: await child.exited, signal: signalName(child), isInterrupted };
  } catch (error) {
    throw cannotRun(file, error);
  } finally {
    stopListening();
    endWatch?.();
  }
}

/** Whether a process with this id is running, of any user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errno(error) !== "ESRCH";
  }
}

/**
 * Calls `handler` on these signals, which then no longer end ccc. Returns a function that stops listening. Under nohup,
 * SIGHUP stays ignored.
 */
export function onSignal(handler: (signal: EndSignal) => void): () => void {
  const signals = isHangUpIgnored() ? END_SIGNALS.filter((signal) => signal !== "SIGHUP") : END_SIGNALS;
  for (const signal of signals) process.on(signal, handler);
  return () => {
    for (const signal of signals) process.off(signal, handler);
  };
}

/** Whether ccc was started with SIGHUP ignored, as nohup does it. A listener would undo that. */
function isHangUpIgnored(): boolean {
  if (process.platform === "win32" || process.listenerCount("SIGHUP") > 0) return false;
  if (process.platform === "darwin") return isHangUpIgnoredBy("libSystem.B.dylib");
  const [, mask = ""] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(processStatus()) ?? [];
  return (Number.parseInt(mask.slice(-1) || "0", 16) & SIGHUP) === SIGHUP;
}

/** The same where there is no /proc: only setting a signal's action reveals the one before. */
function isHangUpIgnoredBy(library: string): boolean {
  const { dlopen } = require("bun:ffi") as typeof import("bun:ffi");
  const { symbols } = dlopen(library, { signal: { args: ["i32", "ptr"], returns: "ptr" } });
  const before = symbols.signal(SIGHUP, IGNORE);
  symbols.signal(SIGHUP, before);
  return Number(before) === IGNORE;
}

const SIGHUP = 1;
const IGNORE = 1 as import("bun:ffi").Pointer;

function processStatus(): string {
  try {
    return (require("node:fs") as typeof import("node:fs")).readFileSync("/proc/self/status", "utf8");
  } catch {
    return "";
  }
}

/** Waits this long, or until `other` settles. */
export async function pause(seconds: number, other?: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, seconds * 1000);
  await (other === undefined ? over.promise : Promise.race([over.promise, other]));
  clearTimeout(timer);
}

const END_SIGNALS: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

function signalName({ signalCode }: Bun.Subprocess): string | null {
  return signalCode === null ? null : String(signalCode);
}

/** Whether the terminal sends Ctrl-C to the child, too. On Windows the console always does. */
function isAtTerminal(): boolean {
  return process.platform === "win32" || [0, 1, 2].some(require("node:tty").isatty);
}

function cannotRun(file: string, error: unknown): CccError {
  if (errno(error) === "ERR_INVALID_ARG_VALUE" && file.endsWith(".cmd")) return unsafeForCmd(file);
  return new CccError(`cannot run ${file}: ${reason(error)}`, { exitCode: EXIT.cannotRun });
}

/** Bun refuses arguments for a .cmd file that cmd.exe would interpret. */
function unsafeForCmd(file: string): CccError {
  return new CccError(`cannot run ${file} with these arguments: cmd.exe would change them`, {
    exitCode: EXIT.cannotRun,
    advice: "Set CCC_CLAUDE to the path of claude.exe.",
  });
}
