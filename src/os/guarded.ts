import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { attempt, CccError } from "../errors.ts";
import { replaceFile } from "./atomic.ts";
import type { Appender, GuardedFiles } from "./files.ts";
import { withLock } from "./lock.ts";
import { openToAppend, PRIVATE_FILE, PRIVATE_FOLDER, readRegular } from "./regular.ts";

/**
 * Files below a folder whose content may be hostile, such as a project. Follows no links, does not block on special files,
 * and changes no modes.
 */
export function guardedFiles(root: string, pid: number): GuardedFiles {
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
    append: (path, text, setAsideAt) =>
      guard("write", path, () => {
        const appender = openSmall(path, setAsideAt);
        appender.write(Buffer.from(text));
        appender.close();
      }),
    openAppend: (path, setAsideAt) => guard("write", path, () => openSmall(path, setAsideAt)),
  };
}

function openSmall(path: string, setAsideAt: number): Appender {
  const size = lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > setAsideAt) renameSync(path, `${path}.1`);
  return openToAppend(path);
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
