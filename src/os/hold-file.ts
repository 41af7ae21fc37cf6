import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { CccError } from "../errors.ts";
import { removeAbandoned, replaceFile } from "./atomic.ts";
import { whenFree } from "./busy-file.ts";
import type { HeldFile } from "./files.ts";
import { withLock } from "./lock.ts";
import { PRIVATE_FOLDER } from "./regular.ts";

/** Reads a file and rewrites it while no other ccc can. */
export function holdFile<T>(path: string, pid: number, action: (held: HeldFile) => T): T {
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
