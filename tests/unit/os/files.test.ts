import { afterAll, afterEach, beforeAll, describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CccError } from "../../../src/errors.ts";
import { diskFiles, makeScratch } from "../../../src/os/files.ts";
import { nameBytes, nameFromBytes, shownName } from "../../../src/os/names.ts";

/** The user without rights of its own. */
const NOBODY = 65534;

describe("disk", () => {
  let root = "";
  const files = diskFiles(process.pid);
  const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), "ccc-test-"));
  });
  afterAll(() => rm(root, { recursive: true }));

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
    expect([files.readStart(path, 7), files.readStart(path, 1000)]).toEqual(["line 1\n", "line 1\nline 2\n"]);
    Bun.spawnSync(["mkfifo", join(root, "pipe")]);
    const others = [root, join(root, "nowhere"), join(root, "pipe")];
    expect(others.map((each) => files.readEnd(each, 7))).toEqual(["", "", ""]);
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
    test("makes all folders that are missing", async () => {
      files.writePrivate(join(root, "deep/a/b/x"), "text");
      expect(files.read(join(root, "deep/a/b/x"))).toBe("text");
      expect(await Promise.all(["deep", "deep/a", "deep/a/b"].map((name) => mode(join(root, name))))).toEqual([
        "700",
        "700",
        "700",
      ]);
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
      const { diskFiles } = await import(${JSON.stringify(join(import.meta.dir, "../../../src/os/files.ts"))});
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
    expect(files.entry(join(root, "some/link"))?.isReadable).toBe(true);
    files.removeFolder(join(root, "some"));
    expect(files.entry(join(root, "some"))).toBeUndefined();
  });

  test("a folder is removed with what its owner has made inaccessible", async () => {
    const folder = join(root, "closed");
    await mkdir(join(folder, "a/b"), { recursive: true });
    await writeFile(join(folder, "a/b/c"), "");
    const isRoot = process.getuid?.() === 0;
    for (const path of ["a/b/c", "a/b", "a"]) {
      await chmod(join(folder, path), 0);
      if (isRoot) await chown(join(folder, path), NOBODY, NOBODY);
    }
    // Nothing is inaccessible to root. Somebody else may not reach the temporary folder by its whole path.
    const before = process.cwd();
    if (isRoot) {
      await chown(folder, NOBODY, NOBODY);
      await chmod(root, 0o777);
      process.chdir(root);
      process.seteuid?.(NOBODY);
    }
    try {
      files.removeFolder(isRoot ? "closed" : folder);
    } finally {
      if (isRoot) process.seteuid?.(0);
      process.chdir(before);
    }
    expect(files.entry(folder)).toBeUndefined();
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

  test("a file that is being written is not old, and neither is one that is gone already", async () => {
    const folder = join(root, "at work");
    await mkdir(folder);
    for (const name of [`x.${process.pid}.tmp`, `x.${deadPid()}.tmp`]) {
      await writeFile(join(folder, name), "");
      await utimes(join(folder, name), 0, 0);
    }
    await symlink("nowhere", join(folder, "gone"));
    files.removeOld(folder, () => true, 60_000);
    expect((await readdir(folder)).sort()).toEqual(["gone", `x.${process.pid}.tmp`]);
  });

  test("old folders are removed with their content; not new ones, files, or what a link leads to", async () => {
    const folder = join(root, "folders");
    const [old, fresh, target] = ["old", "fresh", "../target"].map((name) => join(folder, name));
    for (const each of [old, fresh, target]) {
      await mkdir(join(String(each), "below"), { recursive: true });
      await writeFile(join(String(each), "below/x"), "text");
    }
    await writeFile(join(folder, "file"), "");
    await symlink("../target", join(folder, "link"));
    for (const each of ["old", "file", "../target"]) await utimes(join(folder, each), 0, 0);
    files.removeOldFolders(folder, 60_000);
    expect((await readdir(folder)).sort()).toEqual(["file", "fresh", "link"]);
    expect(await readdir(join(root, "target"))).toEqual(["below"]);
    expect(() => files.removeOldFolders(join(root, "nowhere"), 0)).not.toThrow();
  });

  test("what another ccc removes at the same time is no error", async () => {
    const folder = join(root, "raced");
    const paths = [join(folder, "before"), join(folder, "after")];
    for (const path of paths) {
      await mkdir(path, { recursive: true });
      await utimes(path, 0, 0);
    }
    const look = fs.lstatSync;
    using _before = spyOn(fs, "lstatSync").mockImplementation(((path: string, options: { throwIfNoEntry: false }) => {
      if (path === paths[0]) fs.rmdirSync(path);
      const found = look(path, options);
      if (path === paths[1]) fs.rmdirSync(path);
      return found;
    }) as typeof look);
    files.removeOldFolders(folder, 60_000);
    const name = `x.${deadPid()}.tmp`;
    await writeFile(join(folder, name), "");
    using _during = spyOn(process, "kill").mockImplementation(() => {
      fs.rmSync(join(folder, name));
      throw Object.assign(new Error(), { code: "ESRCH" });
    });
    files.removeOld(folder, () => true, 0);
    expect(await readdir(folder)).toEqual([]);
  });

  test("removing what does not exist is no error; a folder is not removed as a file", async () => {
    files.remove(join(root, "nowhere"));
    files.removeFolder(join(root, "nowhere"));
    await mkdir(join(root, "not a file"));
    expect(() => files.remove(join(root, "not a file"))).toThrow(`cannot remove ${root}/not a file: `);
    await writeFile(join(root, "removed"), "");
    files.remove(join(root, "removed"));
    expect(files.entry(join(root, "removed"))).toBeUndefined();
  });

  test("a moved file replaces another", async () => {
    await writeFile(join(root, "from"), "new");
    await writeFile(join(root, "to"), "old");
    files.move(join(root, "from"), join(root, "to"));
    expect([files.read(join(root, "from")), files.read(join(root, "to"))]).toEqual([undefined, "new"]);
    expect(() => files.move(join(root, "from"), join(root, "to"))).toThrow(
      `cannot move ${root}/from to ${root}/to: no such file`,
    );
  });

  test("a new folder is private, one that exists stays as it is", async () => {
    const path = join(root, "made/further/below");
    expect([files.makeFolder(path), await mode(path)]).toEqual([true, "700"]);
    await chmod(path, 0o755);
    expect([files.makeFolder(path), await mode(path)]).toEqual([false, "755"]);
  });

  test("a file that ccc makes for the user to edit is as other files are", async () => {
    const path = join(root, "created/below/x");
    files.create(path, "text");
    expect([await readFile(path, "utf8"), (await stat(path)).mode & 0o700]).toEqual(["text", 0o600]);
    files.create(path, "new");
    expect(await readFile(path, "utf8")).toBe("new");
  });

  test("a log is private, and set aside once it is longer than allowed", async () => {
    const path = join(root, "logs/below/log");
    files.append(path, "123", 3);
    expect([await mode(join(root, "logs")), await mode(join(root, "logs/below")), await mode(path)]).toEqual([
      "700",
      "700",
      "600",
    ]);
    files.append(path, "4", 3);
    expect(await readdir(join(root, "logs/below"))).toEqual(["log"]);
    files.append(path, "5", 3);
    expect([files.read(`${path}.1`), files.read(path)]).toEqual(["1234", "5"]);
  });

  test("making a file private takes it from others, and gives nobody more", async () => {
    const path = join(root, "shared");
    await writeFile(path, "");
    for (const [before, after] of [
      [0o755, "700"],
      [0o640, "600"],
      [0o700, "700"],
      [0o400, "400"],
      [0o044, "0"],
    ] as const) {
      await chmod(path, before);
      files.makePrivate(path);
      expect(await mode(path)).toBe(after);
    }
  });

  describe("refuseWrite says what writing would say, and writes nothing", () => {
    test("nothing, where it would work", async () => {
      files.refuseWrite(join(root, "to come/below/x"));
      files.refuseWrite(join(root, "x"));
      expect(files.entry(join(root, "to come"))).toBeUndefined();
    });
    test.each(["in the way/x", "in the way/below/x", "in the way/below/further/x"])("%s", async (name) => {
      await writeFile(join(root, "in the way"), "");
      const path = join(root, name);
      const said = (action: () => void) => {
        try {
          return action();
        } catch (error) {
          return String(error);
        }
      };
      const written = said(() => files.writePrivate(path, "text"));
      expect(written).toContain(`cannot write ${path}: `);
      expect(said(() => files.refuseWrite(path))).toBe(written);
    });
  });

  test("what a path is: a file, a folder, a program, or nothing", async () => {
    const folder = join(root, "kinds");
    await mkdir(folder);
    await writeFile(join(folder, "file"), "abc");
    await chmod(join(folder, "file"), 0o640);
    await writeFile(join(folder, "program"), "", { mode: 0o700 });
    await symlink("file", join(folder, "link"));
    Bun.spawnSync(["mkfifo", join(folder, "pipe")]);
    const [file, link] = ["file", "link"].map((name) => files.identify(join(folder, name)));
    expect(file).toMatchObject({ isFile: true, isFolder: false, isExecutable: false, mode: 0o640, size: 3 });
    expect(link).toEqual(file);
    expect(files.identify(folder)).toMatchObject({ isFile: false, isFolder: true });
    expect(files.identify(join(folder, "program"))).toMatchObject({ isExecutable: true, size: 0 });
    expect(files.identify(join(folder, "program"))?.id).not.toBe(file?.id);
    expect(files.identify(join(folder, "none"))).toBeUndefined();
    expect(files.entry(join(folder, "pipe"))).toMatchObject({ kind: "other", isReadable: true });
    expect(files.entry(join(folder, "file/below"))).toBeUndefined();
  });

  test("of a file that ccc may not read, that is known", async () => {
    await writeFile(join(root, "secret"), "");
    // Root may read everything.
    using _denied = spyOn(fs, "accessSync").mockImplementation(() => {
      throw Object.assign(new Error(), { code: "EACCES" });
    });
    expect(files.entry(join(root, "secret"))).toMatchObject({ kind: "file", isReadable: false });
  });

  test("a path that cannot be resolved is reported", async () => {
    expect(() => files.realPath(join(root, "nowhere"))).toThrow(`cannot find ${root}/nowhere: no such file`);
    expect([files.canWrite(root), files.canWrite(join(root, "nowhere"))]).toEqual([true, false]);
  });

  test("a folder and a pipe have no text, and the message says which it is", async () => {
    Bun.spawnSync(["mkfifo", join(root, "a pipe")]);
    expect(() => files.read(root)).toThrow(`cannot read ${root}: it is a folder`);
    expect(() => files.read(join(root, "a pipe"))).toThrow(`cannot read ${root}/a pipe: it is not a regular file`);
  });

  test("a stale lock is removed, the lock of a running process is not", async () => {
    const path = join(root, "some.lock");
    await writeFile(path, String(process.ppid));
    files.removeStaleLock(path);
    expect(files.read(path)).toBe(String(process.ppid));
    await writeFile(path, String(deadPid()));
    files.removeStaleLock(path);
    expect(files.read(path)).toBeUndefined();
  });
});

describe("program link", () => {
  const root = mkdtempSync(join(tmpdir(), "ccc-link-"));
  afterAll(() => rmSync(root, { recursive: true }));
  const program = join(root, "ccc");
  writeFileSync(program, "a program");

  const REAL = process.platform;
  const on = (platform: NodeJS.Platform) => Object.defineProperty(process, "platform", { value: platform });
  afterEach(() => on(REAL));

  /** A path in a folder that does not exist yet. */
  const newPath = () => join(mkdtempSync(join(root, "bin-")), "below/further/ccc-glm");

  function failure(code: string) {
    return () => {
      throw Object.assign(new Error(code), { code });
    };
  }

  test("it is a script in a folder that only the user can change, and no link: who resolves it gets the same program", () => {
    on("linux");
    const path = newPath();
    diskFiles(process.pid).wrapProgram(path, "/bin/echo", ["--as=it's", "a b"]);
    expect(fs.realpathSync(path)).toBe(`${fs.realpathSync(dirname(path))}/ccc-glm`);
    expect(Bun.spawnSync([path, "-p", 'it\'s "hi"']).stdout.toString()).toBe(`--as=it's a b -p it's "hi"\n`);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
  });

  test("it replaces an earlier one, and what a killed ccc with the same process id left does not matter", () => {
    on("linux");
    const path = newPath();
    diskFiles(process.pid).wrapProgram(path, "/old/ccc", []);
    fs.rmSync(path);
    fs.symlinkSync("/old/ccc", path);
    writeFileSync(`${path}.${process.pid}`, "left");
    diskFiles(process.pid).wrapProgram(path, program, []);
    expect(readFileSync(path, "utf8")).toBe(`#!/bin/sh\nexec ${program} "$@"\n`);
    expect(readdirSync(dirname(path))).toEqual(["ccc-glm"]);
  });

  describe("on Windows", () => {
    test("it is a hard link: a symbolic link would need a privilege", () => {
      on("win32");
      const path = newPath();
      diskFiles(process.pid).wrapProgram(path, program, ["--as=glm"]);
      expect([lstatSync(path).isSymbolicLink(), statSync(path).ino]).toEqual([false, statSync(program).ino]);
    });
    test.each(["EXDEV", "EPERM"])("it is a copy if a hard link is impossible: %s", (code) => {
      on("win32");
      const path = newPath();
      using _refused = spyOn(fs, "linkSync").mockImplementation(failure(code));
      diskFiles(process.pid).wrapProgram(path, program, ["--as=glm"]);
      expect([readFileSync(path, "utf8"), statSync(path).nlink]).toEqual(["a program", 1]);
    });
    test("another failure is reported", () => {
      on("win32");
      const path = newPath();
      using _refused = spyOn(fs, "linkSync").mockImplementation(failure("ENOSPC"));
      expect(() => diskFiles(process.pid).wrapProgram(path, program, ["--as=glm"])).toThrow(
        `cannot make ${path}: no space left on the disk`,
      );
      expect(readdirSync(dirname(path))).toEqual([]);
    });
  });
});

test("a folder that may not be read is an error for the user", () => {
  const denied = Object.assign(new Error(), { code: "EACCES" });
  using _denied = spyOn(fs, "readdirSync").mockImplementation(() => {
    throw denied;
  });
  expect(() => diskFiles(process.pid).list("/")).toThrow(new CccError("cannot read /: permission denied"));
});

describe("scratch", () => {
  test("a scratch folder is new and private, and goes with all that is in it", () => {
    const [one, other] = [makeScratch(), makeScratch()];
    expect(one.path).not.toBe(other.path);
    expect([realpathSync(one.path), statSync(one.path).mode & 0o777]).toEqual([one.path, 0o700]);
    mkdirSync(join(one.path, "a/b"), { recursive: true });
    writeFileSync(join(one.path, "a/b/x"), "text");
    one.remove();
    expect([existsSync(one.path), existsSync(other.path)]).toEqual([false, true]);
    other.remove();
  });

  test("where none can be made, an error for the user says where", () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = "/nowhere";
    try {
      expect(makeScratch).toThrow(new CccError("cannot make a folder in /nowhere: no such file"));
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
  });

  test("removing it again is no error", () => {
    const place = makeScratch();
    place.remove();
    place.remove();
    expect(existsSync(place.path)).toBe(false);
  });
});

describe("file names", () => {
  const cases: [name: string, bytes: number[] | string, shown: string][] = [
    ["plain", "src/a b.ts", "src/a b.ts"],
    ["letters of all languages and emoji", "ä/文/😀\u{10080}", "ä/文/😀\u{10080}"],
    ["a byte order mark", "\uFEFFa", "\\u{feff}a"],
    ["the replacement character itself", "\uFFFD", "\uFFFD"],
    ["newlines, tabs and control characters", "a\n\n\r\tb\u001b[31m", "a\\n\\n\\r\\tb\\u{1b}[31m"],
    ["letters that turn the direction around", "a\u202Etxt.exe", "a\\u{202e}txt.exe"],
    ["Latin-1", [0x61, 0xe4, 0x2e, 0x74], "a\\xe4.t"],
    ["Latin-1 beside UTF-8", [0xc3, 0xa4, 0xff, 0xe6, 0x96, 0x87, 0xfe], "ä\\xff文\\xfe"],
    ["UTF-8 at the ends of its ranges", [0xff, 0xc2, 0xa9, 0xc3, 0x80, 0xe6, 0x96, 0x80], "\\xff©À斀"],
    ["a character with a letter in it", [0xe6, 0x96, 0x41], "\\xe6\\x96A"],
    ["a character with the beginning of another in it", [0xe6, 0x96, 0xc0], "\\xe6\\x96\\xc0"],
    ["a character cut off", [0xe6, 0x96], "\\xe6\\x96"],
    ["one that is longer than it needs to be", [0xc0, 0xaf], "\\xc0\\xaf"],
    ["a surrogate in UTF-8", [0xed, 0xb2, 0x80], "\\xed\\xb2\\x80"],
    ["beyond Unicode", [0xf4, 0x90, 0x80, 0x80, 0xf5], "\\xf4\\x90\\x80\\x80\\xf5"],
  ];
  for (const [name, content, shown] of cases) {
    test(`a file name: ${name}`, () => {
      const bytes = Buffer.from(content);
      const text = nameFromBytes(bytes);
      expect([...(nameBytes(text) ?? Buffer.from(text))]).toEqual([...bytes]);
      expect(nameBytes(text) === undefined).toBe(typeof content === "string");
      expect(shownName(text)).toBe(shown);
    });
  }
});
