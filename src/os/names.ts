/**
 * Decodes a file name. On Linux a name is bytes, not text: bytes that are not UTF-8 become lone surrogates, which no
 * valid text contains, so that `nameBytes` can restore them.
 */
export function nameFromBytes(bytes: Uint8Array): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    return byBytes(bytes);
  }
}

/** The bytes of a name; undefined if the system's own encoding gives the same. */
export function nameBytes(name: string): Buffer | undefined {
  if (!ANY_BYTE.test(name)) return undefined;
  const parts = name.split(/([\uDC80-\uDCFF]+)/u);
  return Buffer.concat(
    parts.map((part) => (ANY_BYTE.test(part) ? Buffer.from([...part].map(byteOf)) : Buffer.from(part))),
  );
}

/** A name for people, on one line: what cannot be shown is escaped. */
export function shownName(name: string): string {
  return name.replaceAll(/[\p{C}\u2028\u2029]/gu, (character) => {
    if (ANY_BYTE.test(character)) return `\\x${byteOf(character).toString(16)}`;
    return ESCAPES[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
  });
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const ESCAPES: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Stands for one byte. With the flag u, the second half of a pair does not match. */
const ANY_BYTE = /[\uDC80-\uDCFF]/u;
const FIRST_BYTE = 0xdc00;

function byteOf(character: string): number {
  return character.charCodeAt(0) - FIRST_BYTE;
}

function byBytes(bytes: Uint8Array): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      parts.push(UTF8.decode(bytes.subarray(from, at)), String.fromCharCode(FIRST_BYTE + (bytes[at] ?? 0)));
      from = at + 1;
    }
    at += Math.max(1, length);
  }
  return [...parts, UTF8.decode(bytes.subarray(from))].join("");
}

/** How many bytes the character here takes; 0 if it is not UTF-8. */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
  if (first < 0x80) return 1;
  const known = SEQUENCES.find(({ from, to }) => from <= first && first <= to);
  if (known === undefined || second < known.least || second > known.most) return 0;
  const rest = bytes.subarray(at + 2, at + known.length);
  return rest.length === known.length - 2 && rest.every((byte) => byte >= 0x80 && byte <= 0xbf) ? known.length : 0;
}

/** By the first byte: how many bytes there are, and the range of the second. */
const SEQUENCES = [
  { from: 0xc2, to: 0xdf, length: 2, least: 0x80, most: 0xbf },
  { from: 0xe0, to: 0xe0, length: 3, least: 0xa0, most: 0xbf },
  { from: 0xe1, to: 0xec, length: 3, least: 0x80, most: 0xbf },
  { from: 0xed, to: 0xed, length: 3, least: 0x80, most: 0x9f },
  { from: 0xee, to: 0xef, length: 3, least: 0x80, most: 0xbf },
  { from: 0xf0, to: 0xf0, length: 4, least: 0x90, most: 0xbf },
  { from: 0xf1, to: 0xf3, length: 4, least: 0x80, most: 0xbf },
  { from: 0xf4, to: 0xf4, length: 4, least: 0x80, most: 0x8f },
];
