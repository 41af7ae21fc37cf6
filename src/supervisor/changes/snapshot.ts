import { dirname, resolve } from "node:path";
import type { FileEntry, Files } from "../../os/files.ts";
import { nameFromBytes } from "../../os/names.ts";
import { join } from "../../os/path.ts";
import { type Env, programFolders, type World } from "../../world.ts";
import { TREE_ID } from "../record/session.ts";
import { type NoChanges, STAND_IN_MODE, standInText } from "./changes.ts";

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

/** A folder relative to the top folder of its repository; "" for the top folder. */
export function folderBelow(files: Files, top: string, folder: string): string {
  const real = files.realPath(folder);
  return real.startsWith(`${top}/`) ? real.slice(top.length + 1) : "";
}

/** The repository whose top folder this is. */
function repositoryAt(files: Files, top: string): Repository | undefined {
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
function smallText(files: Files, path: string): string | undefined {
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

/**
 * Makes ccc's own git folder for the files of a repository. With it, git reads neither the configuration nor the hooks of the
 * repository, which the agent may have written, and writes nothing there.
 */
export function makeStore(files: Files, store: string, { common, format }: Repository): void {
  files.makeFolder(store);
  // Earlier versions left its mode to the umask.
  files.makePrivate(dirname(store));
  for (const name of ["objects", "refs", "info", PARTS]) files.makeFolder(join(store, name));
  files.writePrivate(join(store, "HEAD"), "ref: refs/heads/none\n");
  files.writePrivate(join(store, "config"), ownConfig(smallText(files, join(common, "config")) ?? "", format));
  files.writePrivate(join(store, "info/attributes"), ATTRIBUTES);
  // As it is now: the agent could hide files with it later.
  const excluded = smallText(files, join(common, "info/exclude")) ?? "";
  files.writePrivate(join(store, "info/exclude"), `${IGNORED_BY_HABIT.join("\n")}\n${excluded}`);
}

/** What tests and editors leave behind, where a project has no .gitignore for it. Its own rules override these. */
const IGNORED_BY_HABIT = ["__pycache__/", ".pytest_cache/", ".DS_Store"];

export function isStore(files: Files, store: string): boolean {
  return files.identify(join(store, "objects"))?.isFolder === true;
}

/** Files are stored byte for byte: no filters, and no conversion of line ends. This file overrides all others. */
const ATTRIBUTES = "* -text !eol !crlf !filter !ident !working-tree-encoding !diff\n";

/** Overrides the user's own configuration. Of the repository's, only facts about the disk are taken over. */
function ownConfig(repositoryConfig: string, format: Repository["format"]): string {
  const facts = repositoryConfig.matchAll(
    /^\s*(filemode|symlinks|ignorecase|precomposeunicode)\s*=\s*(true|false)\s*$/gim,
  );
  return [
    "[core]",
    `repositoryformatversion = ${format === "sha1" ? 0 : 1}`,
    "bare = false",
    "sharedrepository = 0600",
    "fsmonitor = false",
    "hookspath = /dev/null",
    "untrackedcache = false",
    "splitindex = false",
    "sparsecheckout = false",
    "autocrlf = false",
    // Without these, a file with its old size and time would pass for unchanged.
    "trustctime = true",
    "checkstat = default",
    ...[...facts].map(([, key = "", value = ""]) => `${key} = ${value}`),
    ...(format === "sha1" ? [] : ["[extensions]", `objectformat = ${format}`]),
    "",
  ].join("\n");
}

/** What a snapshot is made of, and where its objects go. */
interface SnapshotRequest {
  /** Its files and objects are only read. */
  readonly repository: Repository;
  /** ccc's own git folder, see makeStore. */
  readonly store: string;
  /** The index in the store to start with. The agent can mark files as unchanged in the repository's own, but not there. */
  readonly known: string | undefined;
  /** The name under which the store keeps the index and the objects. Undefined: they are removed in the end. */
  readonly keptAs: string | undefined;
  /** The folder of ccc's records, which is left out. It may be in the repository. */
  readonly ownFolder: string;
  readonly env: Env;
  /** When git has to be done, in milliseconds. */
  readonly deadline: number;
}

/** The files as they are now. */
export interface Snapshot {
  /** The id of a git tree with all files that git does not ignore. */
  readonly tree: string;
  /** How many bytes were read for it. */
  readonly bytes: number;
  readonly git: Git;
  /** The content of files by their ids in git, without what is missing, too large, or does not match its id. */
  readonly read: (ids: readonly string[], deadline: number) => Promise<Map<string, Buffer>>;
}

/** Takes a snapshot, hands it to `use`, and removes what is not kept. Throws NoTree. */
export async function takeSnapshot<T>(
  world: World,
  request: SnapshotRequest,
  use: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  const { repository, store, known, keptAs, ownFolder, env, deadline } = request;
  const { files } = world;
  const part = makePart(files, store, repository, known);
  try {
    const objects = keptAs === undefined ? part.objects : join(store, "objects");
    const run = { repository, store, index: part.index, objects, env, deadline };
    const git = ownGit(world, run);
    if (known === undefined) await clearFlags(files, git, repository.top);
    const { tree, bytes } = await writeFileTree(files, git, { ...repository, ownFolder });
    if (keptAs !== undefined) keepIndex(files, part, store, keptAs);
    const read: Snapshot["read"] = (ids, until) =>
      readBlobs(ownGitBytes(world, { ...run, deadline: until }), ids, repository.format);
    return await use({ tree, bytes, git, read });
  } finally {
    files.removeFolder(part.folder);
  }
}

/** Why there is no tree of the files. */
export class NoTree extends Error {
  readonly why: NoChanges;

  constructor(why: NoChanges) {
    super(why);
    this.why = why;
  }
}

/** A folder for one piece of work, with a copy of an index. */
interface Part {
  readonly folder: string;
  readonly index: string;
  /** For objects that are not kept. */
  readonly objects: string;
}

const PARTS = "parts";
/** Older parts were left behind by a killed process. */
const ABANDONED_MS = 3_600_000;

/** `known` is the name of an index in the store; without one, the repository's own is copied. */
function makePart(files: Files, store: string, repository: Repository, known: string | undefined): Part {
  files.removeOldFolders(join(store, PARTS), ABANDONED_MS);
  const folder = join(store, `${PARTS}/${crypto.randomUUID()}`);
  const part = { folder, index: join(folder, "index"), objects: join(folder, "objects") };
  files.makeFolder(folder);
  files.makeFolder(part.objects);
  if (known !== undefined) files.copy(join(store, known), part.index);
  else copyIndex(files, repository, store, part.index);
  return part;
}

/** With its index, git need not read files that have not changed since. */
function copyIndex(files: Files, { gitDir }: Repository, store: string, index: string): void {
  files.copy(join(gitDir, "index"), index);
  // Git can split an index into two files.
  const shared = files.list(gitDir).filter((name) => name.startsWith("sharedindex."));
  for (const name of shared) files.copy(join(gitDir, name), join(store, name));
}

/** Keeps the index of a part for the next one. */
function keepIndex(files: Files, { index }: Part, store: string, name: string): void {
  if (files.entry(index) === undefined) files.remove(join(store, name));
  else files.move(index, join(store, name));
}

/** Clears the flags in a copied index that make git ignore changes to a file. A missing file keeps its flag. */
async function clearFlags(files: Files, git: Git, top: string): Promise<void> {
  const { assumed, skipped } = flaggedPaths(await git(["ls-files", "-v", "-z"]));
  const isThere = (path: string) => files.entry(join(top, path)) !== undefined;
  for (const [option, paths] of [
    ["--no-assume-unchanged", assumed.filter(isThere)],
    ["--no-skip-worktree", skipped.filter(isThere)],
  ] as const) {
    const list = paths.map((path) => `${path}\0`).join("");
    if (list !== "") await git(["update-index", option, "-z", "--stdin"], list);
  }
}

/** From `git ls-files -v -z`: a small letter stands for an assumed file, S for a skipped one. */
function flaggedPaths(output: string): { readonly assumed: string[]; readonly skipped: string[] } {
  const entries = output.split("\0").map((entry) => ({ tag: entry.slice(0, 1), path: entry.slice(2) }));
  const tagged = (pattern: RegExp) => entries.filter(({ tag }) => pattern.test(tag)).map(({ path }) => path);
  return { assumed: tagged(/[a-z]/), skipped: tagged(/S/i) };
}

interface TreePlace extends Pick<Repository, "top" | "format">, Pick<SnapshotRequest, "ownFolder"> {}

/**
 * Writes a tree of the files as they are. Unlike `git add`, these commands do not look into repositories inside the
 * repository, where git would run with a configuration that may name programs.
 */
async function writeFileTree(files: Files, git: Git, place: TreePlace): Promise<Pick<Snapshot, "tree" | "bytes">> {
  const bytes = await update(files, git, place, await git(["ls-files", "-z", "-o", "-m", "-d", "--exclude-standard"]));
  try {
    return { tree: await write(git), bytes };
  } catch (error) {
    const unmerged = (await git(["ls-files", "-z", "-u"])).replaceAll(/[^\0\t]*\t([^\0]*\0)/g, "$1");
    if (unmerged === "") throw error;
    return { bytes: bytes + (await update(files, git, place, unmerged)), tree: await write(git) };
  }
}

async function write(git: Git): Promise<string> {
  // Objects may be missing in a partial clone.
  const id = (await git(["write-tree", "--missing-ok"])).trim();
  if (!TREE_ID.test(id)) throw new NoTree("git failed");
  return id;
}

/** More would take too long. */
const MOST_PATHS = 50_000;

async function update(files: Files, git: Git, place: TreePlace, listed: string): Promise<number> {
  const paths = listed.split("\0").filter((path) => path !== "" && !isOwn(place, path));
  if (paths.length > MOST_PATHS) throw new NoTree("too many files");
  const plan = planUpdate(files, place.top, paths);
  if (plan.removed.length > 0 || plan.standIns.length > 0) {
    const info = indexInfo(plan, place.format);
    await git(["update-index", "--add", "--replace", "-z", "--index-info"], info);
  }
  if (plan.read.length > 0) {
    const list = plan.read.map((path) => `${path}\0`).join("");
    await git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], list);
  }
  return plan.bytes;
}

function isOwn({ top, ownFolder }: TreePlace, path: string): boolean {
  return `${join(top, path)}/`.startsWith(`${ownFolder}/`);
}

/** A text that changes with each commit and checkout of a repository inside this one. Undefined if the folder is none. */
function innerRepository(files: Files, folder: string): string | undefined {
  const found = repositoryAt(files, folder);
  if (found === undefined) return undefined;
  const head = smallText(files, join(found.gitDir, "HEAD")) ?? "";
  return `${head}${files.modified(join(found.gitDir, "logs/HEAD")) ?? ""}`;
}

/** How to bring an index up to date. */
interface IndexUpdate {
  /** Paths that git reads itself. */
  readonly read: readonly string[];
  /** Paths that are gone. */
  readonly removed: readonly string[];
  /** Paths that git must not read, with a text that changes whenever they do. */
  readonly standIns: readonly { readonly path: string; readonly text: string }[];
  /** The size of the files that git reads. */
  readonly bytes: number;
}

/** Larger files are not stored, and neither is what exceeds the total. */
const LARGEST_FILE = 5_000_000;
const MOST_BYTES = 64_000_000;

/** Decides about each path that git lists as changed or untracked. */
function planUpdate(files: Files, top: string, paths: readonly string[]): IndexUpdate {
  const entry = (path: string) => files.entry(join(top, path));
  const read: string[] = [];
  const removed: string[] = [];
  const standIns: { path: string; text: string }[] = [];
  const isBehindLink = cachedParents((folder) => entry(folder)?.kind === "link");
  let bytes = 0;
  for (const listed of new Set(paths)) {
    // Git ends the path of a repository inside this one with a slash.
    const path = listed.replace(/\/$/, "");
    const found = isBehindLink(path) ? undefined : entry(path);
    if (found?.kind === "folder") {
      // One whose name is not UTF-8 cannot be looked into.
      const text =
        innerRepository(files, join(top, path)) ??
        (listed.endsWith("/") ? `${found.kind} ${found.modified}` : undefined);
      if (text === undefined) removed.push(path);
      else standIns.push({ path, text });
    } else if (found === undefined) removed.push(path);
    else if (isStored(found) && bytes + found.size <= MOST_BYTES) {
      read.push(path);
      bytes += found.size;
    } else standIns.push({ path, text: standInText(found) });
  }
  return { read, removed, standIns, bytes };
}

function isStored({ kind, size, isReadable }: FileEntry): boolean {
  return kind === "link" || (kind === "file" && size <= LARGEST_FILE && isReadable);
}

/** The input of `git update-index -z --index-info`. */
function indexInfo({ removed, standIns }: IndexUpdate, format: "sha1" | "sha256"): string {
  const hash = (text: string) => new Bun.CryptoHasher(format).update(text).digest("hex");
  const none = "0".repeat(hash("").length);
  return [
    ...removed.map((path) => `0 ${none} 0\t${path}\0`),
    ...standIns.map(({ path, text }) => `${STAND_IN_MODE} ${hash(text)} 0\t${path}\0`),
  ].join("");
}

/** Whether any folder above a path meets a condition. */
function cachedParents(condition: (folder: string) => boolean): (path: string) => boolean {
  const known = new Map<string, boolean>();
  const isAbove = (path: string): boolean => {
    const at = path.lastIndexOf("/");
    if (at === -1) return false;
    const folder = path.slice(0, at);
    const answer = known.get(folder) ?? (isAbove(folder) || condition(folder));
    known.set(folder, answer);
    return answer;
  };
  return isAbove;
}

/** Where a git command reads and writes. */
interface GitRun extends Pick<SnapshotRequest, "repository" | "store" | "env" | "deadline"> {
  readonly index: string;
  /** Where new objects go. */
  readonly objects: string;
}

/** Runs a git command and returns its output, in which names need not be UTF-8: see nameFromBytes. Throws NoTree. */
export type Git = (args: readonly string[], stdin?: string) => Promise<string>;

/** The same for output that is not text. */
type GitBytes = (...args: Parameters<Git>) => Promise<Buffer>;

function ownGit(world: World, settings: GitRun): Git {
  const run = ownGitBytes(world, settings);
  return async (...args) => nameFromBytes(await run(...args));
}

function ownGitBytes(world: World, settings: GitRun): GitBytes {
  const { top } = settings.repository;
  const file = findGit(world, settings.env, top);
  const env = gitEnvironment(settings, world.platform);
  return async (args, stdin = "") => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const onLine = (chunk: Uint8Array | undefined) => {
      length += chunk?.length ?? 0;
      if (chunk !== undefined && length <= LONGEST_OUTPUT) chunks.push(chunk);
      return length > LONGEST_OUTPUT;
    };
    const timeoutMs = settings.deadline - world.now().getTime();
    if (timeoutMs <= 0) throw new NoTree("too slow");
    const program = { file, args, env };
    const ended = await world.run({ program, cwd: top, stdin, timeoutMs, onLine, isRaw: true, isBrief: true });
    if (length > LONGEST_OUTPUT) throw new NoTree("too many files");
    if (ended.ending === "timeout") throw new NoTree("too slow");
    if (ended.exitCode !== 0) throw new NoTree("git failed");
    return Buffer.concat(chunks);
  };
}

const LONGEST_OUTPUT = 32_000_000;

/** The user's git, never one in the repository. */
function findGit({ files, platform }: World, env: Env, top: string): string {
  const isInside = (folder: string) => files.identify(folder) && `${files.realPath(folder)}/`.startsWith(`${top}/`);
  // On Windows its name is "Path".
  const PATH = Object.entries(env).find(([name]) => name.toUpperCase() === "PATH")?.[1] ?? "";
  for (const folder of programFolders({ PATH }, platform)) {
    const path = join(folder, platform === "win32" ? "git.exe" : "git");
    if (files.programSize(path) !== undefined && !isInside(folder)) return path;
  }
  throw new NoTree("git was not found");
}

function gitEnvironment({ env, store, index, objects, repository }: GitRun, platform: NodeJS.Platform): Env {
  const known = [join(store, "objects"), join(repository.common, "objects")].filter((folder) => folder !== objects);
  return {
    ...env,
    LC_ALL: "C",
    GIT_DIR: store,
    GIT_WORK_TREE: repository.top,
    GIT_INDEX_FILE: index,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: known.map(quoted).join(platform === "win32" ? ";" : ":"),
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_TERMINAL_PROMPT: "0",
  };
}

/** Quoted, a path may contain the separator. */
function quoted(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
}

const MOST_TEXT = 20_000_000;

async function readBlobs(
  git: GitBytes,
  ids: readonly string[],
  format: Repository["format"],
): Promise<Map<string, Buffer>> {
  const wanted = withinLimits(await git(["cat-file", "--batch-check"], asLines(ids)));
  const output = wanted.length === 0 ? Buffer.alloc(0) : await git(["cat-file", "--batch"], asLines(wanted));
  const contents = new Map<string, Buffer>();
  for (let at = 0; ; ) {
    const end = output.indexOf("\n", at);
    const header = HEADER.exec(output.toString("latin1", at, end));
    // The end, or something that cannot be understood.
    if (header === null) return contents;
    const [, id = "", size] = header;
    const content = output.subarray(end + 1, end + 1 + Number(size));
    // Git does not check the id, and the agent can write into the repository's objects.
    const hash = new Bun.CryptoHasher(format).update(`blob ${size}\0`).update(content).digest("hex");
    if (hash === id) contents.set(id, content);
    at = end + 1 + Number(size) + 1;
  }
}

/** "<id> blob <size>". */
const HEADER = /^([0-9a-f]+) blob (\d+)$/;

function withinLimits(output: Buffer): string[] {
  let total = 0;
  return output
    .toString("latin1")
    .split("\n")
    .flatMap((line) => {
      const [, id = "", size] = HEADER.exec(line) ?? [];
      if (size === undefined || Number(size) > LARGEST_TEXT) return [];
      total += Number(size);
      return total > MOST_TEXT ? [] : [id];
    });
}

function asLines(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join("");
}
