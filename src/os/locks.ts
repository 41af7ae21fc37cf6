/** Writes that are safe from crashes, from other processes, and from what a hostile project puts in the way. */

import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { attempt, CccError, errno } from "../errors.ts";
import { isAlive } from "./process.ts";
import { writeFully } from "./stdio.ts";

/** Files in an untrusted folder: links and special files are refused, and modes are left alone. */
export interface GuardedFiles {
  /** The first `longest` bytes of a file, undefined if it does not exist. */
  read(path: string, longest: number): string | undefined;
  /** Makes a folder with mode 0700 unless it exists. Returns whether it did. */
  makeFolder(path: string): boolean;
  /** Writes a file with mode 0600, atomically. */
  replace(path: string, text: string): void;
  /** Changes or makes a file under a lock, as `Files.edit` does. */
  edit(path: string, edit: (text: string | undefined) => string | undefined): void;
  /** Appends to a file. One that is larger than `setAsideAt` bytes is renamed to `path.1` first. */
  append(path: string, text: string, setAsideAt: number): void;
  /** Opens a file to append to. One that is larger than `setAsideAt` bytes is renamed to `path.1` first. */
  openAppend(path: string, setAsideAt: number): Appender;
  /** Removes the files in a folder whose names `isOld` accepts and that were not modified for `untouchedMs`. Returns how many. */
  removeOld(folder: string, isOld: (name: string) => boolean, untouchedMs: number): number;
}

export interface HeldFile {
  /** Its path, with links resolved. */
  readonly path: string;
  /** Its text and mode, undefined if it does not exist. */
  readonly found: { readonly text: string; readonly mode: number } | undefined;
  readonly write: (text: string, mode: number) => void;
  readonly remove: () => void;
}

interface Appender {
  readonly write: (bytes: Uint8Array) => void;
  /** The size of the file when it was opened, and what was written since. */
  readonly size: () => number;
  readonly close: () => void;
}

/** Writes files for one process so that neither a crash nor another process leaves half of one. */
interface Writer {
  /** Replaces a file atomically: readers see the old text or the new. */
  replace(path: string, text: string, mode: number): void;
  /** Reads a file and rewrites it while no other ccc can. A link stays a link. */
  hold<T>(path: string, action: (held: HeldFile) => T): T;
  /** Removes a lock whose owner is gone. */
  removeStaleLock(path: string): void;
  /** Files below a folder whose content may be hostile, such as a project. */
  guarded(root: string): GuardedFiles;
}

export function createWriter(pid: number): Writer {
  return {
    replace: (path, text, mode) => replaceFile(path, text, mode, pid),
    hold: (path, action) => holdFile(path, pid, action),
    removeStaleLock: (path) => takeOver(path, pid),
    guarded: (root) => guardedFiles(root, pid),
  };
}

export function appendText(path: string, text: string, setAsideAt: number): void {
  const appender = openToAppend(path, setAsideAt);
  appender.write(Buffer.from(text));
  appender.close();
}

/**
 * Opens a file to append to: a new one, or a regular one without other hard links. One that is larger than `setAsideAt`
 * bytes is renamed to `path.1` first.
 */
function openToAppend(path: string, setAsideAt: number): Appender {
  const before = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (before > setAsideAt) renameSync(path, `${path}.1`);
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  const fd = openSync(path, O_APPEND | O_CREAT | O_WRONLY | NO_SURPRISES, PRIVATE_FILE);
  const stat = fstatSync(fd);
  if (!stat.isFile() || stat.nlink > 1) {
    closeSync(fd);
    throw new CccError(`cannot write ${path}: it is ${stat.isFile() ? "a hard link" : "not a regular file"}`);
  }
  let { size } = stat;
  const write = (bytes: Uint8Array) => {
    size += bytes.length;
    writeFully(fd, bytes);
  };
  return { write, size: () => size, close: () => closeSync(fd) };
}

/** Whether a file of this name is a temporary one that a running process is writing. */
export function isBeingWritten(name: string): boolean {
  const writer = temporaryWriter(name);
  return writer !== undefined && isAlive(writer);
}

export const PRIVATE_FILE = 0o600;
export const PRIVATE_FOLDER = 0o700;

function replaceFile(path: string, text: string, mode: number, pid: number): void {
  removeAbandoned(path, pid);
  const temporary = temporaryOf(path, pid);
  const owner = statSync(path, { throwIfNoEntry: false });
  const fd = openSync(temporary, "wx", mode);
  try {
    fill(fd, text, owner);
    whenFree(() => renameSync(temporary, path));
  } catch (error) {
    rmSync(temporary);
    throw error;
  }
}

function fill(fd: number, text: string, owner: { uid: number; gid: number } | undefined): void {
  try {
    writeFully(fd, Buffer.from(text));
    // When root runs ccc in a user's home, the file still belongs to that user.
    if (owner !== undefined && process.getuid?.() === 0) fchownSync(fd, owner.uid, owner.gid);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Removes temporary files left by writers that were killed. */
function removeAbandoned(path: string, pid: number): void {
  for (const name of readdirSync(dirname(path))) {
    const writer = temporaryWriter(name);
    if (writer === undefined || name !== temporaryOf(basename(path), writer)) continue;
    // Another ccc may remove it at the same time.
    if (writer === pid || !isAlive(writer)) rmSync(join(dirname(path), name), { force: true });
  }
}

function temporaryOf(path: string, writer: number): string {
  return `${path}.${writer}.tmp`;
}

/** The process that writes a temporary file; undefined for the name of any other file. */
export function temporaryWriter(name: string): number | undefined {
  const writer = /\.(\d+)\.tmp$/.exec(name)?.[1];
  return writer === undefined ? undefined : Number(writer);
}

const LONGEST_MS = 2_000;
const BUSY = ["EPERM", "EACCES", "EBUSY"];

/** Tries again for a while where Windows refuses, because another process has the file open or is just removing it. */
function whenFree<T>(action: () => T): T {
  const giveUpAt = Date.now() + LONGEST_MS;
  for (;;) {
    try {
      return action();
    } catch (error) {
      const isBusy = process.platform === "win32" && BUSY.includes(errno(error) ?? "");
      if (!isBusy || Date.now() > giveUpAt) throw error;
      Bun.sleepSync(5 + Math.random() * 10);
    }
  }
}

/**
 * Files below a folder whose content may be hostile, such as a project. Follows no links, does not block on special files,
 * and changes no modes.
 */
function guardedFiles(root: string, pid: number): GuardedFiles {
  const guard = <T>(verb: string, path: string, action: () => T): T =>
    attempt(`${verb} ${path}`, () => {
      refuseLinks(root, dirname(path));
      return action();
    });
  const replace = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
    refuseLinks(root, dirname(path));
    replaceFile(path, text, PRIVATE_FILE, pid);
  };
  return {
    makeFolder: (path) =>
      guard("make", path, () => {
        refuseLinks(root, path);
        if (existsSync(path)) return false;
        mkdirSync(path, { recursive: true, mode: PRIVATE_FOLDER });
        return true;
      }),
    read: (path, longest) => guard("read", path, () => readIfThere(path, longest)),
    replace: (path, text) => guard("write", path, () => replace(path, text)),
    edit: (path, edit) =>
      guard("write", path, () => {
        mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER });
        withLock(`${path}.lock`, pid, () => {
          const text = edit(readIfThere(path, LONGEST_EDITED));
          if (text !== undefined) replace(path, text);
        });
      }),
    append: (path, text, setAsideAt) => guard("write", path, () => appendText(path, text, setAsideAt)),
    openAppend: (path, setAsideAt) => guard("write", path, () => openToAppend(path, setAsideAt)),
    removeOld: (folder, isOld, untouchedMs) =>
      guard("clean", folder, () => {
        refuseLinks(root, folder);
        const names = existsSync(folder) ? readdirSync(folder).filter(isOld) : [];
        const old = names.filter((name) => {
          const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
          return stat?.isFile() && Date.now() - stat.mtimeMs >= untouchedMs;
        });
        for (const name of old) rmSync(join(folder, name), { force: true });
        return old.length;
      }),
  };
}

const LONGEST_EDITED = 8_000_000;

/** Refuses a folder if any part of its path below the root is a link. */
function refuseLinks(root: string, folder: string): void {
  const below = relative(root, folder);
  if (below === "") return;
  if (below === ".." || below.startsWith(`..${sep}`)) throw new CccError(`${folder} is not in ${root}`);
  let path = root;
  for (const name of below.split(sep)) {
    path = join(path, name);
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (stat.isSymbolicLink()) throw new CccError(`${path} is a link, and ccc does not follow links there`);
    if (!stat.isDirectory()) throw new CccError(`${path} is not a folder`);
  }
  // Catches most attempts to swap a folder for a link after the check above.
  if (realpathSync(path) !== join(realpathSync(root), below)) throw new CccError(`${path} leads elsewhere`);
}

function readIfThere(path: string, longest: number): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false }) === undefined ? undefined : readRegular(path, longest);
}

function holdFile<T>(path: string, pid: number, action: (held: HeldFile) => T): T {
  // A config that links into a dotfiles folder stays a link. Only links are resolved: realpath fails on a file that is just
  // being replaced.
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const target = isLink ? realpathSync(path) : path;
  mkdirSync(dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
  return withLock(`${target}.lock`, pid, () => {
    // They may contain a key, and nothing else would ever remove them.
    removeAbandoned(target, pid);
    const text = whenFree(() => readExactly(target));
    return action({
      path: target,
      found: text === undefined ? undefined : { text, mode: statSync(target).mode & 0o777 },
      write: (after, mode) => {
        replaceFile(target, after, mode, pid);
        // The umask applies to new files, not to one that already existed.
        if ((statSync(target).mode & 0o777) !== mode) chmodSync(target, mode);
      },
      remove: () => rmSync(target, { force: true }),
    });
  });
}

/** Reads a file that will be rewritten. Refuses one that rewriting would damage. */
function readExactly(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  if (!statSync(path).isFile()) throw new CccError(`${path} is not a regular file`);
  if ((statSync(path).mode & 0o200) === 0) throw new CccError(`${path} is read-only`);
  const bytes = readFileSync(path);
  const text = bytes.toString("utf8");
  if (!Buffer.from(text).equals(bytes)) throw new CccError(`${path} is not UTF-8 text`);
  return text;
}

/** Work under a lock takes milliseconds: the owner of a lock this old is suspended or dead. */
const STALE_AFTER_MS = 10_000;
const EMPTY_AFTER_MS = 500;
const GIVE_UP_AFTER_MS = 20_000;

/** Runs `action` while no other process holds the lock file `path`. */
function withLock<T>(path: string, pid: number, action: () => T): T {
  acquire(path, pid);
  try {
    return action();
  } finally {
    if (owner(path) === pid) remove(path);
  }
}

function acquire(path: string, pid: number): void {
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
  while (!create(path, pid)) {
    if (isStale(path, pid)) takeOver(path, pid);
    else if (Date.now() > giveUpAt) throw new CccError(`another ccc (process ${owner(path)}) holds the lock ${path}`);
    else Bun.sleepSync(2 + Math.random() * 8);
  }
  // A process that was killed while it took over a stale lock leaves this behind.
  removeStale(guardOf(path), pid);
}

function create(path: string, pid: number): boolean {
  try {
    whenFree(() => writeFileSync(path, String(pid), { flag: "wx", mode: 0o600 }));
    return true;
  } catch (error) {
    if (errno(error) === "EEXIST") return false;
    throw error;
  }
}

/** Removes a stale lock. A second lock lets only one process do so at a time, after checking again. */
function takeOver(path: string, pid: number): void {
  const guard = guardOf(path);
  if (!create(guard, pid)) {
    removeStale(guard, pid);
    return;
  }
  try {
    removeStale(path, pid);
  } finally {
    remove(guard);
  }
}

function guardOf(path: string): string {
  return `${path}.takeover`;
}

function removeStale(path: string, pid: number): void {
  if (isStale(path, pid)) remove(path);
}

function remove(path: string): void {
  whenFree(() => rmSync(path, { force: true }));
}

function isStale(path: string, own: number): boolean {
  const stat = whenFree(() => lstatSync(path, { throwIfNoEntry: false }));
  if (stat === undefined) return false;
  // Somebody put a pipe or a link there: ccc neither reads nor removes it.
  if (!stat.isFile()) throw new CccError(`${path} is not a regular file`);
  // A lock from the future is stale too: nobody holds a lock for long.
  const age = Math.abs(Date.now() - stat.mtimeMs);
  const pid = owner(path);
  // The owner writes its pid at once: if the file stays empty, the owner was killed.
  if (pid === undefined) return age > EMPTY_AFTER_MS;
  const isAbandoned = age > STALE_AFTER_MS || pid === own || !isAlive(pid);
  // Since the first read, the owner may have exited and another process taken the lock.
  return isAbandoned && owner(path) === pid;
}

function owner(path: string): number | undefined {
  try {
    // Between create and write the file is empty, and its owner unknown.
    return Number(readRegular(path, LONGEST_PID)) || undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_PID = 20;

/** Do not follow links, do not block on pipes. Windows has neither flag, though Bun may define one there. */
const NO_SURPRISES = process.platform === "win32" ? 0 : constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The first `longest` bytes of a regular file, as text. Refuses symbolic and hard links, which may point to another file
 * of the user's, and does not block on a pipe.
 */
function readRegular(path: string, longest: number): string {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | NO_SURPRISES);
  } catch (error) {
    if (errno(error) === "ELOOP") throw new CccError(`${path} is a link`);
    throw error;
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw new CccError(`${path} is not a regular file`);
    if (stat.nlink > 1) throw new CccError(`${path} is a hard link`);
    const bytes = Buffer.alloc(Math.min(longest, stat.size));
    let length = 0;
    for (let read = -1; read !== 0; length += read) read = readSync(fd, bytes, length, bytes.length - length, length);
    return bytes.subarray(0, length).toString("utf8");
  } finally {
    closeSync(fd);
  }
}
