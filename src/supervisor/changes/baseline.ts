import type { Paths } from "../../config/paths.ts";
import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import type { World } from "../../world.ts";
import { wasReviewed } from "../record/missed.ts";
import type { RecordedPrompt } from "../record/prompts.ts";
import { type Baseline, baselineStore, type LaunchRecord, type SessionRecord } from "../record/session.ts";
import {
  type ChangedFile,
  type ChangeList,
  type Changes,
  DIFF_FORMAT,
  type DiffEntry,
  decodeText,
  NAMES_FORMAT,
  newLast,
  parseChanges,
  type Suspicion,
} from "./changes.ts";
import { findRepository, type Git, isStore, makeStore, NoTree, type Repository, takeSnapshot } from "./snapshot.ts";

/** Where an agent works, and where its baselines are kept. */
export interface BaselinePlace {
  readonly paths: Paths;
  readonly launch: Pick<LaunchRecord, "environment">;
  readonly project: string;
  /** The agent's current folder. */
  readonly cwd: string;
}

/**
 * Records the files at a prompt of the user. A message typed while the agent works belongs to the prompt before. While it is
 * unclear who wrote a prompt, the earlier baseline counts: the agent could hide its changes behind a prompt that it sent.
 */
export async function recordBaseline(
  world: World,
  record: SessionRecord,
  place: BaselinePlace,
  { prompt_id: promptId, doubt }: Pick<RecordedPrompt, "prompt_id" | "doubt">,
): Promise<void> {
  const settled = record.baseline.read();
  const held = record.candidates.read() ?? [];
  const before = held.at(-1) ?? settled;
  if (before !== undefined && isAtWork(record, before, promptId)) return;
  const isHeld = doubt !== undefined && settled !== undefined;
  if (isHeld && held.length >= MOST_CANDIDATES) return;
  const taken = await takeBaseline(world, place, promptId, before);
  if (!isHeld) replaceBaseline(world.files, place, record, following(taken, settled, record), []);
  else if (taken !== undefined) record.candidates.save([...held, taken]);
  if (taken?.why !== undefined)
    world.stderr(`ccc: no record of the files at this prompt: ${taken.why}. Its reviews do not list what changed.\n`);
}

/** Nobody sends more prompts without a stop. An older baseline shows more changes, not fewer. */
const MOST_CANDIDATES = 5;

/** Adopts the files at prompts that turned out to be the user's, and forgets those at prompts of others. */
export function settleBaseline(
  { files }: Pick<World, "files">,
  place: Pick<BaselinePlace, "paths">,
  record: SessionRecord,
  prompts: readonly RecordedPrompt[],
): void {
  const held = record.candidates.read() ?? [];
  if (held.length === 0) return;
  const before = record.baseline.read();
  let baseline = before;
  let kept: Baseline[] = [];
  for (const candidate of held) {
    const prompt =
      candidate.prompt_id === null
        ? prompts.findLast(({ at }) => at <= candidate.at)
        : prompts.find(({ prompt_id }) => prompt_id === candidate.prompt_id);
    if (prompt === undefined || prompt.doubt !== undefined) kept.push(candidate);
    else if (prompt.by_user && candidate.at >= (baseline?.at ?? "")) {
      baseline = following(candidate, baseline, record);
      kept = [];
    }
  }
  if (kept.length < held.length) replaceBaseline(files, place, record, baseline, kept);
}

/** The baseline of a loop's current prompt. The session begins only after the first prompt, and so does its record. */
export interface LoopBaseline {
  readonly take: () => Promise<void>;
  readonly save: (record: SessionRecord) => void;
  /** Undefined before the first prompt. */
  readonly current: () => Baseline | undefined;
}

/** `resumed` is the record of a session that continues. */
export function loopBaseline(world: World, place: BaselinePlace, resumed: SessionRecord | undefined): LoopBaseline {
  let record = resumed;
  let baseline: Baseline | undefined = resumed?.baseline.read();
  return {
    take: async () => {
      const before = baseline;
      baseline = following(await takeBaseline(world, place, null, before), before, record);
      removeUnused(world.files, place, [before], [baseline]);
    },
    save: (opened) => {
      record = opened;
      keepBaseline(opened, baseline);
    },
    current: () => baseline,
  };
}

/** The changes in one worktree. Their paths are relative to its top folder. */
export interface FoundChanges {
  readonly entries: readonly DiffEntry[];
  readonly top: string;
  /** The top folder of the project's worktree, which may be another one. */
  readonly mainTop: string;
  readonly read: ReadTexts;
}

/** The texts by their ids, without those that could not be read. Throws NoTree. */
type ReadTexts = (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;

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
  const isKnown = baseline?.repository === repository.id && isStore(files, baselineStore(place.paths, baseline.store));
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
      // A worktree that did not exist then is compared with the project.
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
  const request = {
    repository,
    store: baselineStore(place.paths, base.store),
    known: base.index,
    keptAs: undefined,
    ownFolder: place.paths.generated,
    env: place.launch.environment.plain,
    deadline,
  };
  return takeSnapshot(world, request, async (now) => {
    const since = async (tree = now.tree) => (tree === now.tree ? [] : await difference(now.git, tree, now.tree));
    const entries = await since(base.tree);
    const unseen = base.unseen === base.tree ? [] : await since(base.unseen);
    const readUntil = Math.min(deadline, world.now().getTime() + LONGEST_READ_MS);
    await onFound({ entries, unseen }, async (ids) => {
      const contents = await now.read(ids, readUntil);
      return new Map([...contents].map(([id, content]) => [id, decodeText(content)]));
    });
    return now.tree;
  });
}

async function difference(git: Git, before: string, now: string): Promise<DiffEntry[]> {
  const diff = async (format: readonly string[]) => parseChanges(await git(["diff-tree", ...format, before, now]));
  try {
    return await diff(DIFF_FORMAT);
  } catch (error) {
    // The repository has lost the content of a former file, so lines cannot be counted.
    if (error instanceof NoTree && error.why === "git failed") return diff(NAMES_FORMAT);
    throw error;
  }
}

type Listed = NonNullable<ChangeList["unseen"]>;

/** What is in the first list, but not in the other. */
function without({ files, suspicious }: Listed, other: Listed): Listed {
  return {
    files: files.filter(({ path }) => !other.files.some((each) => each.path === path)),
    suspicious: suspicious.filter(({ text }) => !other.suspicious.some((each) => each.text === text)),
  };
}

function absolute(top: string, file: ChangedFile): ChangedFile {
  return { ...file, path: join(top, file.path), from: file.from === undefined ? undefined : join(top, file.from) };
}

/** Short compared with a review. */
const LONGEST_MS = 10_000;
const LONGEST_READ_MS = 3_000;
const MOST_FILES = 1_000;

/** The repository and, if the agent is in another worktree of it, that one. */
function worktreesOf(files: Files, repository: Repository, cwd: string): Repository[] {
  const current = findRepository(files, cwd);
  const isOther = current?.common === repository.common && current.top !== repository.top;
  return current !== undefined && isOther ? [repository, current] : [repository];
}

/**
 * A baseline that follows another one. If no review has seen the work since that one, its files are still needed for the
 * comparison. Baselines in different stores cannot be compared.
 */
function following(
  next: Baseline | undefined,
  before: Baseline | undefined,
  record: SessionRecord | undefined,
): Baseline | undefined {
  if (next === undefined || before?.store !== next.store || (record !== undefined && wasReviewed(record, before.at)))
    return next;
  const unseen = before.unseen ?? before.trees;
  return unseen.length === 0 ? next : { ...next, unseen };
}

function replaceBaseline(
  files: Files,
  place: Pick<BaselinePlace, "paths">,
  record: SessionRecord,
  baseline: Baseline | undefined,
  candidates: readonly Baseline[],
): void {
  const before = [record.baseline.read(), ...(record.candidates.read() ?? [])];
  keepBaseline(record, baseline);
  if (candidates.length > 0) record.candidates.save([...candidates]);
  else record.candidates.remove();
  removeUnused(files, place, before, [baseline, ...candidates]);
}

function removeUnused(
  files: Files,
  { paths }: Pick<BaselinePlace, "paths">,
  before: readonly (Baseline | undefined)[],
  used: readonly (Baseline | undefined)[],
): void {
  const isUsed = (store: string) => used.some((each) => each?.store === store);
  for (const each of before)
    if (each !== undefined && !isUsed(each.store)) files.removeFolder(baselineStore(paths, each.store));
}

/** If the last prompt has no baseline, an older one must not take its place. */
function keepBaseline(record: SessionRecord, baseline: Baseline | undefined): void {
  if (baseline === undefined) record.baseline.remove();
  else record.baseline.save(baseline);
}

/** Whether the prompt came while the agent worked. Without ids, in older versions, it counts as working until it stops. */
function isAtWork(record: SessionRecord, before: Baseline, promptId: string | null): boolean {
  return promptId === null ? !hasStopped(record, before) : promptId === before.prompt_id;
}

function hasStopped({ stops }: SessionRecord, { at }: Baseline): boolean {
  return (stops.modified() ?? 0) > Date.parse(at);
}

/** The agent waits for a baseline. */
const LONGEST_PROMPT_MS = 2_000;
/** If a baseline took too long, the prompts of the next minutes get none. */
const PAUSE_MS = 600_000;
/** A larger store is replaced by a new one. */
const LARGEST_STORE = 128_000_000;

/** Records the files of the project's repository. Without a repository it returns undefined, and git does not start. */
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
    const folder = baselineStore(place.paths, store);
    makeStore(files, folder, repository);
    for (const worktree of worktreesOf(files, repository, place.cwd)) {
      const index = `index-${trees.length}`;
      const known = kept?.trees.find(({ top }) => top === worktree.top)?.index;
      const request = {
        repository: worktree,
        store: folder,
        known,
        keptAs: index,
        ownFolder: place.paths.generated,
        env: place.launch.environment.plain,
        deadline: now.getTime() + LONGEST_PROMPT_MS,
      };
      const taken = await takeSnapshot(world, request, async ({ tree, bytes: read }) => ({ tree, read }));
      trees.push({ top: worktree.top, tree: taken.tree, index });
      bytes += taken.read;
    }
    return { ...start, bytes, trees };
  } catch (error) {
    return { ...start, bytes, trees: [], why: error instanceof NoTree ? error.why : "git failed" };
  }
}

function isReusable({ files }: World, place: BaselinePlace, repository: Repository, before: Baseline): boolean {
  const isSame = before.repository === repository.id && before.trees[0]?.top === repository.top;
  return isSame && before.bytes <= LARGEST_STORE && isStore(files, baselineStore(place.paths, before.store));
}
