import { lstatSync, rmSync, writeFileSync } from "node:fs";
import { CccError, errno } from "../errors.ts";
import { whenFree } from "./busy-file.ts";
import { isAlive } from "./process.ts";
import { readRegular } from "./regular.ts";

/** Work under a lock takes milliseconds: the owner of a lock this old is suspended or dead. */
const STALE_AFTER_MS = 10_000;
const EMPTY_AFTER_MS = 500;
const GIVE_UP_AFTER_MS = 20_000;

/** Runs `action` while no other process holds the lock file `path`. */
export function withLock<T>(path: string, pid: number, action: () => T): T {
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
export function takeOver(path: string, pid: number): void {
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
  // Somebody else put a pipe or a link there: ccc neither reads nor removes it.
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
