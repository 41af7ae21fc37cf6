import { join } from "../../os/path.ts";
import type { World } from "../../world.ts";
import type { Suspicion } from "../tampering/suspicion.ts";
import { type Baseline, type BaselinePlace, storeFolder, worktreesOf } from "./baseline.ts";
import {
  type ChangedFile,
  type ChangeList,
  type Changes,
  DIFF_FORMAT,
  type DiffEntry,
  NAMES_FORMAT,
  newLast,
  parseChanges,
} from "./changes.ts";
import { clearMarks } from "./clear-marks.ts";
import { writeFileTree } from "./file-tree.ts";
import { findRepository, type Repository } from "./find-repository.ts";
import { type Git, NoTree, ownGit, ownGitBytes } from "./own-git.ts";
import { readBlobs } from "./read-blobs.ts";
import { isStore, makePart } from "./store.ts";

/** A review takes longer. */
const LONGEST_MS = 10_000;
const LONGEST_READ_MS = 3_000;
const MOST_FILES = 1_000;

/** The changes in one worktree. Their paths are relative to its top folder. */
export interface FoundChanges {
  readonly entries: readonly DiffEntry[];
  readonly top: string;
  /** The top folder of the project's worktree, which may be another one. */
  readonly mainTop: string;
  readonly read: ReadTexts;
}

/** The texts by their ids, without those that could not be read. Throws NoTree. */
export type ReadTexts = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

/** Looks for changes that deserve suspicion. */
export type Examine = (found: FoundChanges) => Promise<readonly Suspicion[]>;

/** What changed since the baseline, committed or not, in the project and in the worktree that the agent is in. */
export async function changesSince(
  world: World,
  place: BaselinePlace,
  baseline: Baseline | undefined,
  examine: Examine,
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
    const suspicious: Suspicion[] = [];
    const earlier = { files: [] as ChangedFile[], suspicious: [] as Suspicion[] };
    for (const worktree of worktrees) {
      // A worktree that is new since then is compared with the project.
      const known = baseline.trees.find(({ top }) => top === worktree.top);
      const base = { tree: known?.tree ?? first.tree, index: known?.index, store: baseline.store };
      const unseen = baseline.unseen?.find(({ top }) => top === worktree.top)?.tree;
      const look = (entries: readonly DiffEntry[], read: ReadTexts) =>
        examine({ entries, top: worktree.top, mainTop: repository.top, read });
      const inWorktree = (changed: readonly DiffEntry[]) =>
        changed.map(({ ids: _, ...file }) => (worktree === main ? file : absolute(worktree.top, file)));
      const tree = await compare(world, place, worktree, { ...base, unseen }, deadline, async (compared, read) => {
        found.push(...inWorktree(compared.entries));
        suspicious.push(...(await look(compared.entries, read)));
        earlier.files.push(...inWorktree(compared.unseen));
        earlier.suspicious.push(...(await look(compared.unseen, read)));
      });
      ids.push(tree);
    }
    const unseen = without(earlier, { files: found, suspicious });
    return {
      since: baseline.at,
      top: repository.top,
      worktree: other?.top,
      files: found.length > MOST_FILES ? newLast(found).slice(0, MOST_FILES) : found,
      more: Math.max(0, found.length - MOST_FILES),
      tree: ids.join(" "),
      suspicious,
      ...(unseen.files.length + unseen.suspicious.length > 0 ? { unseen } : {}),
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
  /** The files before work that no review has seen. */
  readonly unseen: string | undefined;
}

interface Compared {
  readonly entries: readonly DiffEntry[];
  readonly unseen: readonly DiffEntry[];
}

async function compare(
  world: World,
  place: BaselinePlace,
  repository: Repository,
  base: Base,
  deadline: number,
  onFound: (compared: Compared, read: ReadTexts) => Promise<void>,
): Promise<string> {
  const { files } = world;
  const store = storeFolder(place, base.store);
  const part = makePart(files, store, repository, base.index);
  try {
    const env = place.launch.environment.plain;
    const own = { repository, store, index: part.index, objects: part.objects, env, deadline };
    const git = ownGit(world, own);
    if (base.index === undefined) await clearMarks(files, git, repository.top);
    const { id } = await writeFileTree(files, git, { ...repository, ownFolder: place.paths.generated });
    const since = async (tree = id) => (tree === id ? [] : await difference(git, tree, id));
    const entries = await since(base.tree);
    const unseen = base.unseen === base.tree ? [] : await since(base.unseen);
    const readUntil = Math.min(deadline, world.now().getTime() + LONGEST_READ_MS);
    const read: ReadTexts = (ids) =>
      readBlobs(ownGitBytes(world, { ...own, deadline: readUntil }), ids, repository.format);
    await onFound({ entries, unseen }, read);
    return id;
  } finally {
    files.removeFolder(part.folder);
  }
}

async function difference(git: Git, before: string, now: string): Promise<DiffEntry[]> {
  const diff = async (format: readonly string[]) => parseChanges(await git(["diff-tree", ...format, before, now]));
  try {
    return await diff(DIFF_FORMAT);
  } catch (error) {
    // The repository no longer has a former file, so its lines cannot be counted.
    if (error instanceof NoTree && error.why === "git failed") return diff(NAMES_FORMAT);
    throw error;
  }
}

type Listed = NonNullable<ChangeList["unseen"]>;

/** What is in one list, but not in the other. */
function without({ files, suspicious }: Listed, other: Listed): Listed {
  return {
    files: files.filter(({ path }) => !other.files.some((each) => each.path === path)),
    suspicious: suspicious.filter(({ text }) => !other.suspicious.some((each) => each.text === text)),
  };
}

function absolute(top: string, file: ChangedFile): ChangedFile {
  return { ...file, path: join(top, file.path), from: file.from === undefined ? undefined : join(top, file.from) };
}
