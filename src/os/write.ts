import { writeSync } from "node:fs";
import { errno } from "../errors.ts";

/** Writes all of it, however little the other end takes at a time. */
export function writeFully(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
    } catch (error) {
      if (errno(error) !== "EAGAIN") throw error;
      Bun.sleepSync(1);
    }
  }
}

/** How a pipe, and a terminal, say that nobody reads any more. */
const GONE = ["EPIPE", "EIO"];

/** Writes to stdout or stderr. A reader that has gone away is no failure. */
export function writeOut(fd: 1 | 2, text: string): void {
  try {
    writeFully(fd, Buffer.from(text));
  } catch (error) {
    if (!GONE.includes(errno(error) ?? "")) throw error;
  }
}
