import { basename } from "node:path";
import { shownName } from "../../os/names.ts";
import type { World } from "../../world.ts";
import type { BaselinePlace } from "../changes/baseline.ts";
import { decodeText, STAND_IN_MODE } from "../changes/changes.ts";
import {
  findRepository,
  folderBelow,
  isStore,
  NoTree,
  type Repository,
  type Snapshot,
  takeSnapshot,
} from "../changes/snapshot.ts";
import { isTestFile, readTests, type TestItem } from "../changes/test-languages.ts";
import { configurationKind } from "../changes/test-suspicions.ts";
import { type Baseline, baselineStore } from "../record/session.ts";

/** Why there is no copy of the project, for a sentence: "no proof: <why>". */
export class NoCopy extends Error {
  readonly why: string;

  constructor(why: string) {
    super(why);
    this.why = why;
  }
}

/** The files of a repository by their paths, relative to its top folder. */
export type FileTree = ReadonlyMap<string, TreeFile>;

export interface TreeFile {
  readonly mode: string;
  /** Git's id of the content. */
  readonly id: string;
}

/** The files of a project at the user's prompt and now, and what a copy of them needs. */
export interface ProjectTrees {
  readonly repository: Repository;
  /** The project's folder, relative to the repository's top folder; "" for that itself. */
  readonly folder: string;
  readonly before: FileTree;
  readonly now: FileTree;
  /** Identifies both trees. */
  readonly id: string;
  /** By id: links, and files that differ between the trees. Those that were too large are missing. */
  readonly contents: ReadonlyMap<string, Buffer>;
  /** When the user's prompt was recorded, in milliseconds. */
  readonly since: number;
  /** Paths that git ignores; folders end with a slash. */
  readonly ignored: readonly string[];
}

/** Reads the trees from ccc's own git folder. The project is only read, and none of its hooks or filters runs. Throws NoCopy. */
export async function readTrees(
  world: World,
  place: BaselinePlace,
  baseline: Baseline | undefined,
): Promise<ProjectTrees> {
  const { files } = world;
  const repository = findRepository(files, place.project);
  if (repository === undefined) throw new NoCopy("the project is not a git repository");
  const base = baseline?.trees.find(({ top }) => top === repository.top);
  const store = baselineStore(place.paths, baseline?.store ?? "");
  if (baseline === undefined || base === undefined || baseline.repository !== repository.id || !isStore(files, store))
    throw new NoCopy(`the files at the prompt are not known${baseline?.why === undefined ? "" : ` (${baseline.why})`}`);
  const deadline = world.now().getTime() + LONGEST_READ_MS;
  const request = {
    repository,
    store,
    known: base.index,
    keptAs: undefined,
    ownFolder: place.paths.generated,
    env: place.launch.environment.plain,
    deadline,
  };
  try {
    return await takeSnapshot(world, request, async (snapshot) => {
      const before = await listTree(snapshot, base.tree);
      const now = base.tree === snapshot.tree ? before : await listTree(snapshot, snapshot.tree);
      const ids = new Set([before, now].flatMap((tree, at) => neededIds(tree, at === 0 ? now : before)));
      const contents = ids.size === 0 ? new Map<string, Buffer>() : await snapshot.read([...ids], deadline);
      const ignored = (await snapshot.git(IGNORED)).split("\0").filter((path) => path !== "");
      const folder = folderBelow(files, repository.top, place.project);
      const since = Date.parse(baseline.at);
      return { repository, folder, before, now, id: `${base.tree} ${snapshot.tree}`, contents, since, ignored };
    });
  } catch (error) {
    throw error instanceof NoTree ? new NoCopy(`the files could not be read (${error.why})`) : error;
  }
}

const LONGEST_READ_MS = 10_000;
const IGNORED = ["ls-files", "-z", "-o", "-i", "--directory", "--exclude-standard"];

async function listTree({ git }: Snapshot, tree: string): Promise<FileTree> {
  const output = await git(["ls-tree", "-r", "-z", "--full-tree", tree]);
  return new Map(
    output.split("\0").flatMap((line): [string, TreeFile][] => {
      const [, mode = "", id = "", path = ""] = /^(\d+) \w+ (\w+)\t(.*)$/s.exec(line) ?? [];
      return path === "" || MADE_BY_RUNS.test(path) ? [] : [[path, { mode, id }]];
    }),
  );
}

/** Caches that a run of the code leaves behind, where git does not ignore them. They are no part of a project. */
export const MADE_BY_RUNS =
  /(?:^|\/)(?:__pycache__|\.(?:pytest|mypy|ruff)_cache|\.nyc_output)\/|(?:^|\/)\.DS_Store$|\.pyc$/;

export const LINK_MODE = "120000";

/** The ids of what cannot be copied from the project. */
function neededIds(tree: FileTree, other: FileTree): string[] {
  return [...tree].flatMap(([path, { mode, id }]) => {
    if (mode === STAND_IN_MODE) return [];
    return mode === LINK_MODE || other.get(path)?.id !== id ? [id] : [];
  });
}

/** Which tests are worth running. At least one list has some. */
export interface ProofPlan {
  /** Tests as of the prompt that were changed, moved or deleted, and new settings of their runner. */
  readonly changed: readonly string[];
  /** Tests that are new, or assert something new, and came with code. */
  readonly added: readonly string[];
}

export function planProof(trees: ProjectTrees): ProofPlan | { readonly why: string; readonly isWhole: boolean } {
  const { before, now } = trees;
  const paths = [...new Set([...before.keys(), ...now.keys()])].filter(
    (path) => !isSame(before.get(path), now.get(path)),
  );
  const [tests, code] = [true, false].map((isTest) => paths.filter((path) => belongsToTests(path) === isTest));
  const inside = code?.find((path) => TESTS_INSIDE.test(path));
  const hadTests = [...before.keys()].some(isTestFile);
  const changed = tests?.filter((path) => before.has(path) || (hadTests && governsTests(path, trees))) ?? [];
  const hasCode = code?.some((path) => !PROSE.test(path)) === true;
  const says = newStatements(trees, paths);
  const added = hasCode ? (tests?.filter((path) => now.has(path) && isTestFile(path) && says(path)) ?? []) : [];
  const isWhole = changed.length + added.length === 0;
  if (inside !== undefined) return { why: `its language has tests inside the source: ${shownName(inside)}`, isWhole };
  if (isWhole) return { why: "no test has changed", isWhole };
  return { changed, added };
}

function isSame(
  one: { id: string; mode: string } | undefined,
  other: { id: string; mode: string } | undefined,
): boolean {
  return one?.id === other?.id && one?.mode === other?.mode;
}

/** Rust and Zig. */
const TESTS_INSIDE = /\.(?:rs|zig)$/;
const PROSE = /\.(?:md|txt|rst|adoc)$/i;

/** Tests, their data and the configuration of what runs them. */
export function belongsToTests(path: string): boolean {
  if (FOREIGN.test(path)) return false;
  return isTestFile(path) || TEST_FOLDERS.test(path) || SNAPSHOTS.test(path) || configurationKind(path) === "tests";
}

/**
 * Whether a new file can leave out tests that were there before, or stand in for the code: settings of a runner that say so,
 * and mocks. Others may just be needed, such as a linter's first ones.
 */
function governsTests(path: string, { now, contents }: ProjectTrees): boolean {
  if (/(?:^|\/)__mocks__\//.test(path)) return true;
  if (configurationKind(path) !== "tests" || NO_RUNNER.test(basename(path))) return false;
  const content = contents.get(now.get(path)?.id ?? "");
  return content !== undefined && LEAVES_OUT.test(decodeText(content) ?? "");
}

const NO_RUNNER =
  /lint|jshint|biome|ruff|flake8|mypy|pyright|rubocop|golangci|clippy|phpstan|psalm|detekt|checkstyle|credo|cov|tarpaulin/i;
const LEAVES_OUT =
  /ignore|exclude|deselect|skip|xfail|include|testMatch|testRegex|testDir|testpaths|python_files|addopts|\bspec\b|grep|passWithNoTests|mock|patch|autouse|pytest_\w+|setupFiles|filter/i;

const FOREIGN = /(?:^|\/)(?:node_modules|site-packages|\.venv)\//;
const TEST_FOLDERS =
  /(?:^|\/)(?:__tests__|__mocks__|tests?|specs?|e2e|cypress|androidtest|fixtures?|__fixtures__|testdata|test-data|__snapshots__)\//i;
const SNAPSHOTS = /\.(?:snap|ambr|golden|approved\.\w+)$/;

/** Whether a test says something that no test as of the prompt says: not if it was only moved, renamed or reformatted. */
function newStatements({ before, now, contents }: ProjectTrees, paths: readonly string[]): (path: string) => boolean {
  const textOf = (tree: FileTree, path: string) => {
    const content = contents.get(tree.get(path)?.id ?? "");
    return content === undefined ? undefined : decodeText(content);
  };
  const testsIn = (tree: FileTree, path: string) => readTests(path, textOf(tree, path) ?? "");
  const files = (tree: FileTree) => paths.filter((path) => tree.has(path) && isTestFile(path));
  const tests = (tree: FileTree) => files(tree).flatMap((path) => testsIn(tree, path).tests);
  // A test may have moved to another file, from one that is still there.
  const old = files(before);
  const oldTexts = old.flatMap((path) => textOf(before, path) ?? []).map(withoutLayout);
  const isNew = withoutKnown(old.flatMap((path) => testsIn(before, path).assertions));
  const hasMore = tests(now).length > tests(before).length;
  return (path) => {
    const text = textOf(now, path);
    if (text === undefined || oldTexts.includes(withoutLayout(text))) return false;
    const read = readTests(path, text);
    return read.assertions.some(isNew) || (hasMore && read.tests.length > testsIn(before, path).tests.length);
  };
}

function withoutKnown(items: readonly TestItem[]): (item: TestItem) => boolean {
  const known = new Set(items.map(({ key }) => withoutLayout(key)));
  return ({ key }) => !known.has(withoutLayout(key));
}

/** Without what formatters change. */
function withoutLayout(text: string): string {
  return text
    .replaceAll(/^\s*(?:\/\/|#|\*|\/\*).*$/gm, "")
    .replaceAll(/[\s;,()]+/g, "")
    .replaceAll(/['`]/g, '"');
}
