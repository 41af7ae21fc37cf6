import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import fc from "fast-check";
import { libcFiles, quickFiles, readWhole } from "../../../src/os/fast.ts";
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

const tree = mkdtempSync(join(realpathSync(tmpdir()), "ccc-libc-"));
afterAll(() => rmSync(tree, { recursive: true }));
for (const folder of ["d/e", "ünï 文 🙂", " ", "away"]) mkdirSync(join(tree, folder), { recursive: true });
for (const file of ["f", "d/e/f", "ünï 文 🙂/é", "ünï 文 🙂/é", " /-x", "new\nline", "back\\slash", "long".repeat(60)])
  writeFileSync(join(tree, file), "");
writeFileSync(Buffer.concat([Buffer.from(`${tree}/`), Buffer.from([0xff, 0xfe])]), "");
const LINKS = {
  "to-file": "f",
  "to-folder": "d",
  "to-link": "to-file",
  "to-nothing": "nothing",
  "to-itself": "to-itself",
  "to-parent": "..",
  "to-etc": "/etc",
  "to-fd": "/proc/self/fd/0",
  "d/e/up": "../../to-folder/e",
  "to-root": "/proc/self/root",
};
for (const [link, to] of Object.entries(LINKS)) symlinkSync(to, join(tree, link));
Bun.spawnSync(["mkfifo", join(tree, "pipe")]);
Bun.spawnSync(["ln", join(tree, "f"), join(tree, "hard")]);

const libc = process.platform === "linux" ? libcFiles() : undefined;

/** As the guard finds real paths without libc. */
function nodePath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

const PATHS = [
  ...["/", "//", "/.", "/..", "/nothing", "/dev/null", "/dev/stdin", "/usr/bin/env", "/bin", "/proc/1/root", "/root"],
  ...["/proc/self", "/proc/self/cwd", "/proc/self/exe", "/proc/self/fd", "/proc/self/environ", "/proc/self/ns/mnt"],
  ...[".", "..", "src", "package.json", "nothing", "~", "a\0b", `${tree}/f\0`, "\ud800", `${tree}/\udfff`, " "],
  ...["f/", "f/.", "f/..", "d/", "d/.", "d/../f", "d/e/up/f", "to-parent/d", "to-file/", "to-folder/../f"].map(inRoot),
  ...["long".repeat(60), "long".repeat(64), "x/".repeat(2_100), "./".repeat(2_000), "./".repeat(2_100)].map(inRoot),
  ...["pipe", "hard", "to-link", "to-nothing", "to-itself", "to-etc/passwd", "to-fd", "to-root/etc/passwd"].map(inRoot),
  ...["new\nline", "back\\slash", "\uFFFD\uFFFD", "ünï 文 🙂/é", "ünï 文 🙂/é", " /-x"].map(inRoot),
];

function inRoot(path: string): string {
  return `${tree}/${path}`;
}

if (libc !== undefined) {
  test.each(PATHS)("libc finds the same real path as node:fs: %p", (path) => {
    expect(libc.realPath(path)).toBe(nodePath(path));
  });
  test("property: libc finds the same real path as node:fs", () => {
    const names = [".", "..", "", "d", "e", "f", "up", "é", "nothing", "pipe", "hard", "ünï 文 🙂", "away"];
    const part = fc.oneof(fc.constantFrom(...names, ...Object.keys(LINKS)), fc.string());
    const path = fc.array(part, { maxLength: 6 }).map((parts) => [tree, ...parts].join("/"));
    fc.assert(
      fc.property(fc.oneof(path, fc.string()), (each) => libc.realPath(each) === nodePath(each)),
      { numRuns: 3_000 },
    );
  });
  test("a real path that is too long for /proc is an error, not a part of it", () => {
    const half = join("half/".repeat(500));
    mkdirSync(join(tree, "deep", half), { recursive: true });
    symlinkSync(join(tree, "deep", half), join(tree, "deep/link"));
    mkdirSync(join(tree, "deep/link", half), { recursive: true });
    expect(libc.realPath(join(tree, "deep/link"))).toBe(nodePath(join(tree, "deep/link")));
    expect(() => libc.realPath(join(tree, "deep/link", half))).toThrow("/proc does not say where");
    rmSync(join(tree, "deep/link/half"), { recursive: true });
  });
  describe("stdin", () => {
    const module = JSON.stringify(join(import.meta.dir, "../../../src/os/fast.ts"));
    const ends = (script: string, stdin: object) =>
      Bun.spawn([process.execPath, "-e", `const libc = (await import(${module})).libcFiles(); ${script}`], stdin)
        .exited;
    const asked = "process.exit(libc.isTerminal() ? 10 : 11)";
    test("can be a terminal", async () => expect(await ends(asked, { terminal: { data: () => {} } })).toBe(10));
    test("need not be one", async () => expect(await ends(asked, { stdin: "ignore" })).toBe(11));
    test("may be closed: then its number is that of the next file", async () => {
      const script = `require("node:fs").closeSync(0); process.exit(libc.realPath("/") === "/" ? 10 : 11)`;
      expect(await ends(script, { stdin: "ignore" })).toBe(10);
    });
  });
  test("more real paths than a process may have open files", () => {
    for (let count = 0; count < 5_000; count++) libc.realPath("/");
    expect(libc.realPath("/dev/null")).toBe("/dev/null");
  });
}

test("text is read to its end, whatever the pieces are", async () => {
  const text = "é文🙂".repeat(3);
  for (const size of [1, 2, 3, 5, 100]) {
    for (const waitsFor of [0, 4, 1_000]) {
      const all = new TextEncoder().encode(text);
      let at = 0;
      const readSome = (into: Uint8Array) => {
        if (at >= waitsFor && waitsFor > 0) return -1;
        const piece = all.subarray(at, at + size);
        into.set(piece);
        at += piece.length;
        return piece.length;
      };
      const rest = async () => {
        if (waitsFor === 0) throw new Error("there is an end already");
        return all.slice(at);
      };
      expect(await readWhole(readSome, rest)).toBe(text);
    }
  }
});
