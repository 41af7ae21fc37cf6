import { closeSync, fchownSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { whenFree } from "./busy-file.ts";
import { isAlive } from "./process.ts";
import { writeFully } from "./write.ts";

/** Replaces a file atomically: readers see the old text or the new, even after a crash. */
export function replaceFile(path: string, text: string, mode: number, pid: number): void {
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

/** Whether a file of this name is a temporary one whose writer still works. */
export function isBeingWritten(name: string): boolean {
  const writer = writerOf(name);
  return writer !== undefined && isAlive(writer);
}

/** Removes temporary files left by writers that were killed. */
export function removeAbandoned(path: string, pid: number): void {
  for (const name of readdirSync(dirname(path))) {
    const writer = writerOf(name);
    if (writer === undefined || name !== temporaryOf(basename(path), writer)) continue;
    // Another ccc may remove it at the same time.
    if (writer === pid || !isAlive(writer)) rmSync(join(dirname(path), name), { force: true });
  }
}

function temporaryOf(path: string, writer: number): string {
  return `${path}.${writer}.tmp`;
}

function writerOf(name: string): number | undefined {
  const writer = /\.(\d+)\.tmp$/.exec(name)?.[1];
  return writer === undefined ? undefined : Number(writer);
}
