/** How ccc fails: exit codes, errors with advice, and failed system calls in words. */

export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notDone: 3,
  notReviewed: 4,
  needsUser: 5,
  budget: 6,
  cannotRun: 126,
  noClaude: 127,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A failure that the user can act on: what happened, what to do about it, and the exit code. */
export class CccError extends Error {
  readonly exitCode: ExitCode;
  readonly advice: string | undefined;

  constructor(message: string, options: { advice?: string; exitCode?: ExitCode; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = "CccError";
    this.exitCode = options.exitCode ?? EXIT.failure;
    this.advice = options.advice;
  }
}

export function usageError(message: string, advice?: string): CccError {
  return new CccError(message, { exitCode: EXIT.usage, ...(advice === undefined ? {} : { advice }) });
}

/** The code of a failed system call, such as "EACCES". */
export function errno(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** Runs an action. A failed system call becomes an error for the user: "cannot write x: permission denied". */
export function attempt<T>(what: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof CccError) throw error;
    throw new CccError(`cannot ${what}: ${reason(error)}`, { cause: error });
  }
}

/** A failed system call in words. */
export function reason(error: unknown): string {
  const code = errno(error);
  if (code === undefined) return messageOf(error);
  return REASONS[code] ?? code;
}

const REASONS: Record<string, string> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  EEXIST: "a file is where a folder should be",
  EISDIR: "it is a folder",
  ENOTDIR: "part of the path is not a folder",
  ELOOP: "too many symbolic links",
  ENOENT: "no such file",
};

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
