import { errno } from "../errors.ts";
import { lazy } from "../lazy.ts";
import type { Files } from "./files.ts";

/**
 * The file system as a launch needs it, where all is as the last launch left it: by what Bun has built in, because
 * Node's file system takes a third as long to load as all of Bun. Whatever is not plain is left to that one.
 */
export function quickFiles(pid: number): Files {
  const disk = (): Files => lazy().diskFiles(pid);
  const read = (path: string): string | undefined => {
    const found = peek(path);
    return found === null ? disk().read(path) : found;
  };
  return {
    read,
    list: (folder) => (peek(folder) === undefined ? [] : disk().list(folder)),
    identify: (path) => disk().identify(path),
    programSize,
    modified,
    realPath: (path) => disk().realPath(path),
    canWrite: (path) => disk().canWrite(path),
    writePrivate: (path, text) => {
      if (peek(path) !== text) disk().writePrivate(path, text);
    },
    touch: (path) => disk().touch(path),
    remove: (path) => disk().remove(path),
    move: (from, to) => disk().move(from, to),
    removeOld: (folder, isOld, untouchedMs) => disk().removeOld(folder, isOld, untouchedMs),
    makeFolder: (path) => disk().makeFolder(path),
    create: (path, text) => disk().create(path, text),
    edit: (path, edit) => disk().edit(path, edit),
    hold: (path, action) => disk().hold(path, action),
    append: (path, text, setAsideAt) => disk().append(path, text, setAsideAt),
    removeOldFolders: (folder, untouchedMs) => disk().removeOldFolders(folder, untouchedMs),
    guarded: (root) => disk().guarded(root),
  };
}

/** The text of a file, undefined where there is nothing, null where it takes a closer look. */
function peek(path: string): string | undefined | null {
  try {
    // A pipe has no size, and would be waited for.
    if (Bun.file(path).size === Number.POSITIVE_INFINITY) return null;
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
    // A path that is too long leads nowhere.
    return undefined;
  }
}

/** Bun's word for a file that is not there. */
const NEVER = 2 ** 52 - 1;

function modified(path: string): number | undefined {
  try {
    const time = Bun.file(path).lastModified;
    return time === NEVER ? undefined : time;
  } catch {
    // A path that is too long leads nowhere.
    return undefined;
  }
}

const TEXT = new TextDecoder("utf-8", { ignoreBOM: true });
