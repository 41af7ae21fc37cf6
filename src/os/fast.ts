import { errno } from "../errors.ts";
import type { Files } from "./files.ts";

/**
 * The file system for the usual launch, where nothing has changed since the last one. Uses Bun's built-in functions,
 * because loading node:fs takes a third of Bun's own start time. All other cases go to `disk`, which uses node:fs.
 */
export function quickFiles(disk: () => Files): Files {
  const read = (path: string): string | undefined => {
    const found = peek(path);
    return found === null ? disk().read(path) : found;
  };
  return {
    read,
    readEnd: (path, longest) => disk().readEnd(path, longest),
    list: (folder) => (peek(folder) === undefined ? [] : disk().list(folder)),
    identify: (path) => disk().identify(path),
    entry: (path) => disk().entry(path),
    programSize,
    modified,
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
    linkProgram: (path, program) => disk().linkProgram(path, program),
    edit: (path, edit) => disk().edit(path, edit),
    hold: (path, action) => disk().hold(path, action),
    append: (path, text, setAsideAt) => disk().append(path, text, setAsideAt),
    removeOldFolders: (folder, untouchedMs) => disk().removeOldFolders(folder, untouchedMs),
    removeFolder: (path) => disk().removeFolder(path),
    copy: (from, to) => disk().copy(from, to),
    guarded: (root) => disk().guarded(root),
  };
}

/** The text of a file, undefined if it does not exist, null if `disk` has to read it. */
function peek(path: string): string | undefined | null {
  try {
    // Bun opens it for reading and writing, which does not wait for a pipe; and a pipe cannot be mapped.
    return TEXT.decode(Bun.mmap(path));
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

/** What Bun returns for a file that does not exist. */
const NEVER = 2 ** 52 - 1;

function modified(path: string): number | undefined {
  try {
    const time = Bun.file(path).lastModified;
    return time === NEVER ? undefined : time;
  } catch {
    // The path is too long.
    return undefined;
  }
}

const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });
