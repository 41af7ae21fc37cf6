import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";

const MOST_FILES = 20_000;
const LONGEST_MS = 2_000;

/**
 * Identifies the files below a folder by their sizes and times, for folders without git. Undefined if that takes too long,
 * or if a link leads to another folder, whose files would be missing.
 */
export function fileTimes(
  files: Pick<Files, "list" | "entry" | "identify">,
  top: string,
  { now, without }: { readonly now: () => Date; readonly without: string },
): string | undefined {
  const hash = new Bun.CryptoHasher("sha256");
  const endsAt = now().getTime() + LONGEST_MS;
  const folders = [top];
  let count = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    if (now().getTime() > endsAt) return undefined;
    for (const name of files.list(folder)) {
      const path = join(folder, name);
      if (path === without) continue;
      const entry = files.entry(path);
      if (entry === undefined || ++count > MOST_FILES) return undefined;
      if (entry.kind === "link" && files.identify(path)?.isFolder === true) return undefined;
      if (entry.kind === "folder") folders.push(path);
      // The time of a folder changes with ccc's own files in it; what it contains is listed anyway.
      const facts = entry.kind === "folder" ? [] : [entry.size, entry.modified];
      hash.update(`${JSON.stringify([path, entry.kind, ...facts])}\n`);
    }
  }
  return `times ${hash.digest("hex")}`;
}
