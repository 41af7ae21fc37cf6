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

/** As scripts/release/zip.ts writes it: one file after the other, deflated, nothing in between. */
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
