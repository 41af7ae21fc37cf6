import { join } from "node:path";
import type { World } from "../../world.ts";
import { type Baseline, type BaselinePlace, storeFolder, worktreesOf } from "./baseline.ts";
import { type ChangedFile, type Changes, DIFF_FORMAT, NAMES_FORMAT, parseChanges } from "./changes.ts";
import { clearMarks } from "./clear-marks.ts";
import { writeFileTree } from "./file-tree.ts";
import { findRepository, type Repository } from "./find-repository.ts";
import { type Git, NoTree, ownGit } from "./own-git.ts";
import { isStore, makePart } from "./store.ts";

/** A review takes longer. */
const LONGEST_MS = 10_000;
const MOST_FILES = 1_000;

/** Looks for the changes when they are first asked for, and then remembers them. */
export function changesWhenAsked(...args: Parameters<typeof changesSince>): () => Promise<Changes> {
  let changes: Promise<Changes> | undefined;
  return () => {
    changes ??= changesSince(...args);
    return changes;
  };
}

/** What changed since the baseline, committed or not, in the project and in the worktree that the agent is in. */
export async function changesSince(
  world: World,
  place: BaselinePlace,
  baseline: Baseline | undefined,
): Promise<Changes> {
  const { files } = world;
  const repository = findRepository(files, place.project);
  if (repository === undefined) return { why: "not a git repository" };
  if (baseline?.why !== undefined) return { why: baseline.why };
  const [first] = baseline?.trees ?? [];
  const isKnown = baseline?.repository === repository.id && isStore(files, storeFolder(place, baseline.store));
  if (first === undefined || !isKnown) return { why: "no baseline" };

  const deadline = world.now().getTime() + LONGEST_MS;
  const [main, other] = worktreesOf(files, repository, place.cwd);
  const worktrees = [main, other].filter((each) => each !== undefined);
  try {
    const found: ChangedFile[] = [];
    const ids: string[] = [];
    for (const worktree of worktrees) {
      // A worktree that is new since then is compared with the project.
      const known = baseline.trees.find(({ top }) => top === worktree.top);
      const base = { tree: known?.tree ?? first.tree, index: known?.index, store: baseline.store };
      const { tree, changed } = await compare(world, place, worktree, base, deadline);
      ids.push(tree);
      found.push(...(worktree === main ? changed : changed.map((file) => absolute(worktree.top, file))));
    }
    return {
      since: baseline.at,
      top: repository.top,
      worktree: other?.top,
      files: found.slice(0, MOST_FILES),
      more: Math.max(0, found.length - MOST_FILES),
      tree: ids.join(" "),
    };
  } catch (error) {
    return { why: error instanceof NoTree ? error.why : "git failed" };
  }
}

interface Base {
  readonly store: string;
  readonly tree: string;
  /** The agent can mark files as unchanged in the repository's index, but not in this one. */
  readonly index: string | undefined;
}

async function compare(
  world: World,
  place: BaselinePlace,
  repository: Repository,
  base: Base,
  deadline: number,
): Promise<{ tree: string; changed: ChangedFile[] }> {
  const { files } = world;
  const store = storeFolder(place, base.store);
  const part = makePart(files, store, repository, base.index);
  try {
    const env = place.launch.environment.plain;
    const git = ownGit(world, { repository, store, index: part.index, objects: part.objects, env, deadline });
    if (base.index === undefined) await clearMarks(files, git, repository.top);
    const { id } = await writeFileTree(files, git, { ...repository, ownFolder: place.paths.generated });
    return { tree: id, changed: id === base.tree ? [] : await difference(git, base.tree, id) };
  } finally {
    files.removeFolder(part.folder);
  }
}

async function difference(git: Git, before: string, now: string): Promise<ChangedFile[]> {
  const diff = async (format: readonly string[]) => parseChanges(await git(["diff-tree", ...format, before, now]));
  try {
    return await diff(DIFF_FORMAT);
  } catch (error) {
    // The repository no longer has a former file, so its lines cannot be counted.
    if (error instanceof NoTree && error.why === "git failed") return diff(NAMES_FORMAT);
    throw error;
  }
}

function absolute(top: string, file: ChangedFile): ChangedFile {
  return { ...file, path: join(top, file.path), from: file.from === undefined ? undefined : join(top, file.from) };
}
