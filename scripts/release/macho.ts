/** Where the signature of a Mach-O program is, and what refers to it. 64-bit, little-endian. */
export interface Layout {
  /** Offsets of load commands. */
  readonly text: number;
  readonly linkedit: number;
  readonly signatureCommand: number;
  /** Where the signature starts. It is the last thing in the file, and everything before it is signed. */
  readonly signature: number;
}

/** undefined if the program has no room for a signature. */
export function layoutOf(view: DataView): Layout | undefined {
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
