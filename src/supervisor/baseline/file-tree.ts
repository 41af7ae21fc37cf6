import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import { type Repository, repositoryAt, smallText } from "./find-repository.ts";
import { type Git, NoTree } from "./own-git.ts";
import { type IndexUpdate, indexInfo, planUpdate } from "./plan-update.ts";

export interface TreePlace extends Pick<Repository, "top" | "format"> {
  /** The folder of ccc's records, which count for nothing. It may be in the repository. */
  readonly ownFolder: string;
}

export interface FileTree {
  /** The id of a git tree with all files that git does not ignore. */
  readonly id: string;
  /** How much was read for it. */
  readonly bytes: number;
}

/**
 * Writes a tree of the files as they are. Unlike `git add`, these commands look into no repository inside the
 * repository: git would run there with a configuration that names programs.
 */
export async function writeFileTree(files: Files, git: Git, place: TreePlace): Promise<FileTree> {
  const bytes = await update(files, git, place, await git(["ls-files", "-z", "-o", "-m", "-d", "--exclude-standard"]));
  try {
    return { id: await write(git), bytes };
  } catch (error) {
    const unmerged = (await git(["ls-files", "-z", "-u"])).replaceAll(/[^\0\t]*\t([^\0]*\0)/g, "$1");
    if (unmerged === "") throw error;
    return { bytes: bytes + (await update(files, git, place, unmerged)), id: await write(git) };
  }
}

async function write(git: Git): Promise<string> {
  // Objects may be missing in a partial clone.
  const id = (await git(["write-tree", "--missing-ok"])).trim();
  if (!TREE_ID.test(id)) throw new NoTree("git failed");
  return id;
}

export const TREE_ID = /^[0-9a-f]{40,64}$/;

/** More would take too long. */
const MOST_PATHS = 50_000;

async function update(files: Files, git: Git, place: TreePlace, listed: string): Promise<number> {
  const paths = listed.split("\0").filter((path) => path !== "" && !isOwn(place, path));
  if (paths.length > MOST_PATHS) throw new NoTree("too many files");
  const plan: IndexUpdate = planUpdate(paths, {
    entry: (path) => files.entry(join(place.top, path)),
    inner: (path) => innerRepository(files, join(place.top, path)),
  });
  if (plan.removed.length > 0 || plan.standIns.length > 0) {
    const info = indexInfo(plan, place.format);
    await git(["update-index", "--add", "--replace", "-z", "--index-info"], info);
  }
  if (plan.read.length > 0) {
    const paths = plan.read.map((path) => `${path}\0`).join("");
    await git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], paths);
  }
  return plan.bytes;
}

function isOwn({ top, ownFolder }: TreePlace, path: string): boolean {
  return `${join(top, path)}/`.startsWith(`${ownFolder}/`);
}

/** Changes with each commit and checkout there. */
function innerRepository(files: Files, folder: string): string | undefined {
  const found = repositoryAt(files, folder);
  if (found === undefined) return undefined;
  const head = smallText(files, join(found.gitDir, "HEAD")) ?? "";
  return `${head}${files.modified(join(found.gitDir, "logs/HEAD")) ?? ""}`;
}
