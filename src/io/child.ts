import type { Program } from "../world.ts";
import { CccError, reason } from "./errors.ts";
import { lineSplitter } from "./lines.ts";

/** A program that ccc runs and listens to. */
export interface ChildRequest {
  readonly program: Program;
  readonly cwd: string;
  readonly stdin: string;
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

const LONGEST_LINE = 16_000_000;
const STDERR_KEPT = 4_000;
/** Between asking to end and making an end. */
const GRACE_MS = 2_000;

/**
 * Runs a program in a process group of its own and ends the whole group, first by asking: when time is up, when onLine
 * wants it, when ccc is asked to end; and in any case after the program itself has ended.
 */
export async function runChild(request: ChildRequest): Promise<ChildResult> {
  const child = start(request);
  const ending = Promise.withResolvers<ChildResult["ending"]>();
  const lines = lineSplitter(LONGEST_LINE, (line) => {
    if (request.onLine(line)) ending.resolve("stopped");
  });
  const interrupt = () => ending.resolve("interrupted");
  for (const signal of END_SIGNALS) process.on(signal, interrupt);
  const timer = setTimeout(() => ending.resolve("timeout"), request.timeoutMs);
  let stderr = "";
  const reading = Promise.all([
    each(child.stdout, (chunk) => lines.push(chunk)),
    each(child.stderr, (chunk) => {
      stderr = (stderr + new TextDecoder().decode(chunk)).slice(-STDERR_KEPT);
    }),
  ]);

  const how = await Promise.race([ending.promise, child.exited.then(() => "exited" as const)]);
  if (how !== "exited") {
    signalGroup(child.pid, "SIGTERM");
    await Promise.race([child.exited, Bun.sleep(GRACE_MS)]);
  }
  signalGroup(child.pid, "SIGKILL");
  await child.exited;
  // A stray process outside the group may hold the pipes open.
  await Promise.race([reading, Bun.sleep(GRACE_MS)]);
  lines.end();
  clearTimeout(timer);
  for (const signal of END_SIGNALS) process.off(signal, interrupt);
  return { exitCode: child.exitCode, ending: how, stderr: stderr.trim() };
}

const END_SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

function start({ program: { file, args, env }, cwd, stdin }: ChildRequest) {
  try {
    return Bun.spawn([file, ...args], {
      cwd,
      env: { ...env },
      stdin: new Blob([stdin]),
      stdout: "pipe",
      stderr: "pipe",
      detached: true,
    });
  } catch (error) {
    throw new CccError(`cannot run ${file}: ${reason(error)}`);
  }
}

async function each(stream: ReadableStream<Uint8Array>, onChunk: (chunk: Uint8Array) => void): Promise<void> {
  for await (const chunk of stream) onChunk(chunk);
}

function signalGroup(pid: number, signal: "SIGTERM" | "SIGKILL"): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left.
  }
}
