import type { Build } from "./build.ts";
import type { ChildRequest, ChildResult } from "./os/child.ts";
import type { Files } from "./os/files.ts";
import type { Keychain } from "./os/keychain.ts";
import type { Scratch } from "./os/scratch.ts";
import type { Ask } from "./terminal/ask.ts";
import type { Typing } from "./terminal/typing.ts";

/** All that ccc may touch outside its own memory. Built once, in start.ts, and handed down. */
export interface World {
  readonly argv: readonly string[];
  readonly env: Env;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly version: string;
  readonly build: () => Build;
  /** Path of the running ccc binary. */
  readonly self: string;
  readonly files: Files;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Runs a program in ccc's place. Where the platform can, it never returns. */
  readonly exec: (program: Program) => Promise<number>;
  /** Runs a program beside ccc and listens to it. */
  readonly run: (request: ChildRequest) => Promise<ChildResult>;
  /** All of stdin, or undefined when it is longer than so many bytes. */
  readonly stdin: (longest: number) => string | undefined;
  readonly keychain: Keychain;
  /** Asks a person; only where stdin and stderr are a terminal. */
  readonly ask: Ask;
  readonly fetch: Fetch;
  readonly now: () => Date;
  /** A folder that is gone afterwards. */
  readonly scratch: () => Scratch;
  /** Whether a process with this id runs. */
  readonly isAlive: (pid: number) => boolean;
  /** Whether stdin, stdout or stderr is a terminal. */
  readonly isTerminal: (fd: 0 | 1 | 2) => boolean;
  /** How many characters fit on a line, where stdout is a terminal. */
  readonly columns: () => number;
  /** Listens to what a person types; each line is told as it comes. */
  readonly typing: (onLine: (line: string) => void) => Typing;
  /** Calls back when ccc is asked to end. Returns how to stop that. */
  readonly onSignal: (handler: (signal: EndSignal) => void) => () => void;
}

export type EndSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

export type Fetch = (url: string, init: BunFetchRequestInit) => Promise<Response>;

export type Env = Readonly<Record<string, string | undefined>>;

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Env;
}
