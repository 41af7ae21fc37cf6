import { tar } from "./tar.ts";
import type { Target } from "./targets.ts";
import { zip } from "./zip.ts";

export interface Entry {
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
