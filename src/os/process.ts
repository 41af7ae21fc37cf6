import { errno } from "../errors.ts";

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

/** Whether a process with this id is running, whoever owns it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errno(error) !== "ESRCH";
  }
}

const END_SIGNALS: readonly EndSignal[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Calls `handler` on these signals, which then no longer end ccc. Returns a function that stops listening. */
export function onSignal(handler: (signal: EndSignal) => void): () => void {
  for (const signal of END_SIGNALS) process.on(signal, handler);
  return () => {
    for (const signal of END_SIGNALS) process.off(signal, handler);
  };
}

/** Waits, at most until something else has happened. */
export async function pause(seconds: number, other?: Promise<unknown>): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, seconds * 1000);
  await (other === undefined ? over.promise : Promise.race([over.promise, other]));
  clearTimeout(timer);
}

/**
 * The environment with the names that ccc looks for in capitals. To Windows, Path and PATH, or Anthropic_Api_Key and
 * ANTHROPIC_API_KEY, are the same variable.
 */
export function windowsEnvironment(env: Env): Env {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [KNOWN.test(name) ? name.toUpperCase() : name, value]),
  );
}

const KNOWN = /^(PATH|HOME|USERPROFILE|.*_PROXY|_?(ANTHROPIC|AWS|BUN|CCC|CLAUDE|GIT|NODE)_.*)$/i;
