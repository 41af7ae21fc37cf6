import type { World } from "../../world.ts";
import { type Baseline, type BaselinePlace, storeFolder, worktreesOf } from "./baseline.ts";
import { clearMarks } from "./clear-marks.ts";
import { type FileTree, writeFileTree } from "./file-tree.ts";
import { findRepository, type Repository } from "./find-repository.ts";
import { NoTree, ownGit } from "./own-git.ts";
import { isStore, keepIndex, makePart, makeStore } from "./store.ts";

/** The agent waits for a baseline. */
const LONGEST_MS = 2_000;
/** After one that took too long, prompts do without for some time. */
const PAUSE_MS = 600_000;
/** A larger store is replaced by a new one. */
const LARGEST_STORE = 128_000_000;

/** Records the files of the project's repository. Undefined if there is none; then git is not started at all. */
export async function takeBaseline(
  world: World,
  place: BaselinePlace,
  promptId: string | null,
  before: Baseline | undefined,
): Promise<Baseline | undefined> {
  const { files } = world;
  const repository = findRepository(files, place.project);
  if (repository === undefined) return undefined;
  const now = world.now();
  const isPausing = before?.why === "too slow" && now.getTime() - Date.parse(before.at) < PAUSE_MS;
  if (isPausing) return { ...before, prompt_id: promptId };

  const kept = before !== undefined && isReusable(world, place, repository, before) ? before : undefined;
  const store = kept?.store ?? crypto.randomUUID();
  const start = { at: now.toISOString(), prompt_id: promptId, repository: repository.id, store };
  const trees: Baseline["trees"] = [];
  let bytes = kept?.bytes ?? 0;
  try {
    if (before !== undefined && kept === undefined) files.removeFolder(storeFolder(place, before.store));
    const folder = storeFolder(place, store);
    makeStore(files, folder, repository);
    for (const worktree of worktreesOf(files, repository, place.cwd)) {
      const index = `index-${trees.length}`;
      const known = kept?.trees.find(({ top }) => top === worktree.top)?.index;
      const deadline = now.getTime() + LONGEST_MS;
      const tree = await keepTree(world, place, worktree, { folder, known, index, deadline });
      trees.push({ top: worktree.top, tree: tree.id, index });
      bytes += tree.bytes;
    }
    return { ...start, bytes, trees };
  } catch (error) {
    return { ...start, bytes, trees: [], why: error instanceof NoTree ? error.why : "git failed" };
  }
}

function isReusable({ files }: World, place: BaselinePlace, repository: Repository, before: Baseline): boolean {
  const isSame = before.repository === repository.id && before.trees[0]?.top === repository.top;
  return isSame && before.bytes <= LARGEST_STORE && isStore(files, storeFolder(place, before.store));
}

interface Kept {
  readonly folder: string;
  /** The index to start with. */
  readonly known: string | undefined;
  /** The index to keep. */
  readonly index: string;
  readonly deadline: number;
}

async function keepTree(
  world: World,
  { paths, launch }: BaselinePlace,
  repository: Repository,
  { folder, known, index, deadline }: Kept,
): Promise<FileTree> {
  const { files } = world;
  const part = makePart(files, folder, repository, known);
  try {
    const git = ownGit(world, {
      ...{ repository, store: folder, index: part.index, objects: `${folder}/objects` },
      ...{ env: launch.environment.plain, deadline },
    });
    if (known === undefined) await clearMarks(files, git, repository.top);
    const tree = await writeFileTree(files, git, { ...repository, ownFolder: paths.generated });
    keepIndex(files, part, folder, index);
    return tree;
  } finally {
    files.removeFolder(part.folder);
  }
}
