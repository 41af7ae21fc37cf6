/** Bytes in and out: stdin and who writes it, stdout, stderr, and streams of lines. */

import { readSync, writeSync } from "node:fs";
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

/**
 * The process that created the socket on stdin, as the kernel reports it: no program can impersonate another. Undefined
 * if stdin is not a socket, null where the system does not report it. Claude Code passes events in such a socket.
 */
export function stdinWriter(platform: NodeJS.Platform, arch: string): number | undefined | null {
  if (platform !== "linux") return null;
  for (const library of ["libc.so.6", MUSL[arch] ?? ""]) {
    const getsockopt = load(library);
    if (getsockopt === undefined) continue;
    const credentials = new Int32Array(3);
    const length = new Int32Array([credentials.byteLength]);
    return getsockopt(0, SOL_SOCKET, SO_PEERCRED, credentials, length) === 0 ? credentials[0] : undefined;
  }
  return null;
}

const MUSL: Readonly<Record<string, string>> = { x64: "libc.musl-x86_64.so.1", arm64: "libc.musl-aarch64.so.1" };
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;

function load(library: string) {
  try {
    // Required here: few hooks ask who writes their stdin.
    const { dlopen } = require("bun:ffi") as typeof import("bun:ffi");
    return dlopen(library, { getsockopt: { args: ["i32", "i32", "i32", "ptr", "ptr"], returns: "i32" } }).symbols
      .getsockopt;
  } catch {
    return undefined;
  }
}

/** Writes all bytes, even to a pipe that accepts only some at a time. */
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

/** Splits a stream of bytes into non-empty lines. A line longer than `longest` bytes is passed on as undefined. */
export function lineSplitter(longest: number, onLine: (line: Uint8Array | undefined) => void) {
  let parts: Uint8Array[] = [];
  let length = 0;

  const take = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length <= longest) parts.push(bytes);
    else parts = [];
  };
  const end = () => {
    if (length > longest) onLine(undefined);
    else if (length > 0) onLine(withoutReturn(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
    parts = [];
    length = 0;
  };

  return {
    push(chunk: Uint8Array) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        end();
        from = at + 1;
      }
      // A copy, so that the large chunk can be freed.
      take(chunk.slice(from));
    },
    end,
  };
}

const NEWLINE = 10;
const RETURN = 13;

function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
}
