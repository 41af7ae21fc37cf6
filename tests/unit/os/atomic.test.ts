import { afterAll, describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isBeingWritten, removeAbandoned, replaceFile } from "../../../src/os/atomic.ts";

const root = mkdtempSync(join(tmpdir(), "ccc-atomic-"));
afterAll(() => rmSync(root, { recursive: true }));

/** Above the highest process id that Linux and macOS give out. */
const DEAD = 2 ** 22 + 1;

/** A folder with these files. */
function folderWith(name: string, ...files: string[]): string {
  const folder = join(root, name);
  mkdirSync(folder);
  for (const file of files) writeFileSync(join(folder, file), "old");
  return folder;
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

describe("a file that cannot be replaced keeps its text, and nothing stays beside it", () => {
  test("when the disk is full after a part of the text", () => {
    const folder = folderWith("full", "x");
    const write = fs.writeSync;
    let calls = 0;
    using _full = spyOn(fs, "writeSync").mockImplementation(((fd: number, bytes: Uint8Array, done: number) => {
      if (++calls > 1) throw failure("ENOSPC");
      return write(fd, bytes, done, 1);
    }) as typeof write);
    expect(() => replaceFile(join(folder, "x"), "new", 0o600, process.pid)).toThrow("ENOSPC");
    expect([readdirSync(folder), readFileSync(join(folder, "x"), "utf8")]).toEqual([["x"], "old"]);
  });
  test("when the text does not reach the disk", () => {
    const folder = folderWith("unsynced", "x");
    using _broken = spyOn(fs, "fsyncSync").mockImplementation(() => {
      throw failure("EIO");
    });
    expect(() => replaceFile(join(folder, "x"), "new", 0o600, process.pid)).toThrow("EIO");
    expect([readdirSync(folder), readFileSync(join(folder, "x"), "utf8")]).toEqual([["x"], "old"]);
  });
  test("when something else has its name", () => {
    const folder = folderWith("taken");
    mkdirSync(join(folder, "x"));
    expect(() => replaceFile(join(folder, "x"), "a key", 0o600, process.pid)).toThrow();
    expect(readdirSync(folder)).toEqual(["x"]);
  });
});

test("a file that a running ccc is writing stays as it is", () => {
  const folder = folderWith("concurrent", `x.${process.ppid}.tmp`);
  replaceFile(join(folder, "x"), "new", 0o600, process.pid);
  expect(readFileSync(join(folder, `x.${process.ppid}.tmp`), "utf8")).toBe("old");
});

test("a file of another user's still belongs to that user when root has changed it", () => {
  const path = join(folderWith("owned", "x"), "x");
  const own = statSync(path);
  const user = process.getuid?.() === 0 ? { uid: 12_345, gid: 23_456 } : { uid: own.uid, gid: own.gid };
  chownSync(path, user.uid, user.gid);
  replaceFile(path, "new", 0o600, process.pid);
  expect(statSync(path)).toMatchObject(user);
});

describe("what a killed ccc left is removed", () => {
  test("and nothing that only looks like it", () => {
    const kept = [
      `y.${DEAD}.tmp`,
      `x.y.${DEAD}.tmp`,
      `xx.${DEAD}.tmp`,
      `x.${DEAD}`,
      `x.${DEAD}.txt`,
      `x.${DEAD}.tmp.txt`,
      `x${DEAD}.tmp`,
      "x.-5.tmp",
      "x.1e7.tmp",
      "x..tmp",
      "x.tmp",
      "x.lock",
      "x",
    ];
    const folder = folderWith("alike", ...kept, `x.${DEAD}.tmp`, `x.${process.pid}.tmp`);
    removeAbandoned(join(folder, "x"), process.pid);
    expect(readdirSync(folder).sort()).toEqual(kept.sort());
  });
  test("also if another ccc is faster", () => {
    const name = `x.${DEAD}.tmp`;
    const folder = folderWith("raced", name);
    using _other = spyOn(process, "kill").mockImplementation(() => {
      rmSync(join(folder, name));
      throw failure("ESRCH");
    });
    removeAbandoned(join(folder, "x"), process.pid);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test.each([
  [`x.${process.pid}.tmp`, true],
  [`x.${DEAD}.tmp`, false],
  [`x.${process.pid}`, false],
  [`x.${process.pid}.tmp.old`, false],
])("that %s is being written is %p", (name, is) => expect(isBeingWritten(name)).toBe(is));
