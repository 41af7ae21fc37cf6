import type { FileEntry } from "../../os/files.ts";
import { STAND_IN_MODE } from "./changes.ts";

/** How to bring an index up to date. */
export interface IndexUpdate {
  /** Paths that git reads itself. */
  readonly read: readonly string[];
  /** Paths that are gone. */
  readonly removed: readonly string[];
  /** Paths that git must not read, with a text that changes whenever they do. */
  readonly standIns: readonly { readonly path: string; readonly text: string }[];
  /** The size of the files that git reads. */
  readonly bytes: number;
}

export interface Look {
  readonly entry: (path: string) => FileEntry | undefined;
  /** For a repository inside the repository: a text that changes with its commits. Undefined if it is none. */
  readonly inner: (path: string) => string | undefined;
}

/** Larger files are not stored, and neither is what exceeds the total. */
export const LARGEST_FILE = 5_000_000;
export const MOST_BYTES = 64_000_000;

/** Decides about each path that git lists as changed or untracked. */
export function planUpdate(paths: readonly string[], { entry, inner }: Look): IndexUpdate {
  const read: string[] = [];
  const removed: string[] = [];
  const standIns: { path: string; text: string }[] = [];
  const isBehindLink = cachedParents((folder) => entry(folder)?.kind === "link");
  let bytes = 0;
  for (const listed of new Set(paths)) {
    // Git marks a repository inside with a slash.
    const path = listed.replace(/\/$/, "");
    const found = isBehindLink(path) ? undefined : entry(path);
    if (found?.kind === "folder") {
      // One whose name is not UTF-8 cannot be looked into.
      const text = inner(path) ?? (listed.endsWith("/") ? `${found.kind} ${found.modified}` : undefined);
      if (text === undefined) removed.push(path);
      else standIns.push({ path, text });
    } else if (found === undefined) removed.push(path);
    else if (isStored(found) && bytes + found.size <= MOST_BYTES) {
      read.push(path);
      bytes += found.size;
    } else standIns.push({ path, text: `${found.kind} ${found.size} ${found.modified}` });
  }
  return { read, removed, standIns, bytes };
}

function isStored({ kind, size, isReadable }: FileEntry): boolean {
  return kind === "link" || (kind === "file" && size <= LARGEST_FILE && isReadable);
}

/** The input of `git update-index -z --index-info`. */
export function indexInfo({ removed, standIns }: IndexUpdate, format: "sha1" | "sha256"): string {
  const hash = (text: string) => new Bun.CryptoHasher(format).update(text).digest("hex");
  const none = "0".repeat(hash("").length);
  return [
    ...removed.map((path) => `0 ${none} 0\t${path}\0`),
    ...standIns.map(({ path, text }) => `${STAND_IN_MODE} ${hash(text)} 0\t${path}\0`),
  ].join("");
}

/** Whether any folder above a path fulfills a condition. */
function cachedParents(condition: (folder: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  const isAbove = (path: string): boolean => {
    const at = path.lastIndexOf("/");
    if (at === -1) return false;
    const folder = path.slice(0, at);
    const answer = known.get(folder) ?? (isAbove(folder) || condition(folder));
    known.set(folder, answer);
    return answer;
  };
  return isAbove;
}
