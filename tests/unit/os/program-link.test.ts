import { afterAll, afterEach, describe, expect, spyOn, test } from "bun:test";
import * as fs from "node:fs";
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { linkProgram } from "../../../src/os/program-link.ts";

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

test("the link leads to the program, in a folder that only the user can change", () => {
  on("linux");
  const path = newPath();
  linkProgram(path, program, process.pid);
  expect(readlinkSync(path)).toBe(program);
  expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
});

test("what a killed ccc with the same process id left does not matter", () => {
  on("linux");
  const path = newPath();
  linkProgram(path, "/old/ccc", process.pid);
  writeFileSync(`${path}.${process.pid}`, "left");
  linkProgram(path, program, process.pid);
  expect([readlinkSync(path), readdirSync(dirname(path))]).toEqual([program, ["ccc-glm"]]);
});

describe("on Windows", () => {
  test("it is a hard link: a symbolic link would need a privilege", () => {
    on("win32");
    const path = newPath();
    linkProgram(path, program, process.pid);
    expect([lstatSync(path).isSymbolicLink(), statSync(path).ino]).toEqual([false, statSync(program).ino]);
  });
  test.each(["EXDEV", "EPERM"])("it is a copy if a hard link is impossible: %s", (code) => {
    on("win32");
    const path = newPath();
    using _refused = spyOn(fs, "linkSync").mockImplementation(failure(code));
    linkProgram(path, program, process.pid);
    expect([readFileSync(path, "utf8"), statSync(path).nlink]).toEqual(["a program", 1]);
  });
  test("another failure is reported", () => {
    on("win32");
    const path = newPath();
    using _refused = spyOn(fs, "linkSync").mockImplementation(failure("ENOSPC"));
    expect(() => linkProgram(path, program, process.pid)).toThrow(`cannot make ${path}: no space left on the disk`);
    expect(readdirSync(dirname(path))).toEqual([]);
  });
});
