import { writeSync } from "node:fs";
import { errno } from "../errors.ts";

/** Writes all bytes, also to a pipe that accepts only a part at a time. */
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

/** The errors of a pipe and of a terminal when the reader is gone. */
const GONE = ["EPIPE", "EIO"];

/** Writes to stdout or stderr. It is not an error if the reader is gone. */
export function writeOut(fd: 1 | 2, text: string): void {
  try {
    writeFully(fd, Buffer.from(text));
  } catch (error) {
    if (!GONE.includes(errno(error) ?? "")) throw error;
  }
}
