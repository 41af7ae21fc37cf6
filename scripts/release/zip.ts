import type { Entry } from "./archive.ts";

/** A zip of ordinary files, with their modes. The same entries and time give the same bytes everywhere. */
export function zip(entries: readonly Entry[], time: number): Uint8Array<ArrayBuffer> {
  const files: Uint8Array[] = [];
  const index: Uint8Array[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const packed = Bun.deflateSync(entry.bytes, { level: 6, library: "libdeflate" });
    const common = commonFields(entry, packed.length, name.length, time);
    const local = [Buffer.from("PK\x03\x04"), common, name, packed];
    index.push(Buffer.from("PK\x01\x02"), le16(MADE_ON_UNIX), common, indexFields(entry.mode, offset), name);
    files.push(...local);
    offset += length(local);
  }
  const count = le16(entries.length);
  const end = [Buffer.from("PK\x05\x06"), le32(0), count, count, le32(length(index)), le32(offset), le16(0)];
  return new Uint8Array(Bun.concatArrayBuffers([...files, ...index, ...end]));
}

const VERSION = 20;
const MADE_ON_UNIX = (3 << 8) | VERSION;
const UTF8_NAMES = 1 << 11;
const DEFLATE = 8;
const REGULAR_FILE = 0o100000;

/** The part that is both before a file and in the index at the end. */
function commonFields({ bytes }: Entry, packed: number, nameLength: number, time: number): Uint8Array {
  const { date, clock } = dosTime(time);
  const sizes = [le32(Bun.hash.crc32(bytes)), le32(packed), le32(bytes.length), le16(nameLength), le16(0)];
  return Buffer.concat([le16(VERSION), le16(UTF8_NAMES), le16(DEFLATE), le16(clock), le16(date), ...sizes]);
}

/** No comment, disk 0, no internal attributes, the mode, where the file starts. */
function indexFields(mode: number, offset: number): Uint8Array {
  return Buffer.concat([le16(0), le16(0), le16(0), le32((REGULAR_FILE | mode) * 2 ** 16), le32(offset)]);
}

/** Zip has no time zones: always UTC. */
function dosTime(time: number): { date: number; clock: number } {
  const at = new Date(time * 1000);
  return {
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
    clock: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
  };
}

function length(parts: readonly Uint8Array[]): number {
  return parts.reduce((total, part) => total + part.length, 0);
}

function le16(value: number): Uint8Array {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function le32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
