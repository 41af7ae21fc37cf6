import type { Target } from "./targets.ts";

interface Entry {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly mode: number;
}

export type Documents = Readonly<Record<"LICENSE" | "README.md", Uint8Array<ArrayBuffer>>>;

/**
 * What a user downloads for one target: the program and its documents, flat. libdeflate gives the same bytes on every
 * processor, which zlib does not promise, and writes no time. Levels above 6 take longer and save almost nothing.
 */
export function archive(
  target: Target,
  binary: Uint8Array<ArrayBuffer>,
  documents: Documents,
  time: number,
): Uint8Array<ArrayBuffer> {
  const entries: readonly Entry[] = [
    { name: "LICENSE", bytes: documents.LICENSE, mode: 0o644 },
    { name: "README.md", bytes: documents["README.md"], mode: 0o644 },
    { name: target.os === "windows" ? "ccc.exe" : "ccc", bytes: binary, mode: 0o755 },
  ];
  if (target.os === "windows") return zip(entries, time);
  return Bun.gzipSync(tar(entries, time), { level: 6, library: "libdeflate" });
}

/** A tar of ordinary files (POSIX ustar), owned by root. The same entries and time give the same bytes everywhere. */
function tar(entries: readonly Entry[], time: number): Uint8Array<ArrayBuffer> {
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

/** A zip of ordinary files, with their modes. The same entries and time give the same bytes everywhere. */
function zip(entries: readonly Entry[], time: number): Uint8Array<ArrayBuffer> {
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
const REGULAR_MODE = 0o100000;

/** The part that is both before a file and in the index at the end. */
function commonFields({ bytes }: Entry, packed: number, nameLength: number, time: number): Uint8Array {
  const { date, clock } = dosTime(time);
  const sizes = [le32(Bun.hash.crc32(bytes)), le32(packed), le32(bytes.length), le16(nameLength), le16(0)];
  return Buffer.concat([le16(VERSION), le16(UTF8_NAMES), le16(DEFLATE), le16(clock), le16(date), ...sizes]);
}

/** No comment, disk 0, no internal attributes, the mode, where the file starts. */
function indexFields(mode: number, offset: number): Uint8Array {
  return Buffer.concat([le16(0), le16(0), le16(0), le32((REGULAR_MODE | mode) * 2 ** 16), le32(offset)]);
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

/** The files in a release archive, by name; none if it is not such an archive. */
export async function unpack(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<ReadonlyMap<string, Uint8Array>> {
  try {
    return name.endsWith(".zip") ? unzip(bytes) : await untar(bytes);
  } catch {
    return new Map();
  }
}

async function untar(bytes: Uint8Array<ArrayBuffer>): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for (const [name, file] of await new Bun.Archive(bytes).files()) files.set(name, await file.bytes());
  return files;
}

/** As `zip` writes it: one file after the other, deflated, nothing in between. */
function unzip(bytes: Uint8Array<ArrayBuffer>): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; view.getUint32(at) === LOCAL_HEADER; ) {
    const [packed, nameLength] = [view.getUint32(at + 18, true), view.getUint16(at + 26, true)];
    const data = at + 30 + nameLength + view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(at + 30, at + 30 + nameLength));
    files.set(name, Bun.inflateSync(bytes.subarray(data, data + packed)));
    at = data + packed;
  }
  return files;
}

const LOCAL_HEADER = 0x504b0304;
