import { newPlace, type Place, type Result, type RunOptions } from "../harness.ts";
import { killMarked, MARK, newMark } from "./processes.ts";

/** A place whose processes have a marker and a time limit, and are killed when the scene ends. */
export interface Scene extends AsyncDisposable {
  readonly place: Place;
  readonly mark: string;
  start(args: readonly string[], options?: RunOptions): Bun.Subprocess<Blob, "pipe", "pipe">;
  run(args: readonly string[], options?: RunOptions): Promise<BoundedResult>;
}

export interface BoundedResult extends Result {
  /** Whether it was killed at the time limit. */
  readonly isHung: boolean;
  readonly ms: number;
  /** stdout and stderr together. */
  readonly said: string;
}

/** Much more than the real Claude Code needs on a busy machine. */
const PATIENCE_MS = 60_000;

export async function newScene(patienceMs = PATIENCE_MS, parent?: string): Promise<Scene> {
  const place = await newPlace(parent);
  const mark = newMark();
  const start = (args: readonly string[], options: RunOptions = {}) =>
    place.start(args, { ...options, env: { ...options.env, [MARK]: mark } });
  return {
    place,
    mark,
    start,
    run: (args, options) => bounded(start(args, options), mark, patienceMs),
    async [Symbol.asyncDispose]() {
      await killMarked(mark);
      await place[Symbol.asyncDispose]();
    },
  };
}

async function bounded(
  child: Bun.Subprocess<Blob, "pipe", "pipe">,
  mark: string,
  patienceMs: number,
): Promise<BoundedResult> {
  const started = performance.now();
  let killing: Promise<void> | undefined;
  const timer = setTimeout(() => {
    killing = killMarked(mark);
  }, patienceMs);
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  clearTimeout(timer);
  await killing;
  const { exitCode, signalCode: signal, pid } = child;
  const ms = performance.now() - started;
  return { exitCode, signal, stdout, stderr, pid, isHung: killing !== undefined, ms, said: stdout + stderr };
}

/** What ccc must never do, whatever the input: hang, crash, or report an internal error. */
export function misbehavior({ isHung, signal, said, ms }: BoundedResult): string[] {
  if (isHung) return [`it did not end within ${Math.round(ms / 1000)} seconds`];
  if (signal !== null) return [`it was ended by ${signal}`];
  const fault = said.match(/.*internal error.*|panic\(.*|.*oh no: Bun has crashed.*/);
  return fault === null ? [] : [fault[0]];
}
