import { describe, expect, test } from "bun:test";
import { type DiffEntry, decodeText, parseChanges } from "../../../../src/supervisor/changes/changes.ts";

const A = "1".repeat(40);
const B = "2".repeat(40);
const BOTH = { before: A, after: B };
const OLD = { before: A, after: undefined };
const NEW = { before: undefined, after: B };
const NONE = { before: undefined, after: undefined };
const raw = (before: string, after: string, status: string, ...paths: string[]) =>
  `:${before} ${after} ${A} ${B} ${status}\0${paths.map((path) => `${path}\0`).join("")}`;

describe("parseChanges", () => {
  const cases: [name: string, output: string, expected: DiffEntry[]][] = [
    ["nothing", "", []],
    [
      "an added file",
      `${raw("000000", "100644", "A", "a.ts")}3\t0\ta.ts\0`,
      [{ path: "a.ts", kind: "added", from: undefined, added: 3, deleted: 0, ids: NEW }],
    ],
    [
      "a deleted file and a modified one",
      `${raw("100644", "000000", "D", "a")}${raw("100644", "100755", "M", "d/b")}0\t7\ta\x002\t1\td/b\0`,
      [
        { path: "a", kind: "deleted", from: undefined, added: 0, deleted: 7, ids: OLD },
        { path: "d/b", kind: "modified", from: undefined, added: 2, deleted: 1, ids: BOTH },
      ],
    ],
    [
      "a renamed file",
      `${raw("100644", "100644", "R086", "old name", "new name")}1\t2\t\0old name\0new name\0`,
      [{ path: "new name", kind: "renamed", from: "old name", added: 1, deleted: 2, ids: BOTH }],
    ],
    [
      "names with tabs, newlines, quotes and letters of all languages",
      `${raw("000000", "100644", "A", 'ä\t"文"\nx')}1\t0\tä\t"文"\nx\0`,
      [{ path: 'ä\t"文"\nx', kind: "added", from: undefined, added: 1, deleted: 0, ids: NEW }],
    ],
    [
      "a binary file, which has no lines",
      `${raw("100644", "100644", "M", "logo.png")}-\t-\tlogo.png\0`,
      [{ path: "logo.png", kind: "modified", from: undefined, added: undefined, deleted: undefined, ids: BOTH }],
    ],
    [
      "a link that was a file",
      `${raw("100644", "120000", "T", "x")}1\t9\tx\0`,
      [{ path: "x", kind: "modified", from: undefined, added: 1, deleted: 9, ids: BOTH }],
    ],
    [
      "a repository inside, whose one line is git's own",
      `${raw("000000", "160000", "A", "inner")}1\t0\tinner\0`,
      [{ path: "inner", kind: "added", from: undefined, added: undefined, deleted: undefined, ids: NONE }],
    ],
  ];
  for (const [name, output, expected] of cases) {
    test(name, () => expect(parseChanges(output)).toEqual(expected));
  }
});

describe("the text of a file is read from", () => {
  const TEXT = 'it.skip("ä");\n';
  const wide = (text: string, isBig: boolean) => {
    const bytes = Buffer.from(text, "utf16le");
    return isBig ? bytes.swap16() : bytes;
  };
  test.each([
    ["UTF-8", Buffer.from(TEXT)],
    ["UTF-16 with a mark", wide(`\uFEFF${TEXT}`, false)],
    ["UTF-16, big endian, with a mark", wide(`\uFEFF${TEXT}`, true)],
    ["UTF-16 without a mark", wide(TEXT, false)],
    ["UTF-16, big endian, without a mark", wide(TEXT, true)],
    ["UTF-16 with a byte too many", Buffer.concat([wide(TEXT, true), Buffer.from("x")])],
  ])("%s", (_, bytes) => expect(decodeText(bytes)).toBe(TEXT));

  test("nothing", () => expect(decodeText(Buffer.alloc(0))).toBe(""));
});
