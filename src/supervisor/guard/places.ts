import { HOME_SECRETS, hasSecretName } from "./secret-names.ts";

/** What a reviewer may read: absolute paths with links resolved, and with forward slashes on every platform. */
export interface ReadablePlaces {
  /** The project, and the folders added to the session. */
  readonly folders: readonly string[];
  readonly home: string;
  /** Files and folders of ccc and Claude Code with keys and conversations. */
  readonly own: readonly string[];
  /** Claude Code's name for the project in its own folders. */
  readonly slug: string | undefined;
  /** Folders made for this review, which it may read although they are ccc's own. */
  readonly scratch?: readonly string[];
  /** Other files that it may read: the session's transcript, the user's prompts. */
  readonly files: readonly string[];
  /** Folders elsewhere from which git may read, because the launch saw that the project's repository is there. */
  readonly gitFolders: readonly string[];
}

/** The guard's view of the disk. */
export interface Disk {
  /** The path with links resolved; undefined if nothing is there. */
  readonly realPath: (path: string) => string | undefined;
  /** The entries of a folder; empty if it is not one. */
  readonly list: (folder: string) => readonly DiskEntry[];
  /** The text of a file; undefined if it cannot be read. */
  readonly read: (path: string) => string | undefined;
  /** Reading a pipe may never end. */
  readonly isPipe: (path: string) => boolean;
}

export interface DiskEntry {
  readonly name: string;
  /** False for a link to a folder. */
  readonly isFolder: boolean;
  readonly isLink?: boolean;
}

/** Why the reviewer may not do something. The reviewer sees the message. */
export class Refusal extends Error {}

export function refuseCommand(what: string): never {
  throw new Refusal(
    `not part of a review: ${what}. You may read the project's files, inspect it with git and run its tests, with plain commands: no variables, substitutions or redirections`,
  );
}

/** Refuses a path outside the project, or with a name that suggests secrets. */
export function checkPlace(path: string, places: ReadablePlaces): void {
  const isInProject = isWithin(path, ...places.folders);
  if (isInProject && !mayContainSecrets(path, places)) return;
  if (path === "/dev/null" || places.files.includes(path) || isWithin(path, ...SYSTEM) || isKeptOutput(path, places))
    return;
  throw new Refusal(
    `not part of the project: ${path}${isInProject ? " may contain secrets, which reviewers must not read" : ""}`,
  );
}

/** Refuses a recursive search of a folder with secrets in it. `isGitSearched`: whether the search includes `.git`. */
export function checkTree(folder: string, places: ReadablePlaces, disk: Disk, isGitSearched = false): void {
  let seen = 0;
  for (let folders = [folder]; folders.length > 0; ) {
    const deeper: string[] = [];
    for (const each of folders) {
      for (const { name, isFolder } of disk.list(each)) {
        const path = `${each}/${name}`;
        if ((name === ".git" && !isGitSearched) || name === "node_modules") continue;
        if (++seen > MOST_SEARCHED)
          throw new Refusal(`${folder} has too many files: search a subfolder, or use git grep`);
        if (mayContainSecrets(path, places)) {
          throw new Refusal(
            `not part of the project: ${path} may contain secrets. Search other folders, or use git grep`,
          );
        }
        if (isFolder) deeper.push(path);
      }
    }
    folders = deeper;
  }
}

const MOST_SEARCHED = 20_000;

/** A path as seen from a folder. Only on Windows may an absolute one begin with a backslash or with `C:`. */
export function absolute(path: string, cwd: string): string {
  const isAbsolute = isWindowsPlace(cwd) ? /^([A-Za-z]:)?[/\\]/.test(path) : path.startsWith("/");
  return isAbsolute ? path : `${cwd}/${path}`;
}

/** Whether a path is one of these folders, or in one. A loop: the engine has to compile its own `some` on first use. */
export function isWithin(path: string, ...folders: readonly string[]): boolean {
  for (const folder of folders) {
    const [inner, outer] = isWindowsPlace(folder) ? [windowsName(path), windowsName(folder)] : [path, folder];
    if (inner === outer || inner.startsWith(outer.endsWith("/") ? outer : `${outer}/`)) return true;
  }
  return false;
}

/** Includes shares with forward slashes, which real paths have on every platform. */
function isWindowsPlace(path: string): boolean {
  const isShare = path.startsWith("\\\\") || path.startsWith("//");
  return isShare || path.startsWith(":\\", 1) || path.startsWith(":/", 1);
}

/** Windows ignores case, and takes both slashes. */
function windowsName(path: string): string {
  return path.replaceAll("\\", "/").toLowerCase();
}

/** System folders that a reviewer may need: headers, libraries, documentation. */
const SYSTEM = (
  "/usr/include /usr/lib /usr/share /usr/src /lib /nix/store /usr/local/include /usr/local/lib " +
  "/usr/local/share /usr/local/src"
).split(" ");

/** Claude Code saves long command output to files with unguessable names, and tells the model to read them. */
function isKeptOutput(path: string, { slug, own }: ReadablePlaces): boolean {
  if (slug === undefined) return false;
  const [projects] = own.flatMap((folder) => (isWithin(path, `${folder}/projects/${slug}`) ? [folder] : []));
  if (projects !== undefined)
    return /^\/[\w-]+\/tool-results\/[^/]+$/.test(path.slice(`${projects}/projects/${slug}`.length));
  return /\/claude-\d+\//.test(path) && path.split(/\/claude-\d+\//)[1]?.startsWith(`${slug}/`) === true;
}

/** Whether a path may contain secrets, by its location or name. */
function mayContainSecrets(path: string, { home, own, scratch = [] }: ReadablePlaces): boolean {
  const isPrivate = isWithin(path, ...own) && !isWithin(path, ...scratch);
  return isPrivate || isHomeSecret(path, home) || hasSecretName(path);
}

/** Looks names up instead of comparing the path with each: a function that runs dozens of times starts the compiler. */
function isHomeSecret(path: string, home: string): boolean {
  if (!isWithin(path, home)) return false;
  const nameOf = isWindowsPlace(home) ? windowsName : String;
  const names = isWindowsPlace(home) ? HOME_SECRETS.map(windowsName) : HOME_SECRETS;
  const parts = nameOf(path).slice(nameOf(home).length).split("/");
  const start = parts[0] === "" ? 1 : 0;
  for (let end = parts.length; end > start; end--) if (names.includes(parts.slice(start, end).join("/"))) return true;
  return false;
}
