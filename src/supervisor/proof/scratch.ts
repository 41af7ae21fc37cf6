import { basename, dirname } from "node:path";
import type { Paths } from "../../config/paths.ts";
import { messageOf } from "../../errors.ts";
import type { Files, FolderWriter } from "../../os/files.ts";
import { shownName } from "../../os/names.ts";
import { join } from "../../os/path.ts";
import { type Env, optional, type World } from "../../world.ts";
import { STAND_IN_MODE, standInText } from "../changes/changes.ts";
import type { Repository } from "../changes/snapshot.ts";
import { copiesFolder } from "../record/session.ts";
import { type FileTree, LINK_MODE, MADE_BY_RUNS, NoCopy, type ProjectTrees, type TreeFile } from "./trees.ts";

interface ScratchRequest {
  readonly paths: Paths;
  readonly trees: ProjectTrees;
  /** The files that the copy has: one of the two trees, or some of both. */
  readonly files: FileTree;
  /** The environment of checks that must run the copy's code and no other. They also get what was built before the prompt. */
  readonly env?: Env;
  /** Where copies are kept; by default in ccc's own folder for them. */
  readonly home?: string;
}

/** A copy of a project in a folder of its own, for its owner only. */
export interface ScratchCopy {
  /** The folder that stands for the repository's top folder, and in it the one that stands for the project's. */
  readonly top: string;
  readonly folder: string;
  /** Files that name the project by its absolute path: what they run may not be the copy. */
  readonly naming: readonly string[];
  readonly close: () => void;
}

/**
 * Copies files of a project into a private folder outside it, without its repository. Installed packages that git ignores
 * are linked from the project. For checks, its settings and what was built before the prompt are copied: a check may write
 * there. Throws NoCopy if something cannot be copied faithfully, takes too long or could lead a program out of the copy.
 * Removes the copies of killed processes.
 */
export async function openScratch(world: World, request: ScratchRequest): Promise<ScratchCopy> {
  const { files } = world;
  const { trees, env, home = copiesFolder(request.paths) } = request;
  const { repository, folder: project } = trees;
  try {
    removeAbandonedCopies(world, home);
  } catch {
    // What stays, for example another user's copy, is in nobody's way.
  }
  const folders = foldersOf(request.files);
  const elsewhere = packagesElsewhere(trees, request.files);
  const wanted = new Map([...request.files].filter(([path]) => !elsewhere.includes(path)));
  const free = [...freeIgnored(trees, wanted, folders), ...elsewhere];
  const linked = installedPackages(files, repository.top, free, env !== undefined);
  const linkedPaths = new Set(linked.map(({ path }) => path));
  const built = free.filter((path) => !linkedPaths.has(path.replace(/\/$/, "")));
  if (env !== undefined && [...wanted.keys()].some((path) => path.endsWith(".py")))
    for (const place of pythons(files, env)) refuseEditable(files, place, place, repository.top);
  const folder = join(home, `${world.pid}-${crypto.randomUUID().slice(0, 8)}`);
  if (`${folder}/`.startsWith(`${repository.top}/`)) throw new NoCopy("ccc's own folder is in the project");
  const writer = files.fill(folder);
  const close = () => files.removeFolder(folder);
  try {
    for (const path of folders) writer.makeFolder(path);
    // Before the code, which a build would take for newer.
    if (env !== undefined) await copyBuilt(files, writer, folder, trees, built);
    const naming = await writeTree(world, writer, trees, wanted);
    for (const { path, target } of linked)
      if (target === undefined) writer.makeFolder(path);
      else writer.link(path, target);
    if (project !== "" && !folders.has(project)) throw new NoCopy(`${shownName(project)} was not there at the prompt`);
    return { top: folder, folder: project === "" ? folder : join(folder, project), naming, close };
  } catch (error) {
    close();
    throw error instanceof NoCopy
      ? error
      : new NoCopy(`the files could not be copied (${shownName(messageOf(error))})`);
  }
}

/** Removes the copies of killed processes. If one is a day old, a live process with its id is another one. */
export function removeAbandonedCopies({ files, isAlive, pid }: World, home: string): void {
  files.removeOldFolders(home, ABANDONED_MS);
  for (const name of files.list(home)) {
    const owner = Number(/^(\d+)-/.exec(name)?.[1]);
    if (owner !== pid && !(owner > 0 && isAlive(owner))) files.removeFolder(join(home, name));
  }
}

const ABANDONED_MS = 24 * 3600 * 1000;

const PROGRAM_MODE = "100755";
const MOST_FILES = 30_000;
const MOST_BYTES = 500_000_000;
const LONGEST_COPY_MS = 20_000;
/** ccc notices signals after that many files. */
const AT_ONCE = 200;

/** Every folder of the files, parents first. Throws NoCopy for names that a copy could not have. */
function foldersOf(tree: FileTree): ReadonlySet<string> {
  if (tree.size > MOST_FILES) throw new NoCopy(`more than ${MOST_FILES} files`);
  const folders = new Set<string>();
  const spellings = new Map<string, string>();
  const add = (path: string) => {
    const key = path.normalize("NFC").toLowerCase();
    const other = spellings.get(key) ?? path;
    if (other !== path) throw new NoCopy(`${shownName(other)} and ${shownName(path)} differ in spelling only`);
    spellings.set(key, path);
  };
  for (const path of tree.keys()) {
    if (isUnsafe(path)) throw new NoCopy(`${shownName(path)} is a name that a copy cannot have`);
    const above: string[] = [];
    for (let at = path.indexOf("/"); at !== -1; at = path.indexOf("/", at + 1)) above.push(path.slice(0, at));
    for (const each of above) {
      if (tree.has(each)) throw new NoCopy(`${shownName(each)} is both a file and a folder`);
      if (!folders.has(each)) add(each);
      folders.add(each);
    }
    add(path);
  }
  return folders;
}

function isUnsafe(path: string): boolean {
  return UNSAFE_NAME.test(path) || path.split("/").some((part) => UNSAFE_PART.test(part));
}

/** Control characters, bytes that are not UTF-8, and the separator of Windows. */
const UNSAFE_NAME = /[\p{Cc}\p{Cs}\\]/u;
/** Also in the spellings that the file systems of Windows and macOS take for it. */
const UNSAFE_PART = /^(?:|\.\.?|\.git[\s.\p{Cf}]*|git~\d)$/iu;

/** Writes files, then links, so that nothing is written through a link. Returns the files that name the project. */
async function writeTree(
  world: World,
  writer: FolderWriter,
  trees: ProjectTrees,
  wanted: FileTree,
): Promise<readonly string[]> {
  const deadline = world.now().getTime() + LONGEST_COPY_MS;
  const namesProject = mentionOf(trees.repository.top);
  const naming: string[] = [];
  const links = [...wanted].filter(([, { mode }]) => mode === LINK_MODE);
  let bytes = 0;
  let count = 0;
  for (const [path, file] of wanted) {
    if (file.mode === LINK_MODE) continue;
    const content = writeFile(world, writer, trees, path, file);
    bytes += content.length;
    if (bytes > MOST_BYTES) throw new NoCopy(`more than ${MOST_BYTES / 1_000_000} MB`);
    if (!PROSE.test(path) && namesProject(content)) naming.push(path);
    if (++count % AT_ONCE !== 0) continue;
    await new Promise(setImmediate);
    if (world.now().getTime() > deadline) throw new NoCopy("copying the files takes too long");
  }
  for (const [path, { id }] of links) {
    const target = trees.contents.get(id)?.toString("utf8");
    if (target === undefined || !staysInside(path, target))
      throw new NoCopy(`${shownName(path)} is a link that leads out of the project`);
    writer.link(path, target);
  }
  return naming;
}

/** A file that has not changed since is copied from the project. It must be what git knows. */
function writeFile(
  { files }: World,
  writer: FolderWriter,
  { repository, now, contents }: ProjectTrees,
  path: string,
  { mode, id }: TreeFile,
): Uint8Array {
  const isProgram = mode === PROGRAM_MODE;
  const kept = contents.get(id);
  if (kept !== undefined) {
    writer.write(path, kept, isProgram);
    return kept;
  }
  const from = join(repository.top, path);
  const hash = (prefix: string, content: Uint8Array | string) =>
    new Bun.CryptoHasher(repository.format).update(prefix).update(content).digest("hex");
  const found = files.entry(from);
  if (found?.kind === "folder") throw new NoCopy(`${shownName(path)} is a repository of its own`);
  if (now.get(path)?.id !== id) throw new NoCopy(`${shownName(path)} was too large to be kept`);
  if (found === undefined) throw new NoCopy(`${shownName(path)} is gone`);
  if (found.size > MOST_BYTES) throw new NoCopy(`${shownName(path)} is too large`);
  const content = writer.copy(from, path, isProgram);
  const isSame =
    content !== undefined &&
    (mode === STAND_IN_MODE ? hash("", standInText(found)) === id : hash(`blob ${content.length}\0`, content) === id);
  if (!isSame) throw new NoCopy(`${shownName(path)} changes while it is copied`);
  return content;
}

/** A target may go up at its beginning only: what follows a name could lead through a link. */
function staysInside(path: string, target: string): boolean {
  if (target === "" || target.startsWith("/") || UNSAFE_NAME.test(target)) return false;
  const parts = target.split("/");
  const up = parts.findIndex((part) => part !== ".." && part !== ".");
  const rest = up === -1 ? [] : parts.slice(up);
  const ups = parts.filter((part) => part === "..").length;
  return !rest.includes("..") && ups <= path.split("/").length - 1;
}

/** Documents may name the project: nothing runs them. */
const PROSE = /\.(?:md|txt|rst|adoc|log|svg|html)$/i;

/** Whether a content names the path, and not just as part of another one. */
function mentionOf(top: string): (content: Uint8Array) => boolean {
  const bytes = Buffer.from(top);
  const whole = new RegExp(`(?<![\\w.-])${RegExp.escape(bytes.toString("latin1"))}(?![\\w-])`);
  return (content) => {
    const buffer = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
    return buffer.includes(bytes) && whole.test(buffer.toString("latin1"));
  };
}

/** A link in the copy; without a target, a folder. */
interface PlannedLink {
  readonly path: string;
  readonly target: string | undefined;
}

/** What git ignores in the folders of a copy, where the copy has nothing itself. */
function freeIgnored({ ignored }: ProjectTrees, wanted: FileTree, folders: ReadonlySet<string>): string[] {
  return ignored.filter((listed) => {
    const path = listed.replace(/\/$/, "");
    const above = dirname(path);
    const isFree = !wanted.has(path) && !folders.has(path) && (above === "." || folders.has(above));
    return isFree && !UNSAFE_NAME.test(path);
  });
}

/** Links to installed packages that git does not ignore: the pattern `node_modules/` is for folders only. */
function packagesElsewhere({ contents }: ProjectTrees, wanted: FileTree): string[] {
  return [...wanted].flatMap(([path, { mode, id }]) => {
    const isLink = mode === LINK_MODE && (ENVIRONMENTS.has(basename(path)) || PACKAGES.has(basename(path)));
    return isLink && !staysInside(path, contents.get(id)?.toString("utf8") ?? "") ? [path] : [];
  });
}

/**
 * Links to packages that are installed in the project, and to ignored settings, unless they are `copied`. Other ignored files
 * may be built from the code, which differs in the copy, and programs would write through the links into the project.
 */
function installedPackages(files: Files, top: string, free: readonly string[], copied: boolean): PlannedLink[] {
  return free.flatMap((listed): PlannedLink[] => {
    const path = listed.replace(/\/$/, "");
    const name = basename(path);
    const target = join(top, path);
    const isEnvironment = ENVIRONMENTS.has(name);
    // A link to a folder is listed like a file.
    const isFolder = files.identify(target)?.isFolder === true && (isEnvironment || PACKAGES.has(name));
    if (!isFolder) {
      const isLinked = isSetting(listed) && !(copied && files.entry(target)?.kind === "file");
      return isLinked ? [linkTo(files, top, path)] : [];
    }
    if (isEnvironment) {
      refuseEditable(files, target, path, top);
      return [{ path, target }];
    }
    return linkEach(files, target, path, top);
  });
}

/** Files of settings that git ignores, such as `.env`. */
function isSetting(listed: string): boolean {
  return SETTINGS.test(basename(listed)) && !listed.endsWith("/");
}

const SETTINGS = /^\.(?!DS_Store)|\.(?:json|ya?ml|toml|ini|cfg|conf|env|local|properties|pem|crt|key)$/;
const ENVIRONMENTS: ReadonlySet<string> = new Set([".venv", "venv", ".env", "env"]);
const PACKAGES: ReadonlySet<string> = new Set([
  "node_modules",
  "vendor",
  "bower_components",
  "Pods",
  ".bundle",
  "deps",
]);
const CACHES = /^\.(?:cache|vite|vitest|tmp|temp)/;

/**
 * Copies settings, and ignored files that have not changed since the prompt, such as the `dist` of another package, which the
 * check has used as it is. A changed one was built from code that the copy may not have; one that names the project leads back.
 */
async function copyBuilt(
  files: Files,
  writer: FolderWriter,
  folder: string,
  { repository: { top }, since }: ProjectTrees,
  listed: readonly string[],
): Promise<void> {
  const namesProject = mentionOf(top);
  let room = { files: MOST_BUILT_FILES, bytes: MOST_BUILT_BYTES };
  for (const each of listed) {
    const path = each.replace(/\/$/, "");
    const isAnyTime = isSetting(each);
    if (MADE_BY_RUNS.test(each) || (HIDDEN.test(each) && !isAnyTime)) continue;
    const found = unchangedIn(files, top, path, isAnyTime ? Number.POSITIVE_INFINITY : since, room);
    if (found === undefined) continue;
    for (const below of found.folders) writer.makeFolder(below);
    const copied = found.files.map((file) => {
      const from = join(top, file);
      return writer.copy(from, file, files.identify(from)?.isExecutable === true);
    });
    await new Promise(setImmediate);
    if (copied.some((content) => content === undefined || namesProject(content)))
      files.removeFolder(join(folder, path));
    else room = found.room;
  }
}

const MOST_BUILT_FILES = 5_000;
const MOST_BUILT_BYTES = 100_000_000;
/** Caches and state of tools. */
const HIDDEN = /(?:^|\/)\.[^/]+\//;

interface Room {
  readonly files: number;
  readonly bytes: number;
}

/**
 * The files at a path, and the folders that hold them; undefined if one has changed, is a link or cannot be read, or there are
 * too many.
 */
function unchangedIn(
  files: Files,
  top: string,
  path: string,
  since: number,
  room: Room,
): { readonly files: readonly string[]; readonly folders: readonly string[]; readonly room: Room } | undefined {
  const found: string[] = [];
  const folders: string[] = [];
  let { bytes } = room;
  const waiting = [path];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const entry = files.entry(join(top, at));
    if (entry === undefined || entry.modified >= since || isUnsafe(at) || !entry.isReadable) return undefined;
    if (entry.kind === "folder") {
      folders.push(at);
      const names = optional(() => files.list(join(top, at)));
      if (names === undefined) return undefined;
      for (const name of names) waiting.push(`${at}/${name}`);
    } else if (entry.kind === "file") {
      found.push(at);
      bytes -= entry.size;
    } else return undefined;
    if (found.length + folders.length > room.files || bytes < 0) return undefined;
  }
  return { files: found, folders, room: { files: room.files - found.length - folders.length, bytes } };
}

/**
 * Links to each package, so that a program can make files beside them. One that is a link to a package of the project
 * itself leads to that in the copy.
 */
function linkEach(files: Files, target: string, path: string, top: string): PlannedLink[] {
  // Composer loads the project's own classes by a path from here.
  if (files.exists(join(target, "composer"))) throw new NoCopy(`${shownName(path)}/composer leads back to the project`);
  const inside = (folder: string, below: string): PlannedLink[] =>
    files.list(folder).flatMap((name): PlannedLink[] => {
      const from = join(folder, name);
      const inCopy = `${below}/${name}`;
      if (CACHES.test(name) || UNSAFE_NAME.test(name)) return [];
      if (name.startsWith("@") && files.entry(from)?.kind === "folder")
        return [{ path: inCopy, target: undefined }, ...inside(from, inCopy)];
      return [linkTo(files, top, inCopy)];
    });
  return [{ path, target: undefined }, ...inside(target, path)];
}

/** A link to what the project has at a path. If that is a link into the project itself, it leads to the same in the copy. */
function linkTo(files: Files, top: string, path: string): PlannedLink {
  const target = join(top, path);
  if (files.entry(target)?.kind !== "link" || files.identify(target) === undefined) return { path, target };
  const real = files.realPath(target);
  const isOwn = real.startsWith(`${top}/`) && !real.includes("/node_modules/");
  return { path, target: isOwn ? upTo(path, real.slice(top.length + 1)) : target };
}

/** The relative path from one file of the copy to another. */
function upTo(path: string, other: string): string {
  return `${"../".repeat(path.split("/").length - 1)}${other}`;
}

/** Where Python may look for packages outside the project: what is on the PATH, the user's own, and those of tools. */
function pythons(files: Files, env: Env): ReadonlySet<string> {
  const { HOME = "", PATH = "", VIRTUAL_ENV, CONDA_PREFIX, PYENV_ROOT = join(HOME, ".pyenv") } = env;
  const below = (folder: string) => files.list(folder).map((name) => join(folder, name));
  const onPath = PATH.split(":").flatMap((folder) =>
    ["python", "python3", "pytest"].flatMap((name) => {
      const program = join(folder, name);
      return files.exists(program) ? [dirname(folder), dirname(dirname(files.realPath(program)))] : [];
    }),
  );
  const ofTools = ["/.cache/pypoetry/virtualenvs", "/.local/share/virtualenvs"].map((name) => `${HOME}${name}`);
  const active = [VIRTUAL_ENV ?? "", CONDA_PREFIX ?? ""].filter((place) => place !== "");
  return new Set([
    ...[...active, ...onPath, `${HOME}/.local`],
    ...[join(PYENV_ROOT, "versions"), ...ofTools].flatMap(below),
  ]);
}

/** Python imports a package that is installed as editable from its source, which is in the project. */
function refuseEditable(files: Files, environment: string, path: string, top: string): void {
  const lib = join(environment, "lib");
  const pythonsIn = files.list(lib).filter((name) => name.startsWith("python"));
  const places = [...pythonsIn.map((name) => join(lib, name)), join(environment, "Lib")];
  const leadsBack = mentionOf(top);
  for (const packages of places.flatMap((place) => [join(place, "site-packages"), join(place, "dist-packages")]))
    for (const name of files.list(packages).filter((each) => EDITABLE.test(each)))
      if (leadsBack(Buffer.from(files.readEnd(join(packages, name), LONGEST_PATHS))))
        throw new NoCopy(`${shownName(path)} leads back to the project (${shownName(name)})`);
}

const EDITABLE = /\.(?:pth|egg-link)$|^__editable__/;
const LONGEST_PATHS = 100_000;

/** The repository in the copy: the project's commits, branches and index, and nothing of its configuration. */
export function giveHistory(files: Files, { gitDir, common, format }: Repository, top: string): void {
  makeRepository(files, top, format);
  const at = (name: string) => join(top, `.git/${name}`);
  files.writePrivate(at("objects/info/alternates"), `${join(common, "objects")}\n`);
  for (const [from, name] of [
    [gitDir, "HEAD"],
    [common, "packed-refs"],
    [common, "shallow"],
  ] as const) {
    const text = files.read(join(from, name));
    if (text !== undefined) files.writePrivate(at(name), text);
  }
  files.copy(join(gitDir, "index"), at("index"));
  let left = MOST_REFS;
  const copyRefs = (folder: string) => {
    for (const name of files.list(join(common, folder))) {
      const path = `${folder}/${name}`;
      const kind = files.entry(join(common, path))?.kind;
      if (kind === "folder") copyRefs(path);
      if (kind === "file" && left-- > 0) files.writePrivate(at(path), files.read(join(common, path)) ?? "");
    }
  };
  copyRefs("refs");
}

const MOST_REFS = 2_000;

/** An empty repository. */
export function makeRepository(files: Files, top: string, format: Repository["format"]): void {
  for (const folder of ["objects/info", "refs/heads", "hooks", "info"]) files.makeFolder(join(top, `.git/${folder}`));
  files.writePrivate(join(top, ".git/HEAD"), "ref: refs/heads/main\n");
  const extension = format === "sha1" ? "" : `[extensions]\n\tobjectFormat = ${format}\n`;
  const version = format === "sha1" ? 0 : 1;
  files.writePrivate(
    join(top, ".git/config"),
    `[core]\n\trepositoryformatversion = ${version}\n\tbare = false\n${extension}`,
  );
  files.writePrivate(join(top, ".git/info/exclude"), MADE_BY_CLAUDE.map((name) => `/${name}\n`).join(""));
}

/** Claude Code's sandbox puts these into the folder that it starts in, to protect them. */
const MADE_BY_CLAUDE = (
  ".bash_profile .bashrc .claude .gitconfig .gitmodules .idea .mcp.json .profile .ripgreprc .vscode .zprofile " +
  ".zshrc"
).split(" ");
