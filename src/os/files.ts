import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  type PathLike,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { attempt, CccError, errno, reason } from "../errors.ts";
import { shellLine } from "../text/shell.ts";
import {
  appendText,
  createWriter,
  type GuardedFiles,
  type HeldFile,
  isBeingWritten,
  PRIVATE_FILE,
  PRIVATE_FOLDER,
} from "./locks.ts";
import { nameBytes } from "./names.ts";

/** The file system as ccc uses it. */
export interface Files {
  /** The text of a file, undefined if it does not exist. */
  read(path: string): string | undefined;
  /** The first `longest` bytes of a file as text; empty if it cannot be read. */
  readStart(path: string, longest: number): string;
  /** The same for the last bytes. */
  readEnd(path: string, longest: number): string;
  /** The names in a folder, sorted; none if it does not exist. */
  list(folder: string): string[];
  /** What a path points to; follows symbolic links. */
  identify(path: string): FileIdentity | undefined;
  /** What is at a path; does not follow symbolic links. The name may come from `nameFromBytes`. */
  entry(path: string): FileEntry | undefined;
  /** The size of an executable file, undefined if there is none. */
  programSize(path: string): number | undefined;
  /** When a file or folder was last modified, in milliseconds; undefined if it does not exist. */
  modified(path: string): number | undefined;
  exists(path: string): boolean;
  /** Whether a file exists that was modified within this time. */
  modifiedWithin(path: string, ms: number): boolean;
  /** The path with all symbolic links resolved. */
  realPath(path: string): string;
  canWrite(path: string): boolean;
  /** Writes a file with mode 0600. Does nothing if the file already has this text and mode. */
  writePrivate(path: string, text: string): void;
  /** Throws what `writePrivate` would throw if it had to write, as far as that can be known without writing. */
  refuseWrite(path: string): void;
  /** Makes a file or folder accessible to its owner only. */
  makePrivate(path: string): void;
  /** Removes a lock whose owner is gone. */
  removeStaleLock(path: string): void;
  /** Sets the modification time to now. */
  touch(path: string): void;
  /** Removes a file, if it exists. */
  remove(path: string): void;
  /** Moves a file, atomically replacing any file at `to`. */
  move(from: string, to: string): void;
  /** Removes the files in a folder whose names `isOld` accepts and that were not modified for `untouchedMs`. */
  removeOld(folder: string, isOld: (name: string) => boolean, untouchedMs: number): void;
  /** Makes a folder with mode 0700 unless it exists. Returns whether it did. */
  makeFolder(path: string): boolean;
  /** Removes the subfolders, with their content, that were not modified for `untouchedMs`. */
  removeOldFolders(folder: string, untouchedMs: number): void;
  /** Removes a folder with its content, if it exists, even if their permissions deny it. */
  removeFolder(path: string): void;
  /**
   * Copies a file, with mode 0600 and its modification time, rounded down to a second. Returns false if there is no
   * regular file.
   */
  copy(from: string, to: string): boolean;
  /** Access to the files below an untrusted folder. */
  guarded(root: string): GuardedFiles;
  /** Makes a new folder with mode 0700, to be filled. Fails if it exists. */
  fill(folder: string): FolderWriter;
  /** Makes a file with mode 0644, for the user to edit. */
  create(path: string, text: string): void;
  /**
   * Makes a program that starts another one, with these arguments first: a shell script. On Windows, where few programs
   * start scripts, it is a hard link or a copy, whose name has to say the same. Replaces an existing file.
   */
  wrapProgram(path: string, program: string, args: readonly string[]): void;
  /** Changes or makes a file under a lock. `edit` returns the new text, or undefined to change nothing. */
  edit(path: string, edit: (text: string | undefined) => string | undefined): void;
  /** Holds the lock of a file while `action` reads and changes it. A link stays a link. */
  hold<T>(path: string, action: (held: HeldFile) => T): T;
  /** Appends to a file. One that is larger than `setAsideAt` bytes is renamed to `path.1` first. */
  append(path: string, text: string, setAsideAt: number): void;
}

export interface FileIdentity {
  /** Equal for two paths to the same file. */
  readonly id: string;
  readonly isFile: boolean;
  readonly isFolder: boolean;
  readonly isExecutable: boolean;
  /** The permission bits. */
  readonly mode: number;
  readonly size: number;
}

export interface FileEntry {
  readonly kind: "file" | "folder" | "link" | "other";
  readonly size: number;
  /** In milliseconds. */
  readonly modified: number;
  /** When its content, name or permissions last changed, in milliseconds. No program can set it. */
  readonly changed: number;
  /** Whether ccc may read it. */
  readonly isReadable: boolean;
}

/** Fills a new folder. Nothing that exists is replaced, and paths are relative to it, with slashes. */
export interface FolderWriter {
  readonly makeFolder: (path: string) => void;
  readonly write: (path: string, content: Uint8Array, isExecutable: boolean) => void;
  /**
   * Copies a regular file, sharing its blocks if the file system can. Returns the content; undefined if there is no
   * regular file that ccc may read.
   */
  readonly copy: (from: string, path: string, isExecutable: boolean) => Uint8Array | undefined;
  /** Makes a symbolic link. */
  readonly link: (path: string, target: string) => void;
}

/** The file system, through node:fs. */
export function diskFiles(pid: number): Files {
  const { replace, hold, removeStaleLock, guarded } = createWriter(pid);
  return {
    read,
    readStart: (path, longest) => readPart(path, longest, () => 0),
    readEnd: (path, longest) => readPart(path, longest, (size) => Math.max(0, size - longest)),
    list,
    identify,
    entry,
    programSize,
    modified: (path) => statOf(path)?.mtimeMs,
    exists: (path) => statOf(path) !== undefined,
    modifiedWithin: (path, ms) => Date.now() - (statOf(path)?.mtimeMs ?? 0) <= ms,
    realPath: (path) => attempt(`find ${path}`, () => realpathSync(path)),
    canWrite: (path) => canAccess(path, "W_OK"),
    writePrivate(path, text) {
      attempt(`write ${path}`, () => {
        const before = read(path);
        if (before === undefined) mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
        tighten(dirname(path), PRIVATE_FOLDER);
        if (before !== text) replace(path, text, PRIVATE_FILE);
        else tighten(path, PRIVATE_FILE);
      });
    },
    refuseWrite: (path) => attempt(`write ${path}`, () => refuseWrite(path)),
    makePrivate: (path) => attempt(`change ${path}`, () => tighten(path, PRIVATE_FOLDER)),
    removeStaleLock: (path) => attempt(`remove ${path}`, () => removeStaleLock(path)),
    makeFolder(path) {
      return attempt(`make ${path}`, () => {
        if (existsSync(path)) return false;
        mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
        return true;
      });
    },
    touch(path) {
      attempt(`write ${path}`, () => utimesSync(path, new Date(), new Date()));
    },
    remove(path) {
      attempt(`remove ${path}`, () => rmSync(path, { force: true }));
    },
    move: (from, to) => attempt(`move ${from} to ${to}`, () => renameSync(from, to)),
    removeOld(folder, isOld, untouchedMs) {
      for (const name of list(folder).filter(isOld)) {
        const path = join(folder, name);
        const touched = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
        // A file's time is finer than the clock's: one of this very millisecond would seem to be from the future.
        if (Date.now() - Math.floor(touched) >= untouchedMs && !isBeingWritten(name)) rmSync(path, { force: true });
      }
    },
    create(path, text) {
      attempt(`write ${path}`, () => {
        mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
        replace(path, text, 0o644);
      });
    },
    wrapProgram: (path, program, args) => wrapProgram(path, [program, ...args], pid),
    edit(path, edit) {
      attempt(`write ${path}`, () =>
        hold(path, ({ found, write }) => {
          const text = edit(found?.text);
          if (text !== undefined) write(text, PRIVATE_FILE);
        }),
      );
    },
    hold: (path, action) => attempt(`write ${path}`, () => hold(path, action)),
    append(path, text, setAsideAt) {
      attempt(`write ${path}`, () => {
        mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
        appendText(path, text, setAsideAt);
      });
    },
    removeOldFolders(folder, untouchedMs) {
      for (const path of list(folder).map((name) => join(folder, name))) {
        const stat = lstatSync(path, { throwIfNoEntry: false });
        if (stat?.isDirectory() && Date.now() - stat.mtimeMs > untouchedMs)
          attempt(`remove ${path}`, () => removeFolder(path));
      }
    },
    removeFolder: (path) => attempt(`remove ${path}`, () => removeFolder(path)),
    copy: (from, to) => attempt(`copy ${from}`, () => copy(from, to)),
    guarded,
    fill: (folder) => attempt(`make ${folder}`, () => folderWriter(folder)),
  };
}

function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Tests of a project may leave folders that even their owner may not enter.
    openFolders(path);
    rmSync(path, { recursive: true, force: true });
  }
}

function openFolders(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(path, PRIVATE_FOLDER);
  for (const name of readdirSync(path)) openFolders(join(path, name));
}

function folderWriter(folder: string): FolderWriter {
  mkdirSync(dirname(folder), { recursive: true, mode: PRIVATE_FOLDER });
  mkdirSync(folder, { mode: PRIVATE_FOLDER });
  const writing = <T>(path: string, action: (path: string) => T): T => {
    const to = join(folder, path);
    return attempt(`write ${to}`, () => action(to));
  };
  // The modes that git would set: the folder above keeps others out.
  const modeOf = (isExecutable: boolean) => (isExecutable ? 0o755 : 0o644);
  return {
    makeFolder: (path) => writing(path, (to) => mkdirSync(to, { mode: 0o755 })),
    write: (path, content, isExecutable) =>
      writing(path, (to) => writeFileSync(to, content, { flag: "wx", mode: modeOf(isExecutable) })),
    copy: (from, path, isExecutable) =>
      writing(path, (to) => {
        const found = entry(from);
        if (found?.kind !== "file" || !found.isReadable) return undefined;
        if (found.size >= LARGE_FILE && clone(from, to)) {
          chmodSync(to, modeOf(isExecutable));
          return readFileSync(to);
        }
        // For the many small files of a project, this is faster than copyFileSync.
        const content = readFileSync(from);
        writeFileSync(to, content, { flag: "wx", mode: modeOf(isExecutable) });
        return content;
      }),
    // On Windows a junction needs no privilege.
    link: (path, target) => writing(path, (to) => symlinkSync(target, to, "junction")),
  };
}

const LARGE_FILE = 100_000;

/** Makes a copy that shares the blocks of the file. Returns false where the file system cannot. */
function clone(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    if (errno(error) === "EEXIST") throw error;
    rmSync(to, { force: true });
    return false;
  }
}

/** A temporary folder. */
export interface Scratch {
  readonly path: string;
  readonly remove: () => void;
}

export function makeScratch(): Scratch {
  const path = attempt(`make a folder in ${tmpdir()}`, () => realpathSync(mkdtempSync(join(tmpdir(), "ccc-"))));
  return { path, remove: () => removePatiently(path) };
}

/** Windows removes no folder that a process has open. What remains after a second is left to the system. */
function removePatiently(path: string, tries = 10): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    Bun.sleepSync(100);
    if (tries > 1) removePatiently(path, tries - 1);
  }
}

function read(path: string): string | undefined {
  try {
    const stat = statSync(path);
    // Reading a pipe would block forever, and a project may contain one.
    if (!stat.isFile())
      throw new CccError(`cannot read ${path}: it is ${stat.isDirectory() ? "a folder" : "not a regular file"}`);
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof CccError) throw error;
    const code = errno(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw new CccError(`cannot read ${path}: ${reason(error)}`, { cause: error });
  }
}

function list(folder: string): string[] {
  return statOf(folder)?.isDirectory() ? attempt(`read ${folder}`, () => readdirSync(folder).sort()) : [];
}

function identify(path: string): FileIdentity | undefined {
  const stat = statOf(path);
  if (stat === undefined) return undefined;
  return {
    id: `${stat.dev}:${stat.ino}`,
    isFile: stat.isFile(),
    isFolder: stat.isDirectory(),
    isExecutable: (stat.mode & 0o111) !== 0,
    mode: stat.mode & 0o777,
    size: stat.size,
  };
}

function entry(name: string): FileEntry | undefined {
  try {
    const path = nameBytes(name) ?? name;
    const stat = lstatSync(path);
    const kind = stat.isFile() ? "file" : stat.isDirectory() ? "folder" : stat.isSymbolicLink() ? "link" : "other";
    const isReadable = kind !== "file" || canAccess(path, "R_OK");
    return { kind, size: stat.size, modified: stat.mtimeMs, changed: stat.ctimeMs, isReadable };
  } catch {
    return undefined;
  }
}

function copy(from: string, to: string): boolean {
  if (entry(from)?.kind !== "file") return false;
  copyFileSync(from, to);
  chmodSync(to, PRIVATE_FILE);
  const seconds = Math.floor(statSync(from).mtimeMs / 1000);
  utimesSync(to, seconds, seconds);
  return true;
}

function programSize(path: string): number | undefined {
  const found = identify(path);
  return found?.isFile && found.isExecutable ? found.size : undefined;
}

function canAccess(path: PathLike, how: "R_OK" | "W_OK"): boolean {
  try {
    accessSync(path, constants[how]);
    return true;
  } catch {
    return false;
  }
}

function refuseWrite(path: string): void {
  const parent = dirname(path);
  let folder = parent;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  if (!statSync(folder).isDirectory())
    throw Object.assign(new Error(), { code: folder === parent ? "EEXIST" : "ENOTDIR" });
  accessSync(folder, constants.W_OK | constants.X_OK);
}

/** Undefined if the path cannot be accessed, for whatever reason. */
function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Removes permissions beyond `mode`; adds none. */
function tighten(path: string, mode: number): void {
  const current = statSync(path).mode & 0o777;
  if ((current & mode) !== current) chmodSync(path, current & mode);
}

/** The last `longest` bytes of a file as text; empty if it cannot be read. */
function readPart(path: string, longest: number, startOf: (size: number) => number): string {
  try {
    // Opening a pipe would block.
    if (!statSync(path).isFile()) return "";
    const fd = openSync(path, "r");
    try {
      const { size } = fstatSync(fd);
      const bytes = Buffer.alloc(Math.min(longest, size));
      return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, startOf(size))).toString("utf8");
    } finally {
      closeSync(fd);
    }
  } catch {
    return "";
  }
}

/** Not a symbolic link: a program that resolves it would start ccc by its own name. */
function wrapProgram(path: string, command: readonly [program: string, ...args: string[]], pid: number): void {
  attempt(`make ${path}`, () => {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    const temporary = `${path}.${pid}`;
    rmSync(temporary, { force: true });
    if (process.platform === "win32") linkOrCopy(command[0], temporary);
    else {
      writeFileSync(temporary, `#!/bin/sh\nexec ${shellLine(command)} "$@"\n`);
      chmodSync(temporary, PROGRAM);
    }
    renameSync(temporary, path);
  });
}

const PROGRAM = 0o755;

/** On Windows a symbolic link needs a privilege. A hard link has to be on the same drive. */
function linkOrCopy(program: string, path: string): void {
  try {
    linkSync(program, path);
  } catch (error) {
    if (errno(error) !== "EXDEV" && errno(error) !== "EPERM") throw error;
    copyFileSync(program, path);
  }
}
