import { expect, test } from "bun:test";
import type { FileEntry } from "../../../../src/os/files.ts";
import { indexInfo, LARGEST_FILE, MOST_BYTES, planUpdate } from "../../../../src/supervisor/baseline/plan-update.ts";

const file = (size: number, isReadable = true): FileEntry => ({ kind: "file", size, modified: 7, isReadable });
const other = (kind: FileEntry["kind"]): FileEntry => ({ ...file(0), kind });

const ENTRIES: Record<string, FileEntry> = {
  small: file(3),
  "x\uDCFF": file(3),
  large: file(LARGEST_FILE + 1),
  locked: file(3, false),
  link: other("link"),
  pipe: other("other"),
  folder: other("folder"),
  "folder/a": file(1),
  inner: other("folder"),
  "link/a": file(1),
};
const look = {
  entry: (path: string) => ENTRIES[path],
  inner: (path: string) => (path === "inner" ? "head" : undefined),
};

const cases: [name: string, paths: string[], expected: Partial<ReturnType<typeof planUpdate>>][] = [
  ["nothing", [], {}],
  ["a file is read, once", ["small", "small"], { read: ["small"], bytes: 3 }],
  ["a link is read, not what it leads to", ["link"], { read: ["link"] }],
  ["what is behind a link is not in the repository", ["link/a"], { removed: ["link/a"] }],
  ["a file that is gone", ["gone"], { removed: ["gone"] }],
  ["a file that is a folder now", ["folder", "folder/a"], { removed: ["folder"], read: ["folder/a"], bytes: 1 }],
  ["a large file", ["large"], { standIns: [{ path: "large", text: `file ${LARGEST_FILE + 1} 7` }] }],
  ["a file that ccc may not read", ["locked"], { standIns: [{ path: "locked", text: "file 3 7" }] }],
  ["a pipe", ["pipe"], { standIns: [{ path: "pipe", text: "other 0 7" }] }],
  ["a repository inside", ["inner/"], { standIns: [{ path: "inner", text: "head" }] }],
  ["a name that is not UTF-8", ["x\uDCFF"], { read: ["x\uDCFF"], bytes: 3 }],
  ["a repository inside that cannot be looked into", ["folder/"], { standIns: [{ path: "folder", text: "folder 7" }] }],
];
for (const [name, paths, expected] of cases) {
  test(`planUpdate: ${name}`, () =>
    expect(planUpdate(paths, look)).toEqual({ read: [], removed: [], standIns: [], bytes: 0, ...expected }));
}

test("planUpdate: all files together are limited too", () => {
  const paths = Array.from({ length: 20 }, (_, index) => `${index}`);
  const plan = planUpdate(paths, { ...look, entry: () => file(LARGEST_FILE) });
  expect(plan.bytes).toBeLessThanOrEqual(MOST_BYTES);
  expect([plan.read.length, plan.standIns.length]).toEqual([12, 8]);
  const filled = planUpdate(paths, { ...look, entry: () => file(MOST_BYTES / 16) });
  expect([filled.read.length, filled.bytes]).toEqual([16, MOST_BYTES]);
});

test("indexInfo removes paths and adds stand-ins", () => {
  const update = { read: ["x"], removed: ["a b"], standIns: [{ path: "ä", text: "" }], bytes: 0 };
  const none = "da39a3ee5e6b4b0d3255bfef95601890afd80709";
  expect(indexInfo(update, "sha1")).toBe(`0 ${"0".repeat(40)} 0\ta b\x00160000 ${none} 0\tä\0`);
  expect(indexInfo(update, "sha256")).toStartWith(`0 ${"0".repeat(64)} 0\t`);
});
