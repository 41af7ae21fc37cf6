import { afterAll, afterEach, beforeEach, describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import {
  chmodSync,
  chownSync,
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
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWriter, isBeingWritten } from "../../../src/os/locks.ts";

const { replace, hold, removeStaleLock, guarded } = createWriter(process.pid);

describe("atomic", () => {
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
      expect(() => replace(join(folder, "x"), "new", 0o600)).toThrow("ENOSPC");
      expect([readdirSync(folder), readFileSync(join(folder, "x"), "utf8")]).toEqual([["x"], "old"]);
    });
    test("when the text does not reach the disk", () => {
      const folder = folderWith("unsynced", "x");
      using _broken = spyOn(fs, "fsyncSync").mockImplementation(() => {
        throw failure("EIO");
      });
      expect(() => replace(join(folder, "x"), "new", 0o600)).toThrow("EIO");
      expect([readdirSync(folder), readFileSync(join(folder, "x"), "utf8")]).toEqual([["x"], "old"]);
    });
    test("when something else has its name", () => {
      const folder = folderWith("taken");
      mkdirSync(join(folder, "x"));
      expect(() => replace(join(folder, "x"), "a key", 0o600)).toThrow();
      expect(readdirSync(folder)).toEqual(["x"]);
    });
  });

  test("a file that a running ccc is writing stays as it is", () => {
    const folder = folderWith("concurrent", `x.${process.ppid}.tmp`);
    replace(join(folder, "x"), "new", 0o600);
    expect(readFileSync(join(folder, `x.${process.ppid}.tmp`), "utf8")).toBe("old");
  });

  test("a file of another user's still belongs to that user when root has changed it", () => {
    const path = join(folderWith("owned", "x"), "x");
    const own = statSync(path);
    const user = process.getuid?.() === 0 ? { uid: 12_345, gid: 23_456 } : { uid: own.uid, gid: own.gid };
    chownSync(path, user.uid, user.gid);
    replace(path, "new", 0o600);
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
      replace(join(folder, "x"), "new", 0o600);
      expect(readdirSync(folder).sort()).toEqual(kept.sort());
    });
    test("also if another ccc is faster", () => {
      const name = `x.${DEAD}.tmp`;
      const folder = folderWith("raced", name);
      using _other = spyOn(process, "kill").mockImplementation(() => {
        rmSync(join(folder, name));
        throw failure("ESRCH");
      });
      replace(join(folder, "x"), "new", 0o600);
      expect(readdirSync(folder)).toEqual(["x"]);
    });
  });

  test.each([
    [`x.${process.pid}.tmp`, true],
    [`x.${DEAD}.tmp`, false],
    [`x.${process.pid}`, false],
    [`x.${process.pid}.tmp.old`, false],
  ])("that %s is being written is %p", (name, is) => expect(isBeingWritten(name)).toBe(is));
});

describe("busy file", () => {
  const REAL = process.platform;
  const on = (platform: NodeJS.Platform) => Object.defineProperty(process, "platform", { value: platform });
  afterEach(() => on(REAL));

  const root = mkdtempSync(join(tmpdir(), "ccc-busy-"));
  afterAll(() => rmSync(root, { recursive: true }));
  const path = join(root, "x");
  const replaceIt = () => replace(path, "new", 0o600);

  /** Renaming fails so often before it works. */
  function failing(code: string, times: number) {
    const rename = fs.renameSync;
    let count = 0;
    const spy = spyOn(fs, "renameSync").mockImplementation((from, to) => {
      if (++count <= times) throw Object.assign(new Error(code), { code });
      rename(from, to);
    });
    return { tried: () => count, [Symbol.dispose]: () => spy.mockRestore() };
  }

  describe("on Windows, where another program may have the file open", () => {
    test.each(["EPERM", "EACCES", "EBUSY"])("what fails with %s is tried again after a moment", (code) => {
      on("win32");
      const waited: number[] = [];
      using _pause = spyOn(Bun, "sleepSync").mockImplementation((ms) => void waited.push(Number(ms)));
      using renaming = failing(code, 30);
      replaceIt();
      expect(readFileSync(path, "utf8")).toBe("new");
      expect(renaming.tried()).toBe(31);
      expect(waited.filter((ms) => ms < 5)).toEqual([]);
    });
    test("another failure is none of that, and is reported at once", () => {
      on("win32");
      using renaming = failing("ENOENT", 1);
      expect(replaceIt).toThrow("ENOENT");
      expect(renaming.tried()).toBe(1);
    });
    test("a file that stays busy is reported in the end", () => {
      on("win32");
      let now = Date.now();
      using _clock = spyOn(Date, "now").mockImplementation(() => now);
      using _pause = spyOn(Bun, "sleepSync").mockImplementation((ms) => {
        now += Number(ms);
      });
      using renaming = failing("EBUSY", 10_000);
      expect(replaceIt).toThrow("EBUSY");
      expect(renaming.tried()).toBeGreaterThan(100);
    });
  });

  test.each(["EPERM", "EACCES", "EBUSY"])("elsewhere %s is reported at once: waiting does not help", (code) => {
    on("linux");
    using renaming = failing(code, 1);
    expect(replaceIt).toThrow(code);
    expect(renaming.tried()).toBe(1);
  });
});

describe("guarded", () => {
  const all = mkdtempSync(join(realpathSync(tmpdir()), "ccc-guarded-"));
  afterAll(() => rmSync(all, { recursive: true }));

  /** A project that may be hostile, and a folder of the user's beside it. */
  let [project, home, files] = ["", "", guarded("")];
  let count = 0;
  beforeEach(() => {
    [project, home] = [join(all, String(++count), "project"), join(all, String(count), "home")];
    for (const folder of [project, home]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(home, "victim"), "mine");
    files = guarded(project);
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
    const linked = guarded(join(home, "project"));
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
});

describe("hold file", () => {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "ccc-hold-"));
  afterAll(() => rmSync(root, { recursive: true }));

  /** A folder of its own for each test, with these files. */
  function folderWith(files: Record<string, string> = {}): string {
    const folder = mkdtempSync(join(root, "f-"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return folder;
  }

  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

  test("a file is held with its text and mode, and under a lock", () => {
    const folder = folderWith({ x: "text" });
    chmodSync(join(folder, "x"), 0o640);
    hold(join(folder, "x"), ({ path, found }) => {
      expect({ path, found }).toEqual({ path: join(folder, "x"), found: { text: "text", mode: 0o640 } });
      expect(readdirSync(folder).sort()).toEqual(["x", "x.lock"]);
    });
    expect(readdirSync(folder)).toEqual(["x"]);
  });

  test("a file that does not exist can be made, in a folder that only the user can read", () => {
    const folder = folderWith();
    const path = join(folder, "new/x");
    hold(path, ({ found, write }) => write(`it was ${found}`, 0o600));
    expect([mode(join(folder, "new")), mode(path), readFileSync(path, "utf8")]).toEqual([
      "700",
      "600",
      "it was undefined",
    ]);
  });

  test("a written file has the mode that is asked for, whatever the umask", () => {
    const folder = folderWith({ x: "1" });
    const path = join(folder, "x");
    for (const wanted of [0o666, 0o600, 0o644]) {
      hold(path, ({ write }) => write("2", wanted));
      expect(mode(path)).toBe(wanted.toString(8));
    }
  });

  test("a removed file is gone, and removing it twice is no error", () => {
    const folder = folderWith({ x: "1" });
    hold(join(folder, "x"), ({ remove }) => [remove(), remove()]);
    expect(readdirSync(folder)).toEqual([]);
  });

  describe("a link stays a link", () => {
    test("and the file that it leads to is the one that is locked, written and removed", () => {
      const [home, dotfiles] = [folderWith(), folderWith({ x: "1" })];
      symlinkSync(join(dotfiles, "x"), join(home, "link"));
      hold(join(home, "link"), ({ path, found, write }) => {
        expect([path, found?.text]).toEqual([join(dotfiles, "x"), "1"]);
        expect(readdirSync(dotfiles).sort()).toEqual(["x", "x.lock"]);
        write("2", 0o600);
      });
      expect([readlinkSync(join(home, "link")), readFileSync(join(dotfiles, "x"), "utf8")]).toEqual([
        join(dotfiles, "x"),
        "2",
      ]);
      hold(join(home, "link"), ({ remove }) => remove());
      expect([readdirSync(home), readdirSync(dotfiles)]).toEqual([["link"], []]);
    });
    test("also one that leads nowhere: it is not replaced", () => {
      const folder = folderWith();
      symlinkSync(join(folder, "nowhere"), join(folder, "link"));
      expect(() => hold(join(folder, "link"), ({ write }) => write("2", 0o600))).toThrow("ENOENT");
      expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
    });
  });

  describe("what rewriting would damage is refused, and stays as it is", () => {
    test("a read-only file, even for root", () => {
      const path = join(folderWith({ x: "1" }), "x");
      chmodSync(path, 0o444);
      expect(() => hold(path, () => "done")).toThrow(`${path} is read-only`);
    });
    test("a folder", () => {
      const path = join(folderWith(), "x");
      mkdirSync(path);
      expect(() => hold(path, () => "done")).toThrow(`${path} is not a regular file`);
    });
    test.each([
      ["Latin-1", [0x22, 0xe9, 0x22]],
      ["UTF-16", [0xff, 0xfe, 0x22, 0x00]],
    ])("text in %s", (_, bytes) => {
      const path = join(folderWith(), "x");
      writeFileSync(path, Buffer.from(bytes));
      expect(() => hold(path, () => "done")).toThrow(`${path} is not UTF-8 text`);
      expect([...readFileSync(path)]).toEqual(bytes);
    });
  });

  test("a file that a killed ccc left half written is removed: it may contain a key", () => {
    const folder = folderWith({ x: "1", [`x.${2 ** 22 + 1}.tmp`]: "a key" });
    hold(join(folder, "x"), () => "done");
    expect(readdirSync(folder)).toEqual(["x"]);
  });
});

describe("lock", () => {
  /** Holds the file that this lock is for. */
  function withLock<T>(lock: string, action: () => T): T {
    return hold(lock.replace(/\.lock$/, ""), action);
  }

  const root = mkdtempSync(join(tmpdir(), "ccc-lock-"));
  afterAll(() => rmSync(root, { recursive: true }));

  /** Above the highest process id that Linux and macOS give out. */
  const DEAD = 2 ** 22 + 1;
  /** Runs as long as the tests do. */
  const RUNNING = process.ppid;

  /** A lock file with this text, `age` milliseconds old. */
  function lockWith(name: string, text: string, age = 0): string {
    const path = join(root, name);
    writeFileSync(path, text);
    setAge(path, age);
    return path;
  }

  function setAge(path: string, age: number): void {
    utimesSync(path, (Date.now() - age) / 1000, (Date.now() - age) / 1000);
  }

  /** A clock that moves only while ccc waits: each wait calls `during`. */
  function waiting(during: () => void) {
    let now = Date.now();
    const clock = spyOn(Date, "now").mockImplementation(() => now);
    const pause = spyOn(Bun, "sleepSync").mockImplementation((ms) => {
      if (Number(ms) <= 0) throw new Error("ccc does not wait");
      now += 100;
      during();
    });
    return {
      waits: () => pause.mock.calls.length,
      [Symbol.dispose]: () => {
        clock.mockRestore();
        pause.mockRestore();
      },
    };
  }

  test("a lock is private and names its owner; afterwards it is gone", () => {
    const path = join(root, "held.lock");
    const seen = withLock(path, () => [readFileSync(path, "utf8"), statSync(path).mode & 0o777]);
    expect(seen).toEqual([String(process.pid), 0o600]);
    expect(existsSync(path)).toBe(false);
  });

  test("a failed action releases the lock", () => {
    const path = join(root, "failed.lock");
    const failing = () => {
      throw new Error("no");
    };
    expect(() => withLock(path, failing)).toThrow("no");
    expect(existsSync(path)).toBe(false);
  });

  test("a lock that another ccc has taken over is left to it", () => {
    const path = join(root, "lost.lock");
    withLock(path, () => writeFileSync(path, String(RUNNING)));
    expect(readFileSync(path, "utf8")).toBe(String(RUNNING));
  });

  test("a lock that cannot be made is reported at once", () => {
    expect(() => withLock(join(root, `${"x".repeat(251)}.lock`), () => "done")).toThrow("ENAMETOOLONG");
  });

  describe("a lock is taken over", () => {
    test.each([
      ["of a process that is gone", String(DEAD), 0],
      ["of this process: an earlier one with the same id left it", String(process.pid), 0],
      ["of a process that is suspended", String(RUNNING), 11_000],
      ["from the future", String(RUNNING), -11_000],
      ["without an owner", "", 600],
      ["with an unreadable owner", "not a process", 600],
    ])("%s", (name, text, age) => {
      const path = lockWith(`${name.replaceAll(/\W/g, "-")}.lock`, text, age);
      using clock = waiting(() => {});
      expect(withLock(path, () => readFileSync(path, "utf8"))).toBe(String(process.pid));
      expect(clock.waits()).toBe(0);
      expect(readdirSync(root).filter((each) => each.startsWith(name.replaceAll(/\W/g, "-")))).toEqual([]);
    });
  });

  describe("a lock is waited for", () => {
    test.each([
      ["while its owner works", String(RUNNING)],
      ["while its owner has not yet written its id", ""],
    ])("%s", (name, text) => {
      using clock = waiting(() => {
        if (clock.waits() === 3) rmSync(path);
      });
      // After the clock has stopped: the lock must not be older than it seems.
      const path = lockWith(`${name.replaceAll(/\W/g, "-")}.lock`, text);
      expect(withLock(path, clock.waits)).toBe(3);
    });
    test("but not for ever; then ccc says who has it, and leaves it", () => {
      const path = lockWith("kept.lock", String(RUNNING));
      using clock = waiting(() => setAge(path, 0));
      expect(() => withLock(path, () => "done")).toThrow(`another ccc (process ${RUNNING}) holds the lock ${path}`);
      expect(clock.waits()).toBeGreaterThan(100);
      expect(readFileSync(path, "utf8")).toBe(String(RUNNING));
    });
  });

  test("what is not a file is neither waited for nor removed: somebody else put it there", () => {
    const path = join(root, "link.lock");
    symlinkSync(lockWith("other", String(DEAD)), path);
    expect(() => withLock(path, () => "done")).toThrow(`${path} is not a regular file`);
    expect(() => removeStaleLock(path)).toThrow(`${path} is not a regular file`);
    expect(readdirSync(root)).toContain("link.lock");
  });

  describe("a stale lock", () => {
    test("leaves the lock of a running process", () => {
      const path = lockWith("running", String(RUNNING));
      removeStaleLock(path);
      expect(existsSync(path)).toBe(true);
      expect(existsSync(`${path}.takeover`)).toBe(false);
    });
    test("leaves a stale lock to the process that is just taking it over", () => {
      const path = lockWith("contested", String(DEAD));
      lockWith("contested.takeover", String(RUNNING));
      removeStaleLock(path);
      expect([existsSync(path), existsSync(`${path}.takeover`)]).toEqual([true, true]);
    });
    test("removes what a process left that was killed while it took over, so that the next try can", () => {
      const path = lockWith("halfway", String(DEAD));
      lockWith("halfway.takeover", String(DEAD));
      removeStaleLock(path);
      expect([existsSync(path), existsSync(`${path}.takeover`)]).toEqual([true, false]);
      removeStaleLock(path);
      expect(existsSync(path)).toBe(false);
    });
    test("leaves a lock that got another owner while ccc looked at it", () => {
      const path = lockWith("renewed", String(DEAD));
      using _other = spyOn(process, "kill").mockImplementation(() => {
        writeFileSync(path, String(RUNNING));
        throw Object.assign(new Error(), { code: "ESRCH" });
      });
      removeStaleLock(path);
      expect(readFileSync(path, "utf8")).toBe(String(RUNNING));
    });
    test("leaves a lock that is made while ccc looks for it", () => {
      const path = join(root, "appearing");
      const stat = fs.lstatSync;
      using _other = spyOn(fs, "lstatSync").mockImplementation(((each: string, options: { throwIfNoEntry: false }) => {
        const found = stat(each, options);
        if (each === path && found === undefined) writeFileSync(path, String(RUNNING));
        return found;
      }) as typeof stat);
      removeStaleLock(path);
      expect(readFileSync(path, "utf8")).toBe(String(RUNNING));
    });
    test("is done if another process was faster", () => {
      const path = lockWith("raced", String(DEAD));
      const stat = fs.fstatSync;
      let looks = 0;
      // The lock goes away after the second look at its owner.
      using _other = spyOn(fs, "fstatSync").mockImplementation(((fd: number) => {
        const found = stat(fd);
        if (++looks === 2) rmSync(path);
        return found;
      }) as typeof stat);
      removeStaleLock(path);
      expect(readdirSync(root).filter((name) => name.startsWith("raced"))).toEqual([]);
    });
  });
});
