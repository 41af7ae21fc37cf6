import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { CccError, errno } from "../errors.ts";
import { isAlive } from "./process.ts";
import { readRegular } from "./regular.ts";

/** What happens under a lock takes milliseconds: one this old was left by a process that was stopped or is gone. */
const STALE_AFTER_MS = 10_000;
const EMPTY_AFTER_MS = 500;
const GIVE_UP_AFTER_MS = 20_000;

/** Runs `action` while no other process holds the lock file `path`. */
export function withLock<T>(path: string, pid: number, action: () => T): T {
  acquire(path, pid);
  try {
    return action();
  } finally {
    if (owner(path) === pid) rmSync(path, { force: true });
  }
}

function acquire(path: string, pid: number): void {
  const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
  while (!create(path, pid)) {
    if (isStale(path, pid)) takeOver(path, pid);
    else if (Date.now() > giveUpAt) throw new CccError(`another ccc (process ${owner(path)}) holds ${path}`);
    else Bun.sleepSync(2 + Math.random() * 8);
  }
}

function create(path: string, pid: number): boolean {
  try {
    writeFileSync(path, String(pid), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (errno(error) === "EEXIST") return false;
    throw error;
  }
}

/** Removes a stale lock. A second lock lets one process do so at a time, after a second look. */
function takeOver(path: string, pid: number): void {
  const guard = `${path}.takeover`;
  if (!create(guard, pid)) {
    if (isStale(guard, pid)) rmSync(guard, { force: true });
    return;
  }
  try {
    if (isStale(path, pid)) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

function isStale(path: string, own: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return false;
  // A pipe or a link was put there by somebody else: ccc neither reads nor removes it.
  if (!stat.isFile()) throw new CccError(`${path} is not a regular file`);
  // A lock from the future is as old as one from the past: nobody holds a lock for long.
  const age = Math.abs(Date.now() - stat.mtimeMs);
  const pid = owner(path);
  // Its owner writes itself into it at once: one that is still empty was left by a process that was killed.
  if (pid === undefined) return age > EMPTY_AFTER_MS;
  const isLeft = age > STALE_AFTER_MS || pid === own || !isAlive(pid);
  // Its owner may have released it, ended, and left it to the next one since the first look.
  return isLeft && owner(path) === pid;
}

function owner(path: string): number | undefined {
  try {
    // Empty between its making and its first write: then nobody knows its owner yet.
    return Number(readRegular(path, LONGEST_PID)) || undefined;
  } catch {
    return undefined;
  }
}

const LONGEST_PID = 20;
