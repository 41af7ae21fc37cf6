/** The folders that git reads a repository from. `.git` files, links and alternates can lead to those of another one. */
import type { Files } from "../../os/files.ts";
import { absolute, type Disk, isWithin } from "./places.ts";

/**
 * Git's folders of the repository that a folder belongs to, as a launch sees them before the agent can change them. They are
 * elsewhere if the folder is below the top of the repository, a worktree, a submodule or a shared clone.
 */
export function seenGitFolders(folder: string, files: Files): string[] {
  const disk = diskOf(files);
  let at = disk.realPath(folder);
  while (at !== undefined) {
    const found = repositoryPlaces(at, disk);
    const above = at.slice(0, at.lastIndexOf("/"));
    if (found.length > 0 || above === at) return found;
    at = above;
  }
  return [];
}

/** The folders that git reads of the repository with this top folder; empty if there is no repository. */
function repositoryPlaces(top: string, disk: Disk): string[] {
  const dotGit = disk.realPath(`${top}/.git`);
  if (dotGit === undefined) return [];
  const named = /^gitdir: (.*?)\r?\n?$/s.exec(disk.read(dotGit) ?? "")?.[1];
  const gitDir = named === undefined ? dotGit : disk.realPath(absolute(named, top));
  if (gitDir === undefined) return [];
  const shared = disk.read(`${gitDir}/commondir`)?.trim();
  const common = shared === undefined ? gitDir : absolute(shared, gitDir);
  return gitPlaces([gitDir, common, `${common}/objects`], disk);
}

/**
 * Git's folders of a repository with everything that links and alternates in them lead to. Links to single objects do not
 * count: whoever can make them could also copy what they lead to.
 */
export function gitPlaces(folders: readonly string[], disk: Disk): string[] {
  const found = new Set<string>();
  const listed = new Set<string>();
  const visit = (path: string) => {
    const real = disk.realPath(path);
    if (real === undefined || found.has(real)) return;
    found.add(real);
    for (const folder of [real, `${real}/objects`, `${real}/pack`, `${real}/info`]) {
      // The folder of the objects, which has hundreds of folders, is reached twice.
      if (listed.has(folder)) continue;
      listed.add(folder);
      for (const { name, isLink } of disk.list(folder)) if (isLink && name !== "hooks") visit(`${folder}/${name}`);
    }
    for (const line of (disk.read(`${real}/info/alternates`) ?? "").split("\n")) {
      // Quoted as in C, it may lead anywhere. As it is no path, it counts as unknown.
      if (line.startsWith('"')) found.add(line);
      else if (line !== "" && !line.startsWith("#")) visit(absolute(line, real));
    }
  };
  for (const folder of folders) visit(folder);
  return [...found];
}

/**
 * Whether git's folder of a worktree belongs to this repository and names this worktree. `git worktree add` writes that
 * outside the worktree, where an agent does not.
 */
export function isWorktreeOf([gitDir = "", common = ""]: readonly string[], top: string, disk: Disk): boolean {
  const [own, all] = [disk.realPath(gitDir), disk.realPath(`${common}/worktrees`)];
  const back = disk.read(`${gitDir}/gitdir`)?.trim();
  if (own === undefined || all === undefined || back === undefined || !isWithin(own, all)) return false;
  const named = disk.realPath(absolute(back, own));
  return named !== undefined && named === disk.realPath(`${top}/.git`);
}

/** ccc's files, as the guard sees a disk. */
function diskOf(files: Files): Disk {
  const quietly = <T>(look: () => T | undefined) => {
    try {
      return look();
    } catch {
      return undefined;
    }
  };
  return {
    realPath: (path) => quietly(() => files.realPath(path).replaceAll("\\", "/")),
    list: (folder) =>
      (quietly(() => files.list(folder)) ?? []).map((name) => {
        const kind = quietly(() => files.entry(`${folder}/${name}`)?.kind);
        return { name, isFolder: kind === "folder", isLink: kind === "link" };
      }),
    read: (path) => quietly(() => (files.identify(path)?.isFile === true ? files.read(path) : undefined)),
    isPipe: (path) => quietly(() => files.entry(path)?.kind === "other") ?? false,
  };
}
