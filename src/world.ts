import type { ChildRequest, ChildResult } from "./io/child.ts";
import type { Files } from "./io/files.ts";

/** All that ccc may touch outside its own memory. Built once, in main.ts, and handed down. */
export interface World {
  readonly argv: readonly string[];
  readonly env: Env;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly pid: number;
  readonly version: string;
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
  readonly now: () => Date;
}

export type Env = Readonly<Record<string, string | undefined>>;

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Env;
}
