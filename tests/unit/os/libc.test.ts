import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { libcFiles, readWhole } from "../../../src/os/fast.ts";

const root = mkdtempSync(join(realpathSync(tmpdir()), "ccc-libc-"));
afterAll(() => rmSync(root, { recursive: true }));
for (const folder of ["d/e", "ünï 文 🙂", " ", "away"]) mkdirSync(join(root, folder), { recursive: true });
for (const file of ["f", "d/e/f", "ünï 文 🙂/é", "ünï 文 🙂/é", " /-x", "new\nline", "back\\slash", "long".repeat(60)])
  writeFileSync(join(root, file), "");
writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0xfe])]), "");
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
for (const [link, to] of Object.entries(LINKS)) symlinkSync(to, join(root, link));
Bun.spawnSync(["mkfifo", join(root, "pipe")]);
Bun.spawnSync(["ln", join(root, "f"), join(root, "hard")]);

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
  ...[".", "..", "src", "package.json", "nothing", "~", "a\0b", `${root}/f\0`, "\ud800", `${root}/\udfff`, " "],
  ...["f/", "f/.", "f/..", "d/", "d/.", "d/../f", "d/e/up/f", "to-parent/d", "to-file/", "to-folder/../f"].map(inRoot),
  ...["long".repeat(60), "long".repeat(64), "x/".repeat(2_100), "./".repeat(2_000), "./".repeat(2_100)].map(inRoot),
  ...["pipe", "hard", "to-link", "to-nothing", "to-itself", "to-etc/passwd", "to-fd", "to-root/etc/passwd"].map(inRoot),
  ...["new\nline", "back\\slash", "\uFFFD\uFFFD", "ünï 文 🙂/é", "ünï 文 🙂/é", " /-x"].map(inRoot),
];

function inRoot(path: string): string {
  return `${root}/${path}`;
}

if (libc !== undefined) {
  test.each(PATHS)("libc finds the same real path as node:fs: %p", (path) => {
    expect(libc.realPath(path)).toBe(nodePath(path));
  });
  test("property: libc finds the same real path as node:fs", () => {
    const names = [".", "..", "", "d", "e", "f", "up", "é", "nothing", "pipe", "hard", "ünï 文 🙂", "away"];
    const part = fc.oneof(fc.constantFrom(...names, ...Object.keys(LINKS)), fc.string());
    const path = fc.array(part, { maxLength: 6 }).map((parts) => [root, ...parts].join("/"));
    fc.assert(
      fc.property(fc.oneof(path, fc.string()), (each) => libc.realPath(each) === nodePath(each)),
      { numRuns: 3_000 },
    );
  });
  test("a real path that is too long for /proc is an error, not a part of it", () => {
    const half = join("half/".repeat(500));
    mkdirSync(join(root, "deep", half), { recursive: true });
    symlinkSync(join(root, "deep", half), join(root, "deep/link"));
    mkdirSync(join(root, "deep/link", half), { recursive: true });
    expect(libc.realPath(join(root, "deep/link"))).toBe(nodePath(join(root, "deep/link")));
    expect(() => libc.realPath(join(root, "deep/link", half))).toThrow("/proc does not say where");
    rmSync(join(root, "deep/link/half"), { recursive: true });
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
