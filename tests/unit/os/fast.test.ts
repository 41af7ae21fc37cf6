import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { quickFiles } from "../../../src/os/fast.ts";
import { diskFiles } from "../../../src/os/files.ts";

const root = mkdtempSync(join(tmpdir(), "ccc-quick-"));
afterAll(() => rmSync(root, { recursive: true }));
const at = (name: string) => join(root, name);
const quick = quickFiles(() => diskFiles(process.pid));
const disk = diskFiles(process.pid);

writeFileSync(at("text"), "größe\n");
writeFileSync(at("bom"), "\uFEFF{}");
writeFileSync(at("latin"), Uint8Array.of(0x67, 0xf6, 0x00, 0x0a));
writeFileSync(at("empty"), "");
writeFileSync(at("old"), "old");
utimesSync(at("old"), 1e9, 1e9);
mkdirSync(at("folder"));
writeFileSync(at("folder/b"), "");
writeFileSync(at("folder/a"), "");
symlinkSync(at("text"), at("link"));
symlinkSync(at("nowhere"), at("dangling"));
symlinkSync(at("round"), at("round"));
writeFileSync(at("program"), "#!/bin/sh\n");
chmodSync(at("program"), 0o755);
symlinkSync(at("program"), at("linked program"));
await $`mkfifo ${at("pipe")}`;

/** What an action returns, or the error it throws. */
function outcome(action: () => unknown): unknown {
  try {
    return action();
  } catch (error) {
    return String(error);
  }
}

const NAMES = "text bom latin empty folder folder/a text/below missing link dangling round program pipe".split(" ");

describe("quick files and disk files agree", () => {
  test.each([...NAMES, "linked program", "x".repeat(5000)])("%.20s", (name) => {
    expect(outcome(() => quick.read(at(name)))).toEqual(outcome(() => disk.read(at(name))));
    expect(quick.programSize(at(name))).toBe(disk.programSize(at(name)));
    const time = disk.modified(at(name));
    expect(quick.modified(at(name))).toBe(time && Math.trunc(time));
    expect(quick.exists(at(name))).toBe(disk.exists(at(name)));
    expect(quick.modifiedWithin(at(name), 1e6)).toBe(disk.modifiedWithin(at(name), 1e6));
  });
  test.each(["folder", "missing"])("on the names in %s", (name) => {
    expect(quick.list(at(name))).toEqual(disk.list(at(name)));
  });
  test("and return the expected values", () => {
    expect(quick.read(at("bom"))).toBe("\uFEFF{}");
    expect(quick.programSize(at("linked program"))).toBe(10);
    expect(quick.list(at("folder"))).toEqual(["a", "b"]);
    expect(quick.modified(at("folder"))).toBeGreaterThan(0);
    expect([quick.exists(at("folder")), quick.exists(at("missing"))]).toEqual([true, false]);
    expect([quick.modifiedWithin(at("old"), 1000), disk.modifiedWithin(at("old"), 1000)]).toEqual([false, false]);
    expect([quick.modifiedWithin(at("old"), 1e15), disk.modifiedWithin(at("old"), 1e15)]).toEqual([true, true]);
    expect(() => quick.read(at("pipe"))).toThrow("not a regular file");
  });
});

test("what the usual launch does needs no other way to the files", () => {
  const alone = quickFiles(() => {
    throw new Error("node:fs is loaded");
  });
  expect([alone.read(at("text")), alone.read(at("missing")), alone.list(at("missing"))]).toEqual([
    "größe\n",
    undefined,
    [],
  ]);
  expect([alone.programSize(at("program")), alone.modified(at("missing"))]).toEqual([10, undefined]);
  alone.writePrivate(at("text"), "größe\n");
});

test("an unchanged file is not written again", () => {
  const path = at("private/x");
  quick.writePrivate(path, "1");
  const first = statSync(path);
  expect(first.mode & 0o777).toBe(0o600);
  quick.writePrivate(path, "1");
  expect(statSync(path).ino).toBe(first.ino);
  quick.writePrivate(path, "2");
  expect(quick.read(path)).toBe("2");
});
