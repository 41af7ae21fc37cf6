/** How a step of the rehearsal ended. */
export type Outcome =
  | { readonly result: "passed"; readonly note: string }
  | { readonly result: "failed"; readonly note: string }
  | { readonly result: "not run"; readonly note: string };

export interface Step {
  readonly name: string;
  /** It looks at the files of the release, so that without a build there is nothing to do. */
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
  /** What stays from one rehearsal to the next: downloads, and libraries that take minutes to build. */
  readonly cache: string;
  readonly run: Run;
}

/** Runs a command to its end and returns what it printed to stdout; throws if it fails or takes too long. */
export type Run = (command: readonly string[], options?: RunOptions) => Promise<string>;

export interface RunOptions {
  readonly cwd?: string;
  /** The whole environment; this process's own unless given. */
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  /** What log and errors show of the command, if it is not the command that matters. */
  readonly shown?: string;
}

export function passed(note: string): Outcome {
  return { result: "passed", note };
}

export function notRun(note: string): Outcome {
  return { result: "not run", note };
}
