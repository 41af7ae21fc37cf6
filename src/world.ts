import type { Build } from "./build-info.ts";
import { CccError } from "./errors.ts";
import type { ChildRequest, ChildResult } from "./os/child.ts";
import type { Files, Scratch } from "./os/files.ts";
import { isAbsolute } from "./os/path.ts";
import type { EndSignal, Env, Program, ProgramEnd } from "./os/process.ts";
import type { Keychain, Row } from "./os/stores.ts";
import type { Ask } from "./terminal/dialog.ts";
import type { Keyboard, KeyboardListener, Typing } from "./terminal/input.ts";

export type { EndSignal, Env, Program, ProgramEnd } from "./os/process.ts";

/** Everything that ccc may touch outside its own memory. Each way to start ccc builds it once and passes it down. */
export interface World {
  readonly argv: readonly string[];
  readonly env: Env;
  /** A copy of all variables, for a program that inherits them. */
  readonly inherited: () => Record<string, string | undefined>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly version: string;
  readonly build: () => Build;
  /** Path of the running ccc binary. */
  readonly self: string;
  /** The name it was started by: "ccc", or the name of a link to it. */
  readonly name: string;
  readonly files: Files;
  /** Queries another program's SQLite file without changing it. */
  readonly queryDatabase: (path: string, query: string) => readonly Row[];
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Replaces ccc with a program. Returns only on platforms without execve. */
  readonly exec: (program: Program) => Promise<number>;
  /** Runs a program on ccc's own stdin, stdout and stderr until it exits. Terminates it once `cancelled` resolves. */
  readonly handOver: (program: Program, cancelled?: Promise<unknown>) => Promise<ProgramEnd>;
  /** Runs a program as a child process and reads its output. */
  readonly run: (request: ChildRequest) => Promise<ChildResult>;
  /** All of stdin, or undefined if it is longer than `longest` bytes. */
  readonly stdin: (longest: number) => string | undefined;
  /** The process at the other end of stdin; undefined if stdin is not a socket, null if the system does not tell. */
  readonly stdinWriter: () => number | undefined | null;
  readonly keychain: Keychain;
  /** Asks the user. Use it only if stdin and stderr are terminals. */
  readonly ask: Ask;
  readonly fetch: Fetch;
  readonly now: () => Date;
  /** A random UUID. */
  readonly newId: () => string;
  /** Waits this long, or until `other` settles. */
  readonly pause: (seconds: number, other?: Promise<unknown>) => Promise<void>;
  /** Makes a temporary folder. */
  readonly scratch: () => Scratch;
  readonly isAlive: (pid: number) => boolean;
  readonly isTerminal: (fd: 0 | 1 | 2) => boolean;
  /** The width of the terminal on stdout, or on stderr. */
  readonly columns: (fd?: 1 | 2) => number;
  /** Reads what the user types, in the terminal's line mode; `onLine` gets each line as it arrives. */
  readonly typing: (onLine: (line: string) => void) => Typing;
  /** Takes over the keyboard. Use it only if stdin and stderr are terminals. */
  readonly keyboard: (listener: KeyboardListener) => Keyboard;
  /** Calls `handler` when ccc is asked to end. Returns a function that stops listening. */
  readonly onSignal: (handler: (signal: EndSignal) => void) => () => void;
}

export type Fetch = (url: string, init: BunFetchRequestInit) => Promise<Response>;

/** Runs an action that ccc can do without, such as reading or writing a cache. Undefined if it fails. */
export function optional<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if (error instanceof CccError) return undefined;
    throw error;
  }
}

/** The user's home folder. */
export function homedir(env: Env, platform: NodeJS.Platform): string {
  return (platform === "win32" ? env.USERPROFILE : env.HOME) || "/";
}

/** The absolute folders in PATH. A relative one would let the current folder decide which program runs. */
export function programFolders({ PATH = "" }: Env, platform: NodeJS.Platform): string[] {
  return PATH.split(platform === "win32" ? ";" : ":").filter(isAbsolute);
}

/**
 * The environment with the names that ccc looks for in upper case. On Windows, Path and PATH, or Anthropic_Api_Key and
 * ANTHROPIC_API_KEY, are the same variable.
 */
export function windowsEnvironment(env: Env): Env {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [KNOWN.test(name) ? name.toUpperCase() : name, value]),
  );
}

const KNOWN = /^(PATH|HOME|USERPROFILE|.*_PROXY|_?(ANTHROPIC|AWS|BUN|CCC|CLAUDE|GIT|NODE)_.*)$/i;
