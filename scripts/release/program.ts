/** What kind of program a file is, as `file` would say, and whether it is truncated. */
export function describeProgram(bytes: Uint8Array): string {
  try {
    return describe(bytes);
  } catch (error) {
    // Its headers point past the end.
    if (error instanceof RangeError) return "a program that is cut off";
    throw error;
  }
}

function describe(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < 64) return "no program";
  if (view.getUint32(0) === 0x7f454c46) return describeElf(bytes, view);
  if (view.getUint32(0, true) === 0xfeedfacf) return `Mach-O ${MACH_CPU[view.getUint32(4, true)] ?? "other"}`;
  if (view.getUint16(0) === 0x4d5a) return describePe(view);
  return "no program";
}

const ELF_CPU: Record<number, string> = { 62: "x64", 183: "arm64" };
const MACH_CPU: Record<number, string> = { 16777223: "x64", 16777228: "arm64" };
const PE_CPU: Record<number, string> = { 34404: "x64", 43620: "arm64" };
const ELF_INTERPRETER = 3;
/** Size of an entry in the section table. */
const PE_SECTION = 40;

/** 64-bit, little-endian. The name of the loader shows the C library. */
function describeElf(bytes: Uint8Array, view: DataView): string {
  const headers = Number(view.getBigUint64(32, true));
  const size = view.getUint16(54, true);
  const count = view.getUint16(56, true);
  const sections = Number(view.getBigUint64(40, true)) + view.getUint16(58, true) * view.getUint16(60, true);
  if (sections > bytes.length) return "a program that is cut off";
  let libc = "static";
  for (let index = 0; index < count; index++) {
    const header = headers + index * size;
    if (view.getUint32(header, true) !== ELF_INTERPRETER) continue;
    const offset = Number(view.getBigUint64(header + 8, true));
    const length = Number(view.getBigUint64(header + 32, true));
    const loader = new TextDecoder().decode(bytes.subarray(offset, offset + length));
    libc = loader.includes("musl") ? "musl" : "glibc";
  }
  return `ELF ${ELF_CPU[view.getUint16(18, true)] ?? "other"} ${libc}`;
}

function describePe(view: DataView): string {
  const header = view.getUint32(60, true);
  if (view.getUint32(header) !== 0x50450000) return "no program";
  const sections = header + 24 + view.getUint16(header + 20, true);
  for (let index = 0; index < view.getUint16(header + 6, true); index++) {
    const section = sections + index * PE_SECTION;
    const end = view.getUint32(section + 16, true) + view.getUint32(section + 20, true);
    if (end > view.byteLength) return "a program that is cut off";
  }
  return `PE ${PE_CPU[view.getUint16(header + 4, true)] ?? "other"}`;
}

/**
 * Gives a Mach-O program an ad-hoc signature, as Apple's linker does: it names nobody and only shows that the program is
 * complete. Bun does this for arm64. For x64 it leaves Bun's own signature, which is no longer valid, and macOS may kill such
 * a program at once.
 */
export function signAdHoc(program: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const layout = layoutOf(viewOf(program));
  if (layout === undefined) throw new Error("no room for a signature");
  const pages = Math.ceil(layout.signature / PAGE);
  const length = HASHES_AT + pages * HASH;
  const signed = new Uint8Array(layout.signature + length);
  signed.set(program.subarray(0, layout.signature));

  // The load commands are signed too, so they change first.
  const view = viewOf(signed);
  view.setUint32(layout.signatureCommand + 12, length, true);
  const linkeditSize = BigInt(signed.length) - view.getBigUint64(layout.linkedit + 40, true);
  view.setBigUint64(layout.linkedit + 32, ((linkeditSize + 0x3fffn) >> 14n) << 14n, true);
  view.setBigUint64(layout.linkedit + 48, linkeditSize, true);

  const directory = length - DIRECTORY_AT;
  const textSize = Number(view.getBigUint64(layout.text + 48, true));
  // One blob in all: the directory of pages. Then its fields, up to the four small ones, then the rest.
  const words = [0xfade0cc0, length, 1, 0, DIRECTORY_AT];
  words.push(0xfade0c02, directory, 0x20400, AD_HOC_BY_LINKER, HASHES_AT - DIRECTORY_AT, FIELDS, 0, pages);
  words.push(layout.signature, (HASH << 24) | (SHA256 << 16) | Math.log2(PAGE), 0, 0, 0, 0);
  words.push(0, 0, 0, 0, 0, textSize, 0, MAIN_PROGRAM);
  words.forEach((word, index) => {
    view.setUint32(layout.signature + index * 4, word >>> 0);
  });
  signed.set(new TextEncoder().encode(IDENTIFIER), layout.signature + DIRECTORY_AT + FIELDS);
  for (let page = 0; page < pages; page++)
    signed.set(hashPage(signed, page, layout.signature), layout.signature + HASHES_AT + page * HASH);
  return signed;
}

/** Whether a Mach-O program has a valid signature of the whole file. */
export function isSigned(program: Uint8Array<ArrayBuffer>): boolean {
  const view = viewOf(program);
  const layout = layoutOf(view);
  if (layout === undefined || layout.signature + HASHES_AT > program.length) return false;
  const directory = layout.signature + view.getUint32(layout.signature + 16);
  if (directory + FIELDS > program.length) return false;
  const [hashes, pages, limit] = [16, 28, 32].map((field) => view.getUint32(directory + field)) as [
    number,
    number,
    number,
  ];
  const [hash, kind, page] = [36, 37, 39].map((field) => view.getUint8(directory + field)) as [number, number, number];
  if (limit !== layout.signature || kind !== SHA256 || pages !== Math.ceil(limit / 2 ** page)) return false;
  return Array.from({ length: pages }, (_, index) => index).every((index) => {
    const at = directory + hashes + index * hash;
    return Buffer.compare(hashPage(program, index, limit, 2 ** page), program.subarray(at, at + hash)) === 0;
  });
}

const PAGE = 4096;
const HASH = 32;
const SHA256 = 2;
const IDENTIFIER = "ccc\0";
const AD_HOC_BY_LINKER = 0x20002;
const MAIN_PROGRAM = 1;
const DIRECTORY_AT = 20;
/** Size of the directory's fields; the identifier follows, then the hashes. */
const FIELDS = 88;
const HASHES_AT = DIRECTORY_AT + FIELDS + IDENTIFIER.length;

function hashPage(program: Uint8Array<ArrayBuffer>, index: number, limit: number, size = PAGE): Uint8Array {
  const bytes = program.subarray(index * size, Math.min((index + 1) * size, limit));
  return new Bun.CryptoHasher("sha256").update(bytes).digest();
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Where the signature of a Mach-O program is, and what refers to it. 64-bit, little-endian. */
interface Layout {
  /** Offsets of load commands. */
  readonly text: number;
  readonly linkedit: number;
  readonly signatureCommand: number;
  /** Where the signature starts. It is the last thing in the file, and everything before it is signed. */
  readonly signature: number;
}

/** undefined if the program has no room for a signature. */
function layoutOf(view: DataView): Layout | undefined {
  let at = HEADER_SIZE;
  const found = new Map<string, number>();
  for (let left = view.getUint32(16, true); left > 0 && at + LONGEST <= view.byteLength; left--) {
    const command = view.getUint32(at, true);
    if (command === SEGMENT) found.set(segmentName(view, at), at);
    if (command === CODE_SIGNATURE) found.set("signature", at);
    at += view.getUint32(at + 4, true);
  }
  const [text, linkedit, signatureCommand] = [found.get("__TEXT"), found.get("__LINKEDIT"), found.get("signature")];
  if (text === undefined || linkedit === undefined || signatureCommand === undefined) return undefined;
  return { text, linkedit, signatureCommand, signature: view.getUint32(signatureCommand + 8, true) };
}

const HEADER_SIZE = 32;
/** How many bytes of a load command are read. */
const LONGEST = 72;
const SEGMENT = 0x19;
const CODE_SIGNATURE = 0x1d;

function segmentName(view: DataView, at: number): string {
  return new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + at + 8, 16)).replace(/\0.*$/s, "");
}
