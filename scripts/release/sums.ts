import { readdir } from "node:fs/promises";
import { join } from "node:path";

export const SUMS = "SHA256SUMS";

/** SHA-256 of every file in a folder, by name, except SHA256SUMS itself. */
export async function sumsOf(folder: string): Promise<Map<string, string>> {
  const sums = new Map<string, string>();
  const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => name !== SUMS);
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    sums.set(entry.name, entry.isFile() ? sha256(await Bun.file(path).bytes()) : "no file");
  }
  return sums;
}

/** As sha256sum prints and reads them. */
export function renderSums(sums: ReadonlyMap<string, string>): string {
  return [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join("");
}

/** All lines, even if a name occurs twice; undefined for an invalid line. */
export function parseSums(text: string): readonly ({ name: string; sum: string } | undefined)[] {
  const lines = text.replace(/\n$/, "").split("\n");
  return lines.map((line) => {
    const [, sum, name] = /^([0-9a-f]{64}) {2}([^/]+)$/.exec(line) ?? [];
    return sum === undefined || name === undefined ? undefined : { name, sum };
  });
}

export function sha256(bytes: Uint8Array): string {
  return new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
}
