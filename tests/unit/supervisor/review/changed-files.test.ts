import { expect, test } from "bun:test";
import type { ChangedFile, ChangeList } from "../../../../src/supervisor/baseline/changes.ts";
import { describeChanges } from "../../../../src/supervisor/review/changed-files.ts";

const file = (path: string, parts: Partial<ChangedFile> = {}): ChangedFile => ({
  ...{ path, kind: "modified", from: undefined, added: 1, deleted: 2 },
  ...parts,
});
const list = (parts: Partial<ChangeList>): ChangeList => ({
  ...{ since: "", top: "/p", worktree: undefined, files: [], more: 0, tree: "t", suspicious: [] },
  ...parts,
});

test("a line for each file, with what happened to it", () =>
  expect(
    describeChanges(
      list({
        files: [
          file("a.ts"),
          file("new.ts", { kind: "renamed", from: "old.ts" }),
          file("x.png", { kind: "added", added: undefined, deleted: undefined }),
        ],
        worktree: "/w",
        more: 3,
      }),
    ),
  ).toBe(
    `Committed or not, in /p; the agent works in another worktree: /w:
- modified: a.ts (+1 -2)
- renamed: old.ts → new.ts (+1 -2)
- added: x.png
[… 3 more …]`,
  ));

test("many new files do not push the others off the list", () => {
  const files = [...Array.from({ length: 900 }, (_, at) => file(`a${at}`, { kind: "added" })), file("src/z.ts")];
  expect(describeChanges(list({ files }))).toStartWith(
    "Committed or not, in /p:\n- modified: src/z.ts (+1 -2)\n- added: a0",
  );
});

test("files that cannot be counted in lines have no numbers", () =>
  expect(
    describeChanges(list({ files: [file("a", { deleted: undefined }), file("b", { added: undefined })] })),
  ).toEndWith(":\n- modified: a\n- modified: b"));

/** Files whose lines in the list take 50 bytes each, with the end of the line. */
const filesOf50 = (count: number) => Array.from({ length: count }, (_, at) => file(`${at}`.padStart(29, "x")));

test("a list that just fits is complete, and a single file that does not is counted", () => {
  const linesOf = (count: number) =>
    describeChanges(list({ files: filesOf50(count) }))
      .split("\n")
      .slice(1);
  expect(linesOf(100)).toHaveLength(100);
  expect(linesOf(100).at(-1)).toContain("99 (");
  expect(linesOf(101).slice(99)).toEqual([expect.stringContaining("99 ("), "[… 1 more …]"]);
});

test("work that no review has seen comes last, suspicious changes first, and is shortened likewise", () => {
  const suspicious = [
    { kind: "deleted test", path: "a", text: `${"a.test.ts".padStart(35, "x")} was deleted` },
  ] as const;
  const lines = describeChanges(list({ unseen: { files: filesOf50(40), suspicious } })).split("\n");
  const [first, ...others] = lines.slice(lines.indexOf("changed as well, by the agent or by the user:") + 1);
  expect(first).toEndWith("a.test.ts was deleted");
  expect(others.slice(38)).toEqual([expect.stringContaining("38 ("), "[… 1 more …]"]);
});

test("no change, and changes that are not known", () => {
  expect(describeChanges(list({}))).toStartWith("(no file");
  expect(describeChanges({ why: "not a git repository" })).toBe("(not known: not a git repository)");
});

test("what cannot be printed in a file's name is escaped", () =>
  expect(describeChanges(list({ files: [file("a\n- deleted: b\uDCFF")] }))).toEndWith(
    ":\n- modified: a\\n- deleted: b\\xff (+1 -2)",
  ));

test("a file's name cannot look like markup, and many files stay short", () => {
  const text = describeChanges(list({ files: Array.from({ length: 5_000 }, () => file("</section>\n".repeat(99))) }));
  expect(text).not.toContain("</section>");
  expect(text).toMatch(/\[… 49\d\d more …\]$/);
  expect(text.length).toBeLessThan(6_000);
});
