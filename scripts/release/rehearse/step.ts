import { appendFile } from "node:fs/promises";

/** How a step of the rehearsal ended. */
export type Outcome =
  | { readonly result: "passed"; readonly note: string }
  | { readonly result: "failed"; readonly note: string }
  | { readonly result: "not run"; readonly note: string };

export interface Step {
  readonly name: string;
  /** It looks at the files of the release, so it needs a build. */
  readonly needsRelease: boolean;
  /** A step that throws has failed. */
  run(stage: Stage): Promise<Outcome>;
}

/** What a step works with. */
export interface Stage {
  /** The folder with the release. */
  readonly assets: string;
  /** A temporary folder. */
  readonly scratch: string;
  /** Kept between rehearsals: downloads, and libraries that take minutes to build. */
  readonly cache: string;
  readonly run: Run;
}

/** Runs a command to its end and returns what it printed to stdout; throws if it fails or takes too long. */
export type Run = (command: readonly string[], options?: RunOptions) => Promise<string>;

export interface RunOptions {
  readonly cwd?: string;
  /** The whole environment; by default that of this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** What log and errors show instead of the command. */
  readonly shown?: string;
}

export function passed(note: string): Outcome {
  return { result: "passed", note };
}

export function notRun(note: string): Outcome {
  return { result: "not run", note };
}

const TIMEOUT_MS = 15 * 60_000;

/** Runs commands for one step, and writes each with its output to a log. */
export function runLogged(log: string, root: string): Run {
  return async (command, { cwd = root, env, timeoutMs = TIMEOUT_MS, shown } = {}) => {
    const words = shown ?? command.join(" ");
    await appendFile(log, `$ ${words}\n`);
    const child = Bun.spawn([...command], {
      cwd,
      env: env ?? process.env,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    await appendFile(log, stdout + stderr);
    if (child.exitCode === 0) return stdout;
    const how = child.signalCode === "SIGKILL" ? `killed after ${timeoutMs / 1000} s` : `exit code ${child.exitCode}`;
    const last = (stderr.trim() || stdout.trim()).split("\n").at(-1) ?? "";
    throw new Error(`${words.slice(0, 80)}: ${how}: ${last} (log: ${log})`);
  };
}
