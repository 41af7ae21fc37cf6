import { closeSync, constants, fstatSync, openSync, readSync } from "node:fs";
import { CccError, errno } from "../errors.ts";
import type { Appender } from "./files.ts";
import { writeFully } from "./write.ts";

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

/** Opens a file to append to: a new one, or a regular one without other hard links. */
export function openToAppend(path: string): Appender {
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  const fd = openSync(path, O_APPEND | O_CREAT | O_WRONLY | NO_SURPRISES, PRIVATE_FILE);
  const stat = fstatSync(fd);
  if (!stat.isFile() || stat.nlink > 1) {
    closeSync(fd);
    throw new CccError(`cannot write ${path}: it is ${stat.isFile() ? "a hard link" : "not a regular file"}`);
  }
  let { size } = stat;
  const write = (bytes: Uint8Array) => {
    size += bytes.length;
    writeFully(fd, bytes);
  };
  return { write, size: () => size, close: () => closeSync(fd) };
}

/** Do not follow links, do not block on pipes. Windows has neither flag, though Bun may define one there. */
const NO_SURPRISES = process.platform === "win32" ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The first `longest` bytes of a regular file, as text. Refuses symbolic and hard links, which may point to another file
 * of the user's, and does not block on a pipe.
 */
export function readRegular(path: string, longest: number): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | NO_SURPRISES);
  } catch (error) {
    if (errno(error) === "ELOOP") throw new CccError(`${path} is a link`);
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new CccError(`${path} is not a regular file`);
    if (stat.nlink > 1) throw new CccError(`${path} is a hard link`);
    const bytes = Buffer.alloc(Math.min(longest, stat.size));
    let length = 0;
    for (let read = -1; read !== 0; length += read) read = readSync(fd, bytes, length, bytes.length - length, length);
    return bytes.subarray(0, length).toString("utf8");
  } finally {
    closeSync(fd);
  }
}
