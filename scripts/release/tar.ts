import type { Entry } from "./archive.ts";

/** A tar of ordinary files (POSIX ustar), owned by root. The same entries and time give the same bytes everywhere. */
export function tar(entries: readonly Entry[], time: number): Uint8Array<ArrayBuffer> {
  const parts = entries.flatMap(({ name, bytes, mode }) => [
    header(name, bytes.length, mode, time),
    bytes,
    new Uint8Array(-bytes.length & (BLOCK - 1)),
  ]);
  return new Uint8Array(Bun.concatArrayBuffers([...parts, new Uint8Array(2 * BLOCK)]));
}

const BLOCK = 512;
const REGULAR_FILE = "0";
/** Where the header's checksum is. It counts as spaces while it is computed. */
const SUM_AT = 148;

function header(name: string, size: number, mode: number, time: number): Uint8Array {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name}: too long a name for this tar`);
  const bytes = Buffer.alloc(BLOCK);
  bytes.write(name, 0);
  bytes.write(`${octal(mode, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`, 100);
  bytes.write(`${octal(size, 11)}\0${octal(time, 11)}\0`, 124);
  bytes.write(`        ${REGULAR_FILE}`, SUM_AT);
  bytes.write("ustar\x0000", 257);
  bytes.write(`${octal(0, 7)}\0${octal(0, 7)}\0`, 329);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${octal(sum, 6)}\0 `, SUM_AT);
  return bytes;
}

function octal(value: number, width: number): string {
  return value.toString(8).padStart(width, "0");
}
