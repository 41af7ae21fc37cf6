import { afterAll, beforeEach, describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardedFiles } from "../../../src/os/guarded.ts";

const all = mkdtempSync(join(realpathSync(tmpdir()), "ccc-guarded-"));
afterAll(() => rmSync(all, { recursive: true }));

/** A project that may be hostile, and a folder of the user's beside it. */
let [project, home, files] = ["", "", guardedFiles("", 0)];
let count = 0;
beforeEach(() => {
  [project, home] = [join(all, String(++count), "project"), join(all, String(count), "home")];
  for (const folder of [project, home]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, "victim"), "mine");
  files = guardedFiles(project, process.pid);
});

const at = (path: string) => join(project, path);
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** Everything that can be done with a path. */
const ACTIONS: Record<string, (path: string) => unknown> = {
  read: (path) => files.read(path, 100),
  replace: (path) => files.replace(path, "ccc's"),
  edit: (path) => files.edit(path, () => "ccc's"),
  append: (path) => files.append(path, "ccc's", 100),
  openAppend: (path) => files.openAppend(path, 100).close(),
  makeFolder: (path) => files.makeFolder(path),
};

describe.each(Object.entries(ACTIONS))("%s", (name, run) => {
  test("follows no link to a folder of the user's", () => {
    symlinkSync(home, at("link"));
    const refused = `${at("link")} is a link, and ccc does not follow links there`;
    expect(() => run(at("link/victim"))).toThrow(refused);
    expect(() => run(at("link/new/x"))).toThrow(refused);
    expect(readdirSync(home)).toEqual(["victim"]);
    expect(readFileSync(join(home, "victim"), "utf8")).toBe("mine");
  });
  test("follows no link further down either, and none that leads nowhere", () => {
    mkdirSync(at("a/b"), { recursive: true });
    symlinkSync(home, at("a/b/link"));
    symlinkSync(join(home, "new"), at("a/nowhere"));
    expect(() => run(at("a/b/link/x"))).toThrow(`${at("a/b/link")} is a link`);
    expect(() => run(at("a/nowhere/x"))).toThrow(`${at("a/nowhere")} is a link`);
    expect(readdirSync(home)).toEqual(["victim"]);
  });
  test("does not leave the project", () => {
    expect(() => run(join(home, "victim"))).toThrow(`${home} is not in ${project}`);
    expect(() => run(join(project, "../x"))).toThrow(`is not in ${project}`);
    expect(readdirSync(home)).toEqual(["victim"]);
  });
  test("takes no file for a folder", () => {
    writeFileSync(at("file"), "text");
    expect(() => run(at("file/x"))).toThrow(`${at("file")} is not a folder`);
  });
  test("works in the project itself and in folders whose names begin with dots", () => {
    mkdirSync(at("..a"));
    const before = name === "read" ? undefined : true;
    for (const path of ["x", "..a/x"]) {
      run(at(path));
      expect(existsSync(at(path)) || undefined).toBe(before);
    }
  });
});

describe("a link or a pipe in the place of a file", () => {
  test.each(["read", "append", "openAppend", "edit"])("is refused: %s", (name) => {
    symlinkSync(join(home, "victim"), at("link"));
    linkSync(join(home, "victim"), at("hard"));
    Bun.spawnSync(["mkfifo", at("pipe")]);
    for (const path of ["link", "hard", "pipe"]) expect(() => ACTIONS[name]?.(at(path))).toThrow();
    expect(readFileSync(join(home, "victim"), "utf8")).toBe("mine");
  });
  test("is what the message says", () => {
    symlinkSync(join(home, "victim"), at("link"));
    linkSync(join(home, "victim"), at("hard"));
    mkdirSync(at("folder"));
    expect(() => files.read(at("link"), 100)).toThrow(`${at("link")} is a link`);
    expect(() => files.read(at("hard"), 100)).toThrow(`${at("hard")} is a hard link`);
    expect(() => files.read(at("folder"), 100)).toThrow(`${at("folder")} is not a regular file`);
    expect(() => files.append(at("hard"), "", 100)).toThrow(`cannot write ${at("hard")}: it is a hard link`);
    Bun.spawnSync(["mkfifo", at("pipe")]);
    expect(() => files.read(at("pipe"), 100)).toThrow(`${at("pipe")} is not a regular file`);
    // Without a reader, a pipe cannot be opened to write.
    const reader = openSync(at("pipe"), constants.O_RDWR | constants.O_NONBLOCK);
    expect(() => files.append(at("pipe"), "x", 100)).toThrow(`cannot write ${at("pipe")}: it is not a regular file`);
    closeSync(reader);
  });
  test("is replaced, and what it leads to stays", () => {
    symlinkSync(join(home, "victim"), at("link"));
    linkSync(join(home, "victim"), at("hard"));
    for (const path of ["link", "hard"]) {
      files.replace(at(path), "ccc's");
      expect([lstatSync(at(path)).isFile(), readFileSync(at(path), "utf8")]).toEqual([true, "ccc's"]);
    }
    expect(readFileSync(join(home, "victim"), "utf8")).toBe("mine");
  });
});

test("a folder that is swapped for a link after the check is noticed", () => {
  mkdirSync(at("folder"));
  const stat = fs.lstatSync;
  using _swap = spyOn(fs, "lstatSync").mockImplementation(((path: string, options: { throwIfNoEntry: false }) => {
    const found = stat(path, options);
    if (path === at("folder") && found?.isDirectory()) {
      rmSync(path, { recursive: true });
      symlinkSync(home, path);
    }
    return found;
  }) as typeof stat);
  expect(() => files.read(at("folder/victim"), 100)).toThrow(`${at("folder")} leads elsewhere`);
});

test("a project that is itself reached over a link is a project as any other", () => {
  symlinkSync(project, join(home, "project"));
  mkdirSync(at("folder"));
  const linked = guardedFiles(join(home, "project"), process.pid);
  for (const path of ["x", "folder/x"]) {
    linked.replace(join(home, "project", path), "text");
    expect(readFileSync(at(path), "utf8")).toBe("text");
  }
});

describe("what ccc writes is private, and what it finds keeps its mode", () => {
  test.each(["replace", "edit", "append", "openAppend"])("%s", (name) => {
    ACTIONS[name]?.(at("x"));
    expect([mode(at("x")), readdirSync(project)]).toEqual(["600", ["x"]]);
  });
  test.each(["replace", "edit"])("%s makes the folders that are missing", (name) => {
    ACTIONS[name]?.(at("a/b/x"));
    expect([mode(at("a")), mode(at("a/b")), mode(at("a/b/x"))]).toEqual(["700", "700", "600"]);
    expect(readdirSync(at("a/b"))).toEqual(["x"]);
  });
  test("makeFolder", () => {
    expect([files.makeFolder(at("a/b")), mode(at("a")), mode(at("a/b"))]).toEqual([true, "700", "700"]);
    chmodSync(at("a/b"), 0o755);
    expect([files.makeFolder(at("a/b")), mode(at("a/b"))]).toEqual([false, "755"]);
  });
  test("makeFolder in the place of a link or a file", () => {
    symlinkSync(home, at("link"));
    writeFileSync(at("file"), "text");
    expect(() => files.makeFolder(at("link"))).toThrow(`${at("link")} is a link`);
    expect(() => files.makeFolder(at("file"))).toThrow(`${at("file")} is not a folder`);
  });
  test("append", () => {
    writeFileSync(at("x"), "1");
    chmodSync(at("x"), 0o644);
    files.append(at("x"), "2", 100);
    expect([readFileSync(at("x"), "utf8"), mode(at("x"))]).toEqual(["12", "644"]);
  });
});

test("only the beginning of a long file is read", () => {
  writeFileSync(at("x"), "0123456789");
  expect([0, 4, 10, 11].map((longest) => files.read(at("x"), longest))).toEqual([
    "",
    "0123",
    "0123456789",
    "0123456789",
  ]);
  expect(files.read(at("none"), 10)).toBeUndefined();
});

test("a file is read to its end, even if it comes byte by byte", () => {
  writeFileSync(at("x"), "0123456789");
  const read = fs.readSync;
  using _slow = spyOn(fs, "readSync").mockImplementation(((...args: [number, Buffer, number, number, number]) => {
    const [fd, into, offset, length, position] = args;
    return read(fd, into, offset, Math.min(1, length), position);
  }) as typeof read);
  expect(files.read(at("x"), 100)).toBe("0123456789");
});

test("a file that becomes shorter while it is read ends where it ends", () => {
  writeFileSync(at("x"), "0123456789");
  const stat = fs.fstatSync;
  using _shorter = spyOn(fs, "fstatSync").mockImplementation(((fd: number) => {
    const found = stat(fd);
    truncateSync(at("x"), 4);
    return found;
  }) as typeof stat);
  expect(files.read(at("x"), 100)).toBe("0123");
});

test("an edit sees the text, and may leave it as it is", () => {
  const seen: (string | undefined)[] = [];
  for (const after of ["1", undefined, "2"]) {
    files.edit(at("x"), (text) => {
      seen.push(text);
      expect(readdirSync(project)).toContain("x.lock");
      return after;
    });
  }
  expect([...seen, readFileSync(at("x"), "utf8")]).toEqual([undefined, "1", "1", "2"]);
  expect(readdirSync(project)).toEqual(["x"]);
});

test("a log that has become too long is set aside, once it is longer than allowed", () => {
  files.append(at("log"), "123", 3);
  files.append(at("log"), "4", 3);
  expect(readdirSync(project)).toEqual(["log"]);
  files.append(at("log"), "5", 3);
  expect([readFileSync(at("log.1"), "utf8"), readFileSync(at("log"), "utf8")]).toEqual(["1234", "5"]);
});

test("an open log knows its size", () => {
  writeFileSync(at("log"), "123");
  const log = files.openAppend(at("log"), 100);
  log.write(Buffer.from("é"));
  expect(log.size()).toBe(5);
  log.close();
  expect(readFileSync(at("log"), "utf8")).toBe("123é");
});
