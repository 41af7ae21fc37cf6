import { afterAll, describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { takeOver, withLock } from "../../../src/os/lock.ts";

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
  const path = join(root, "held");
  const seen = withLock(path, process.pid, () => [readFileSync(path, "utf8"), statSync(path).mode & 0o777]);
  expect(seen).toEqual([String(process.pid), 0o600]);
  expect(existsSync(path)).toBe(false);
});

test("a failed action releases the lock", () => {
  const path = join(root, "failed");
  const failing = () => {
    throw new Error("no");
  };
  expect(() => withLock(path, process.pid, failing)).toThrow("no");
  expect(existsSync(path)).toBe(false);
});

test("a lock that another ccc has taken over is left to it", () => {
  const path = join(root, "lost");
  withLock(path, process.pid, () => writeFileSync(path, String(RUNNING)));
  expect(readFileSync(path, "utf8")).toBe(String(RUNNING));
});

test("a folder that cannot have a lock is reported at once", () => {
  expect(() => withLock(join(root, "nowhere/x"), process.pid, () => "done")).toThrow("ENOENT");
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
    const path = lockWith(name.replaceAll(/\W/g, "-"), text, age);
    using clock = waiting(() => {});
    expect(withLock(path, process.pid, () => readFileSync(path, "utf8"))).toBe(String(process.pid));
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
    const path = lockWith(name.replaceAll(/\W/g, "-"), text);
    expect(withLock(path, process.pid, clock.waits)).toBe(3);
  });
  test("but not for ever; then ccc says who has it, and leaves it", () => {
    const path = lockWith("kept", String(RUNNING));
    using clock = waiting(() => setAge(path, 0));
    expect(() => withLock(path, process.pid, () => "done")).toThrow(
      `another ccc (process ${RUNNING}) holds the lock ${path}`,
    );
    expect(clock.waits()).toBeGreaterThan(100);
    expect(readFileSync(path, "utf8")).toBe(String(RUNNING));
  });
});

test("what is not a file is neither waited for nor removed: somebody else put it there", () => {
  const path = join(root, "link");
  symlinkSync(lockWith("other", String(DEAD)), path);
  expect(() => withLock(path, process.pid, () => "done")).toThrow(`${path} is not a regular file`);
  expect(() => takeOver(path, process.pid)).toThrow(`${path} is not a regular file`);
  expect(readdirSync(root)).toContain("link");
});

describe("takeOver", () => {
  test("leaves the lock of a running process", () => {
    const path = lockWith("running", String(RUNNING));
    takeOver(path, process.pid);
    expect(existsSync(path)).toBe(true);
    expect(existsSync(`${path}.takeover`)).toBe(false);
  });
  test("leaves a stale lock to the process that is just taking it over", () => {
    const path = lockWith("contested", String(DEAD));
    lockWith("contested.takeover", String(RUNNING));
    takeOver(path, process.pid);
    expect([existsSync(path), existsSync(`${path}.takeover`)]).toEqual([true, true]);
  });
  test("removes what a process left that was killed while it took over, so that the next try can", () => {
    const path = lockWith("halfway", String(DEAD));
    lockWith("halfway.takeover", String(DEAD));
    takeOver(path, process.pid);
    expect([existsSync(path), existsSync(`${path}.takeover`)]).toEqual([true, false]);
    takeOver(path, process.pid);
    expect(existsSync(path)).toBe(false);
  });
  test("leaves a lock that got another owner while ccc looked at it", () => {
    const path = lockWith("renewed", String(DEAD));
    using _other = spyOn(process, "kill").mockImplementation(() => {
      writeFileSync(path, String(RUNNING));
      throw Object.assign(new Error(), { code: "ESRCH" });
    });
    takeOver(path, process.pid);
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
    takeOver(path, process.pid);
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
    takeOver(path, process.pid);
    expect(readdirSync(root).filter((name) => name.startsWith("raced"))).toEqual([]);
  });
});
