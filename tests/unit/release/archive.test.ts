import { describe, expect, test } from "bun:test";
import { crc32, inflateRawSync } from "node:zlib";
import { archive } from "../../../scripts/release/archive.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const BINARY = bytes("binary ".repeat(1000));
const DOCUMENTS = { LICENSE: bytes("MIT"), "README.md": bytes("# é\n".repeat(128)) };
const TIME = Date.UTC(2026, 0, 2, 3, 4, 6) / 1000;
const linux = archive({ os: "linux", arch: "x64", libc: "glibc" }, BINARY, DOCUMENTS, TIME);
const windows = archive({ os: "windows", arch: "x64", libc: null }, BINARY, DOCUMENTS, TIME);

describe("a tar.gz", () => {
  const tar = Buffer.from(Bun.gunzipSync(linux));

  test("holds program and documents, as they are", async () => {
    const files = await new Bun.Archive(linux).files();
    const found = await Promise.all([...files].map(async ([name, file]) => [name, await file.bytes()]));
    expect(found).toEqual([
      ["LICENSE", DOCUMENTS.LICENSE],
      ["README.md", DOCUMENTS["README.md"]],
      ["ccc", BINARY],
    ]);
  });
  test("says modes, owner and time", () => {
    const field = (name: string, offset: number, length: number) => {
      const header = tar.indexOf(`${name}\0`);
      return tar.toString("latin1", header + offset, header + offset + length);
    };
    expect(field("ccc", 100, 24)).toBe("0000755\x000000000\x000000000\0");
    expect(field("LICENSE", 100, 24)).toBe("0000644\x000000000\x000000000\0");
    for (const name of ["LICENSE", "README.md", "ccc"]) expect(Number.parseInt(field(name, 136, 11), 8)).toBe(TIME);
  });
  test("ends as POSIX asks, and its gzip has no time", () => {
    expect(tar.length % 512).toBe(0);
    expect(tar.subarray(-1024).every((byte) => byte === 0)).toBe(true);
    expect([...linux.subarray(4, 8)]).toEqual([0, 0, 0, 0]);
  });
});

describe("a zip", () => {
  test("holds program and documents, as they are, with modes and time in UTC", () => {
    expect(unzip(Buffer.from(windows))).toEqual([
      { name: "LICENSE", bytes: DOCUMENTS.LICENSE, mode: 0o100644, time: TIME },
      { name: "README.md", bytes: DOCUMENTS["README.md"], mode: 0o100644, time: TIME },
      { name: "ccc.exe", bytes: BINARY, mode: 0o100755, time: TIME },
    ]);
  });
});

test("the same bytes on every machine", () => {
  const sum = (all: Uint8Array<ArrayBuffer>) => new Bun.CryptoHasher("sha256").update(all).digest("hex");
  // GNU tar, unzip and Python read these two. Another libdeflate in Bun may pack differently: then look again, and note anew.
  expect(sum(linux)).toBe("cf8a335b00319dc68237fc4143f3d59dc141e7ed903091bf2e03e6bc969d324c");
  expect(sum(windows)).toBe("d715f088aecaecb5d3a29b3df737138f3204460316ca4839a99ce96665fac7b8");
});

/** From the index at the end, as unzip reads. */
function unzip(zip: Buffer) {
  const end = zip.length - 22;
  expect(zip.toString("latin1", end, end + 4)).toBe("PK\x05\x06");
  let at = zip.readUInt32LE(end + 16);
  const entries = Array.from({ length: zip.readUInt16LE(end + 10) }, () => {
    expect(zip.toString("latin1", at, at + 4)).toBe("PK\x01\x02");
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    const local = zip.readUInt32LE(at + 42);
    // What stands before the file says the same as the index.
    expect(zip.subarray(local + 4, local + 30)).toEqual(zip.subarray(at + 6, at + 32));
    const data = local + 30 + nameLength;
    const bytes = new Uint8Array(inflateRawSync(zip.subarray(data, data + zip.readUInt32LE(at + 20))));
    expect([crc32(bytes), bytes.length]).toEqual([zip.readUInt32LE(at + 16), zip.readUInt32LE(at + 24)]);
    const [clock, date] = [zip.readUInt16LE(at + 12), zip.readUInt16LE(at + 14)];
    const day = [(date >> 9) + 1980, ((date >> 5) & 15) - 1, date & 31] as const;
    const time = Date.UTC(...day, clock >> 11, (clock >> 5) & 63, (clock & 31) * 2) / 1000;
    const mode = zip.readUInt32LE(at + 38) >>> 16;
    at += 46 + nameLength;
    return { name, bytes, mode, time };
  });
  expect(at).toBe(end);
  return entries;
}
