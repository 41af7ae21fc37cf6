import { closeSync, fstatSync, openSync, readSync, statSync } from "node:fs";

/** The last `longest` bytes of a file as text; empty if it cannot be read. */
export function readEnd(path: string, longest: number): string {
  try {
    // Opening a pipe would block.
    if (!statSync(path).isFile()) return "";
    const fd = openSync(path, "r");
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(longest, size));
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, size - bytes.length)).toString("utf8");
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}
