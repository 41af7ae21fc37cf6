import type { Files } from "../os/files.ts";
import { isWindowsPath, join } from "../os/path.ts";

/** The root of the git repository that contains a folder; for a worktree, the root of its main repository. */
export function mainRepository(files: Files, folder: string): string | undefined {
  for (let root = folder; ; root = above(root)) {
    const git = join(root, ".git");
    if (files.modified(git) !== undefined) return isFolder(files, git) ? root : (owner(files, git) ?? root);
    if (root === above(root)) return undefined;
  }
}

/** In a worktree, .git is a file that names the main repository. */
function owner(files: Files, git: string): string | undefined {
  return /^gitdir: ((?:[A-Za-z]:)?\/.*)\/\.git\/worktrees\/[^/]+\s*$/.exec(files.read(git) ?? "")?.[1];
}

function isFolder(files: Files, path: string): boolean {
  return files.modified(join(path, ".")) !== undefined;
}

function above(folder: string): string {
  const isWindows = isWindowsPath(folder);
  const end = Math.max(folder.lastIndexOf("/"), isWindows ? folder.lastIndexOf("\\") : -1);
  const isDrive = isWindows && end === 2;
  return folder.slice(0, isDrive ? 3 : end) || "/";
}
