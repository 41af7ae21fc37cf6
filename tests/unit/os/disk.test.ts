import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskFiles } from "../../../src/os/disk.ts";

let root = "";
const files = diskFiles(process.pid);
const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "ccc-test-"));
});
afterAll(() => rm(root, { recursive: true }));

/** A process id that is certainly free: that of a process that has ended. */
/** Above the highest process id that Linux and macOS give out. */
const deadPid = () => 2 ** 22 + 1;

test("touch changes the time of a file, not its content", async () => {
  const path = join(root, "touched");
  await writeFile(path, "text");
  await utimes(path, 1, 1);
  expect(files.modified(path)).toBe(1000);
  files.touch(path);
  expect(files.modified(path)).toBeGreaterThan(1000);
  expect(await readFile(path, "utf8")).toBe("text");
});

test("anything that is not a folder has no entries", async () => {
  const path = join(root, "a file");
  await writeFile(path, "text");
  expect([files.list(path), files.list(join(root, "nowhere"))]).toEqual([[], []]);
});

test("the end of a file is read, and nothing of anything else", async () => {
  const path = join(root, "long");
  await writeFile(path, "line 1\nline 2\n");
  expect([files.readEnd(path, 7), files.readEnd(path, 1000)]).toEqual(["line 2\n", "line 1\nline 2\n"]);
  Bun.spawnSync(["mkfifo", join(root, "pipe")]);
  const others = [root, join(root, "nowhere"), join(root, "pipe")];
  expect(others.map((each) => files.readEnd(each, 7))).toEqual(["", "", ""]);
});

test("a link to a program replaces an earlier one, and leaves nothing else behind", async () => {
  const path = join(root, "links/ccc-glm");
  files.linkProgram(path, "/old/ccc");
  files.linkProgram(path, "/new/ccc");
  expect(await readlink(path)).toBe("/new/ccc");
  expect(await readdir(join(root, "links"))).toEqual(["ccc-glm"]);
});

describe("writePrivate", () => {
  test("makes the file and its folder readable by the owner only", async () => {
    const path = join(root, "private/x");
    files.writePrivate(path, "text");
    expect([await mode(join(root, "private")), await mode(path)]).toEqual(["700", "600"]);
  });
  test("removes excess permissions, even if the text is the same", async () => {
    const folder = join(root, "open");
    await mkdir(folder, { mode: 0o755 });
    await writeFile(join(folder, "x"), "text");
    await chmod(join(folder, "x"), 0o644);
    files.writePrivate(join(folder, "x"), "text");
    expect([await mode(folder), await mode(join(folder, "x"))]).toEqual(["700", "600"]);
  });
  test("replaces a link instead of following it", async () => {
    await writeFile(join(root, "victim"), "mine");
    await mkdir(join(root, "linked"));
    await symlink(join(root, "victim"), join(root, "linked/x"));
    files.writePrivate(join(root, "linked/x"), "text");
    expect(await readFile(join(root, "victim"), "utf8")).toBe("mine");
  });
  test("removes the temporary files of killed writers, not of running ones", async () => {
    const folder = join(root, "abandoned");
    await mkdir(folder);
    await writeFile(join(folder, `x.${deadPid()}.tmp`), "half");
    await writeFile(join(folder, `x.${process.ppid}.tmp`), "at work");
    await writeFile(join(folder, "x.mine.tmp"), "the user's");
    files.writePrivate(join(folder, "x"), "text");
    expect((await readdir(folder)).sort()).toEqual(["x", `x.${process.ppid}.tmp`, "x.mine.tmp"].sort());
  });
  test("says why it failed", async () => {
    await writeFile(join(root, "a-file"), "");
    expect(() => files.writePrivate(join(root, "a-file/x"), "text")).toThrow(
      `cannot write ${root}/a-file/x: a file is where a folder should be`,
    );
  });
});

describe("edit", () => {
  test("follows a link and keeps it", async () => {
    await writeFile(join(root, "target.json"), "1");
    await symlink(join(root, "target.json"), join(root, "link.json"));
    files.edit(join(root, "link.json"), (text) => `${text}2`);
    expect((await lstat(join(root, "link.json"))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(root, "target.json"), "utf8")).toBe("12");
  });
  test("takes over the lock of a process that has exited", async () => {
    const path = join(root, "stale.json");
    await writeFile(path, "1");
    await writeFile(`${path}.lock`, String(deadPid()));
    files.edit(path, (text) => `${text}2`);
    expect(await readFile(path, "utf8")).toBe("12");
    expect(await readdir(root)).not.toContain("stale.json.lock");
  });
  test("removes what a process left that was killed while it took over a lock", async () => {
    const path = join(root, "taken.json");
    await writeFile(path, "{}");
    await writeFile(`${path}.lock.takeover`, String(deadPid()));
    files.edit(path, () => "new");
    expect(await readdir(root)).not.toContain("taken.json.lock.takeover");
  });
  test("a failed edit leaves the file unchanged and the lock released", async () => {
    const path = join(root, "failing.json");
    await writeFile(path, "1");
    expect(() =>
      files.edit(path, () => {
        throw new Error("no");
      }),
    ).toThrow("no");
    expect(await readFile(path, "utf8")).toBe("1");
    expect((await readdir(root)).filter((name) => name.startsWith("failing.json"))).toEqual(["failing.json"]);
  });
  test("takes over a lock with its own pid at once: an earlier process with that pid left it", async () => {
    const path = join(root, "reused.json");
    await writeFile(path, "1");
    await writeFile(`${path}.lock`, String(process.pid));
    const later = new Date(Date.now() + 3_600_000);
    await utimes(`${path}.lock`, later, later);
    files.edit(path, (text) => `${text}2`);
    expect(await readFile(path, "utf8")).toBe("12");
  });
  test("refuses files that are read-only or that rewriting would damage", async () => {
    const path = join(root, "kept.json");
    await writeFile(path, "1");
    await chmod(path, 0o444);
    expect(() => files.edit(path, () => "2")).toThrow("is read-only");
    await writeFile(join(root, "latin.json"), Buffer.from([0x22, 0xe9, 0x22]));
    expect(() => files.edit(join(root, "latin.json"), () => "2")).toThrow("is not UTF-8 text");
  });
  test("concurrent processes lose no update", async () => {
    const path = join(root, "count.json");
    await writeFile(path, "0");
    const script = `
      const { diskFiles } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/os/disk.ts"))});
      for (let i = 0; i < 10; i++) diskFiles(process.pid).edit(${JSON.stringify(path)}, (text) => String(Number(text) + 1));`;
    const children = Array.from({ length: 8 }, () =>
      Bun.spawn([process.execPath, "-e", script], { stdio: ["ignore", "ignore", "inherit"] }),
    );
    expect(await Promise.all(children.map((child) => child.exited))).toEqual(children.map(() => 0));
    expect(await readFile(path, "utf8")).toBe("80");
  });
});

test("a copy is private, and not newer than the original", async () => {
  const [from, to] = [join(root, "original"), join(root, "copy")];
  await writeFile(from, new Uint8Array([0, 255]), { mode: 0o644 });
  await utimes(from, 1, 1.75);
  expect(files.copy(from, to)).toBe(true);
  expect([await readFile(to), await mode(to), files.modified(to)]).toEqual([Buffer.from([0, 255]), "600", 1000]);
  await symlink(from, join(root, "a link to copy"));
  expect(files.copy(join(root, "a link to copy"), to)).toBe(false);
  expect(files.copy(join(root, "nowhere"), to)).toBe(false);
});

test("an entry may be a link, and what it leads to does not matter", async () => {
  await mkdir(join(root, "some/folder"), { recursive: true });
  await symlink("nowhere", join(root, "some/link"));
  await writeFile(join(root, "some/file"), "abc");
  const kinds = ["folder", "link", "file", "none"].map((name) => files.entry(join(root, "some", name))?.kind);
  expect(kinds).toEqual(["folder", "link", "file", undefined]);
  expect(files.entry(join(root, "some/file"))).toMatchObject({ size: 3, isReadable: true });
  files.removeFolder(join(root, "some"));
  expect(files.entry(join(root, "some"))).toBeUndefined();
});

test("old files are removed; with an age of 0 all of them", async () => {
  const folder = join(root, "old");
  await mkdir(folder);
  const left = new Set<number>();
  for (let round = 0; round < 20; round++) {
    await writeFile(join(folder, "a"), "");
    files.removeOld(folder, () => true, 0);
    left.add((await readdir(folder)).length);
  }
  expect([...left]).toEqual([0]);
  await writeFile(join(folder, "new"), "");
  await writeFile(join(folder, "other"), "");
  await utimes(join(folder, "other"), 0, 0);
  files.removeOld(folder, (name) => name !== "other", 60_000);
  expect((await readdir(folder)).sort()).toEqual(["new", "other"]);
  files.removeOld(folder, () => true, 60_000);
  expect(await readdir(folder)).toEqual(["new"]);
});
