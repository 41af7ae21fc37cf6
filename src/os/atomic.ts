import { closeSync, fchownSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { whenFree } from "./busy-file.ts";
import { isAlive } from "./process.ts";
import { writeFully } from "./write.ts";

/** Replaces a file atomically: readers see the old text or the new, even after a crash. */
export function replaceFile(path: string, text: string, mode: number, pid: number): void {
  removeAbandoned(path, pid);
  const temporary = `${path}.${pid}.tmp`;
  const owner = statSync(path, { throwIfNoEntry: false });
  const fd = openSync(temporary, "wx", mode);
  try {
    writeFully(fd, Buffer.from(text));
    keepOwner(fd, owner);
    fsyncSync(fd);
  } catch (error) {
    closeSync(fd);
    rmSync(temporary, { force: true });
    throw error;
  }
  closeSync(fd);
  whenFree(() => renameSync(temporary, path));
}

/** When root runs ccc in a user's home, the file still belongs to that user. */
function keepOwner(fd: number, owner: { uid: number; gid: number } | undefined): void {
  if (owner !== undefined && process.getuid?.() === 0) fchownSync(fd, owner.uid, owner.gid);
}

/** Whether a file of this name is a temporary one whose writer still works. */
export function isBeingWritten(name: string): boolean {
  const writer = /\.(\d+)\.tmp$/.exec(name)?.[1];
  return writer !== undefined && isAlive(Number(writer));
}

/** Removes temporary files left by writers that were killed. */
export function removeAbandoned(path: string, pid: number): void {
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(prefix) || !name.endsWith(".tmp")) continue;
    const owner = Number(name.slice(prefix.length, -".tmp".length));
    if (owner === pid || (Number.isInteger(owner) && !isAlive(owner)))
      rmSync(join(dirname(path), name), { force: true });
  }
}
