import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";

/** The folder of the git repository that a folder is in; for a worktree, that of the repository that it belongs to. */
export function mainRepository(files: Files, folder: string): string | undefined {
  for (let root = folder; ; root = above(root)) {
    const git = join(root, ".git");
    if (files.modified(git) !== undefined) return isFolder(files, git) ? root : (owner(files, git) ?? root);
    if (root === "/" || root === "") return undefined;
  }
}

/** A worktree has a file instead of the folder, which says where the folder is. */
function owner(files: Files, git: string): string | undefined {
  return /^gitdir: (\/.*)\/\.git\/worktrees\/[^/]+\s*$/.exec(files.read(git) ?? "")?.[1];
}

function isFolder(files: Files, path: string): boolean {
  return files.modified(join(path, ".")) !== undefined;
}

function above(folder: string): string {
  return folder.slice(0, folder.lastIndexOf("/")) || "/";
}
