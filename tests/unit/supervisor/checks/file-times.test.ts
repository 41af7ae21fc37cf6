import { describe, expect, test } from "bun:test";
import { fileTimes } from "../../../../src/supervisor/checks/file-times.ts";

interface Entry {
  readonly kind?: "file" | "folder" | "link";
  readonly size?: number;
  readonly modified?: number;
  readonly leadsToFolder?: boolean;
}

/** The mark of a folder with these files; a path that ends in "/" is a folder. */
function mark(entries: Record<string, Entry | undefined>, now: () => number = () => 0) {
  const at = (path: string) => entries[path];
  const files = {
    list: (folder: string) =>
      Object.keys(entries).flatMap((path) =>
        path.startsWith(`${folder}/`) && !path.slice(folder.length + 1).includes("/")
          ? [path.slice(folder.length + 1)]
          : [],
      ),
    entry: (path: string) => {
      const found = at(path);
      return found && { kind: "file" as const, size: 1, modified: 1, isReadable: true, ...found };
    },
    identify: (path: string) => ({
      ...{ id: path, isFile: true, isExecutable: false, mode: 0o600, size: 1 },
      isFolder: at(path)?.leadsToFolder === true,
    }),
  };
  return fileTimes(files, "/p", { now: () => new Date(now()), without: "/p/.claude" });
}

const FOLDER = { kind: "folder" } as const;
const BASE = { "/p/a": {}, "/p/d": FOLDER, "/p/d/b": {} };

describe("files without git are the same", () => {
  const same: [what: string, entries: Record<string, Entry>][] = [
    ["if nothing changed", { ...BASE }],
    ["if only ccc's own folder changed", { ...BASE, "/p/.claude": FOLDER, "/p/.claude/x": {} }],
    ["if only the time of a folder changed", { ...BASE, "/p/d": { ...FOLDER, modified: 9 } }],
  ];
  test.each(same)("%s", (_, entries) => expect(mark(entries)).toBe(mark(BASE) as string));

  const other: [what: string, entries: Record<string, Entry>][] = [
    ["with another size", { ...BASE, "/p/a": { size: 2 } }],
    ["with another time, below a folder", { ...BASE, "/p/d/b": { modified: 2 } }],
    ["with another file", { ...BASE, "/p/c": {} }],
    ["with a link instead of a file", { ...BASE, "/p/a": { kind: "link" } }],
  ];
  test.each(other)("not %s", (_, entries) => {
    expect(mark(entries)).toStartWith("times ");
    expect(mark(entries)).not.toBe(mark(BASE) as string);
  });
});

describe("nothing is known", () => {
  test("if a link leads to another folder", () =>
    expect(mark({ ...BASE, "/p/l": { kind: "link", leadsToFolder: true } })).toBeUndefined());
  test("if a file went away meanwhile", () => expect(mark({ ...BASE, "/p/gone": undefined })).toBeUndefined());
  test("if it takes longer than two seconds", () => {
    const after = (ms: number) => {
      const start = [500];
      return () => start.shift() ?? 500 + ms;
    };
    expect(mark(BASE, after(2_000))).toBeDefined();
    expect(mark(BASE, after(2_001))).toBeUndefined();
  });
  test("if there are more than 20,000 files", () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`/p/${index}`, {}]));
    expect(mark(many(20_000))).toBeDefined();
    expect(mark(many(20_001))).toBeUndefined();
  });
});
