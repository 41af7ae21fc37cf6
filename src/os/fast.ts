import { errno } from "../errors.ts";
import type { Files } from "./files.ts";

/** Reading without node:fs, which takes a third of Bun's own start time to load. */

/**
 * The file system for the usual launch, where nothing has changed since the last one. All other cases go to `disk`, which
 * uses node:fs.
 */
export function quickFiles(disk: () => Files): Files {
  const read = (path: string): string | undefined => {
    const found = peek(path);
    return found === null ? disk().read(path) : found;
  };
  return {
    read,
    readStart: (path, longest) => disk().readStart(path, longest),
    readEnd: (path, longest) => disk().readEnd(path, longest),
    list: (folder) => (peek(folder) === undefined ? [] : disk().list(folder)),
    identify: (path) => disk().identify(path),
    entry: (path) => disk().entry(path),
    programSize,
    modified: quickModified,
    exists: (path) => quickModified(path) !== undefined,
    modifiedWithin: (path, ms) => Date.now() - (quickModified(path) ?? 0) <= ms,
    realPath: (path) => disk().realPath(path),
    canWrite: (path) => disk().canWrite(path),
    writePrivate: (path, text) => {
      if (peek(path) !== text) disk().writePrivate(path, text);
    },
    refuseWrite: (path) => disk().refuseWrite(path),
    makePrivate: (path) => disk().makePrivate(path),
    removeStaleLock: (path) => disk().removeStaleLock(path),
    touch: (path) => disk().touch(path),
    remove: (path) => disk().remove(path),
    move: (from, to) => disk().move(from, to),
    removeOld: (folder, isOld, untouchedMs) => disk().removeOld(folder, isOld, untouchedMs),
    makeFolder: (path) => disk().makeFolder(path),
    create: (path, text) => disk().create(path, text),
    wrapProgram: (path, program, args) => disk().wrapProgram(path, program, args),
    edit: (path, edit) => disk().edit(path, edit),
    hold: (path, action) => disk().hold(path, action),
    append: (path, text, setAsideAt) => disk().append(path, text, setAsideAt),
    removeOldFolders: (folder, untouchedMs) => disk().removeOldFolders(folder, untouchedMs),
    removeFolder: (path) => disk().removeFolder(path),
    copy: (from, to) => disk().copy(from, to),
    guarded: (root) => disk().guarded(root),
    fill: (folder) => disk().fill(folder),
  };
}

/** Made on first use: every start of ccc loads this file. */
let decoder: TextDecoder | undefined;

/** The text of a file, undefined if it does not exist, null if `disk` has to read it. */
function peek(path: string): string | undefined | null {
  try {
    // Bun opens it for reading and writing, which does not wait for a pipe; and a pipe cannot be mapped.
    decoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
    return decoder.decode(Bun.mmap(path));
  } catch (error) {
    const code = errno(error);
    return code === "ENOENT" || code === "ENOTDIR" ? undefined : null;
  }
}

function programSize(path: string): number | undefined {
  try {
    return Bun.which(path) === null ? undefined : Bun.file(path).size;
  } catch {
    // The path is too long.
    return undefined;
  }
}

/** The text of a file; undefined if it does not exist, or is not a regular file with something in it. */
export function quickText(path: string): string | undefined {
  return peek(path) ?? undefined;
}

/** What Bun returns for a file that does not exist. */
const NEVER = 2 ** 52 - 1;

/** When a file or folder was last changed; undefined if it does not exist. */
export function quickModified(path: string): number | undefined {
  try {
    const time = Bun.file(path).lastModified;
    return time === NEVER ? undefined : time;
  } catch {
    // The path is too long.
    return undefined;
  }
}

/** Files through libc itself: reading Bun.stdin starts threads. */
export interface LibcFiles {
  /** Reads some of stdin, and returns how much: 0 at its end, negative if it cannot wait for more. */
  readonly readStdin: (into: Uint8Array) => number;
  /** Whether stdin is a terminal. */
  readonly isTerminal: () => boolean;
  /** The path with links resolved; undefined if it cannot be opened. */
  readonly realPath: (path: string) => string | undefined;
  /** Whether it is a pipe: reading it may never end. */
  readonly isPipe: (path: string) => boolean;
}

/** For Linux with glibc; undefined if it does not work. */
export function libcFiles(): LibcFiles | undefined {
  const libc = openLibc();
  if (libc === undefined) return undefined;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const found = new Uint8Array(LONGEST_PATH);
  return {
    readStdin: (into) => libc.read(0, into, into.length),
    isTerminal: () => libc.isatty(0) === 1,
    // As Bun's own realpath does it: the kernel resolves all links, and /proc says where they lead.
    realPath: (path) => {
      // To libc, the path would end there.
      if (path.includes("\0")) return undefined;
      const fd = libc.open(encoder.encode(`${path}\0`), O_PATH | O_CLOEXEC);
      if (fd < 0) return undefined;
      const length = libc.readlink(encoder.encode(`/proc/self/fd/${fd}\0`), found, LONGEST_PATH);
      libc.close(fd);
      if (length <= 0 || length === LONGEST_PATH) throw new Error(`/proc does not say where ${path} is`);
      return decoder.decode(found.subarray(0, length));
    },
    isPipe: (path) => {
      const fd = libc.open(encoder.encode(`${path}\0`), O_NONBLOCK | O_CLOEXEC);
      if (fd < 0) return false;
      // A pipe has no position.
      const position = libc.lseek(fd, 0, SEEK_CUR);
      libc.close(fd);
      return position < 0;
    },
  };
}

const O_PATH = 0o10000000;
const O_CLOEXEC = 0o2000000;
const O_NONBLOCK = 0o4000;
const SEEK_CUR = 1;
const LONGEST_PATH = 4096;

function openLibc() {
  try {
    // Required here: a launch, which needs no libc, would load it, too.
    const { dlopen } = require("bun:ffi") as typeof import("bun:ffi");
    return dlopen("libc.so.6", {
      read: { args: ["i32", "ptr", "usize"], returns: "i32" },
      open: { args: ["ptr", "i32"], returns: "i32" },
      readlink: { args: ["ptr", "ptr", "usize"], returns: "i32" },
      close: { args: ["i32"], returns: "i32" },
      lseek: { args: ["i32", "i32", "i32"], returns: "i32" },
      isatty: { args: ["i32"], returns: "i32" },
    }).symbols;
  } catch {
    return undefined;
  }
}

/** Reads text to its end. `rest` reads what is left if `readSome` cannot wait for it. */
export async function readWhole(
  readSome: LibcFiles["readStdin"],
  rest: () => Promise<Uint8Array<ArrayBuffer>>,
): Promise<string> {
  const decoder = new TextDecoder();
  const bytes = new Uint8Array(65_536);
  let text = "";
  for (;;) {
    const length = readSome(bytes);
    if (length < 0) return text + decoder.decode(await rest());
    if (length === 0) return text + decoder.decode();
    text += decoder.decode(bytes.subarray(0, length), { stream: true });
  }
}
