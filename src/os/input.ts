import { readSync } from "node:fs";
import { errno } from "../errors.ts";

/** All of stdin, or undefined if it is longer than `longest` bytes. */
export function readStdin(longest: number): string | undefined {
  const chunks: Buffer[] = [];
  let length = 0;
  for (;;) {
    const chunk = Buffer.alloc(65_536);
    const read = readSome(chunk);
    if (read === 0) return Buffer.concat(chunks).toString("utf8");
    length += read;
    if (length > longest) return undefined;
    chunks.push(chunk.subarray(0, read));
  }
}

function readSome(buffer: Buffer): number {
  for (;;) {
    try {
      return readSync(0, buffer);
    } catch (error) {
      if (errno(error) === "EOF") return 0;
      if (errno(error) !== "EAGAIN") throw error;
      Bun.sleepSync(5);
    }
  }
}
