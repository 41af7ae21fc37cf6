import { layoutOf } from "./macho.ts";

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
