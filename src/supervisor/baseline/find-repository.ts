import { dirname, join, resolve } from "node:path";
import type { Files } from "../../os/files.ts";

/** A git repository with files, found without running git. */
export interface Repository {
  /** The folder with its files. */
  readonly top: string;
  /** Git's folder for this worktree, with its index. */
  readonly gitDir: string;
  /** Git's folder for all worktrees, with the objects. */
  readonly common: string;
  readonly format: "sha1" | "sha256";
  /** Differs if the repository was deleted and created again. */
  readonly id: string;
}

/** The repository that a folder belongs to, as git would find it. Undefined if there is none. */
export function findRepository(files: Files, folder: string): Repository | undefined {
  for (let top = realPath(files, folder); ; top = dirname(top)) {
    const found = repositoryAt(files, top);
    if (found !== undefined) return found;
    if (dirname(top) === top) return undefined;
  }
}

/** The repository whose top folder this is. */
export function repositoryAt(files: Files, top: string): Repository | undefined {
  const dotGit = join(top, ".git");
  const found = files.identify(dotGit);
  if (found === undefined) return undefined;
  const named = found.isFolder ? dotGit : pathIn(files, dotGit, "gitdir: ");
  if (named === undefined) return undefined;
  const gitDir = realPath(files, resolve(top, named));
  const shared = pathIn(files, join(gitDir, "commondir"), "");
  const common = shared === undefined ? gitDir : realPath(files, resolve(gitDir, shared));
  const id = files.identify(join(common, "objects"));
  if (id?.isFolder !== true || files.identify(join(gitDir, "HEAD"))?.isFile !== true) return undefined;
  return { top, gitDir, common, format: formatIn(smallText(files, join(common, "config"))), id: id.id };
}

function formatIn(config = ""): Repository["format"] {
  return /^\s*objectformat\s*=\s*sha256\s*$/im.test(config) ? "sha256" : "sha1";
}

/** The text of a small regular file, undefined if there is none that ccc may read. */
export function smallText(files: Files, path: string): string | undefined {
  const found = files.identify(path);
  if (found?.isFile !== true || found.size > LARGEST_TEXT) return undefined;
  try {
    return files.read(path);
  } catch {
    return undefined;
  }
}

const LARGEST_TEXT = 1_000_000;

function pathIn(files: Files, path: string, prefix: string): string | undefined {
  const text = smallText(files, path);
  return text?.startsWith(prefix) ? text.slice(prefix.length).replace(/\r?\n$/, "") : undefined;
}

function realPath(files: Files, path: string): string {
  try {
    return files.realPath(path);
  } catch {
    return path;
  }
}
