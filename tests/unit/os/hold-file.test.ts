import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { holdFile } from "../../../src/os/hold-file.ts";

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
  holdFile(join(folder, "x"), process.pid, ({ path, found }) => {
    expect({ path, found }).toEqual({ path: join(folder, "x"), found: { text: "text", mode: 0o640 } });
    expect(readdirSync(folder).sort()).toEqual(["x", "x.lock"]);
  });
  expect(readdirSync(folder)).toEqual(["x"]);
});

test("a file that does not exist can be made, in a folder that only the user can read", () => {
  const folder = folderWith();
  const path = join(folder, "new/x");
  holdFile(path, process.pid, ({ found, write }) => write(`it was ${found}`, 0o600));
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
    holdFile(path, process.pid, ({ write }) => write("2", wanted));
    expect(mode(path)).toBe(wanted.toString(8));
  }
});

test("a removed file is gone, and removing it twice is no error", () => {
  const folder = folderWith({ x: "1" });
  holdFile(join(folder, "x"), process.pid, ({ remove }) => [remove(), remove()]);
  expect(readdirSync(folder)).toEqual([]);
});

describe("a link stays a link", () => {
  test("and the file that it leads to is the one that is locked, written and removed", () => {
    const [home, dotfiles] = [folderWith(), folderWith({ x: "1" })];
    symlinkSync(join(dotfiles, "x"), join(home, "link"));
    holdFile(join(home, "link"), process.pid, ({ path, found, write }) => {
      expect([path, found?.text]).toEqual([join(dotfiles, "x"), "1"]);
      expect(readdirSync(dotfiles).sort()).toEqual(["x", "x.lock"]);
      write("2", 0o600);
    });
    expect([readlinkSync(join(home, "link")), readFileSync(join(dotfiles, "x"), "utf8")]).toEqual([
      join(dotfiles, "x"),
      "2",
    ]);
    holdFile(join(home, "link"), process.pid, ({ remove }) => remove());
    expect([readdirSync(home), readdirSync(dotfiles)]).toEqual([["link"], []]);
  });
  test("also one that leads nowhere: it is not replaced", () => {
    const folder = folderWith();
    symlinkSync(join(folder, "nowhere"), join(folder, "link"));
    expect(() => holdFile(join(folder, "link"), process.pid, ({ write }) => write("2", 0o600))).toThrow("ENOENT");
    expect(lstatSync(join(folder, "link")).isSymbolicLink()).toBe(true);
  });
});

describe("what rewriting would damage is refused, and stays as it is", () => {
  test("a read-only file, even for root", () => {
    const path = join(folderWith({ x: "1" }), "x");
    chmodSync(path, 0o444);
    expect(() => holdFile(path, process.pid, () => "done")).toThrow(`${path} is read-only`);
  });
  test("a folder", () => {
    const path = join(folderWith(), "x");
    mkdirSync(path);
    expect(() => holdFile(path, process.pid, () => "done")).toThrow(`${path} is not a regular file`);
  });
  test.each([
    ["Latin-1", [0x22, 0xe9, 0x22]],
    ["UTF-16", [0xff, 0xfe, 0x22, 0x00]],
  ])("text in %s", (_, bytes) => {
    const path = join(folderWith(), "x");
    writeFileSync(path, Buffer.from(bytes));
    expect(() => holdFile(path, process.pid, () => "done")).toThrow(`${path} is not UTF-8 text`);
    expect([...readFileSync(path)]).toEqual(bytes);
  });
});

test("a file that a killed ccc left half written is removed: it may contain a key", () => {
  const folder = folderWith({ x: "1", [`x.${2 ** 22 + 1}.tmp`]: "a key" });
  holdFile(join(folder, "x"), process.pid, () => "done");
  expect(readdirSync(folder)).toEqual(["x"]);
});
