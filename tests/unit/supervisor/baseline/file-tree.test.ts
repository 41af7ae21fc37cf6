import { describe, expect, test } from "bun:test";
import { writeFileTree } from "../../../../src/supervisor/baseline/file-tree.ts";
import { memoryFiles } from "../../fakes.ts";

const TREE = "1".repeat(40);
const PLACE = { top: "/p", format: "sha1", ownFolder: "/home/ccc" } as const;

/** Writes a tree where git lists these paths as changed. Returns the git commands, each with the paths it was given. */
async function commandsFor(listed: readonly string[]): Promise<string[]> {
  const commands: string[] = [];
  const git = async ([command = "", ...args]: readonly string[], stdin = "") => {
    const paths = stdin.split("\0").flatMap((line) => line.split("\t").at(-1) || []);
    commands.push([command, ...args.slice(-1), ...paths].join(" "));
    if (command === "write-tree") return `${TREE}\n`;
    return listed.map((path) => `${path}\0`).join("");
  };
  const files = memoryFiles({ "/p/file": "1", "/p/large": "x".repeat(5_000_001) });
  expect((await writeFileTree(files, git, PLACE)).id).toBe(TREE);
  return commands;
}

describe("a tree of the files takes as few runs of git as possible", () => {
  const table: [name: string, listed: string[], updates: string[]][] = [
    ["nothing changed", [], []],
    ["a file changed", ["file"], ["update-index --stdin file"]],
    ["a file is gone", ["gone"], ["update-index --index-info gone"]],
    ["a large file changed", ["large"], ["update-index --index-info large"]],
    ["all of them", ["file", "gone"], ["update-index --index-info gone", "update-index --stdin file"]],
  ];
  test.each(table)("%s", async (_, listed, updates) => {
    const [first, last] = ["ls-files --exclude-standard", "write-tree --missing-ok"];
    expect(await commandsFor(listed)).toEqual([first, ...updates, last]);
  });
});

test("50,000 changed files are not too many, one more is", async () => {
  const paths = Array.from({ length: 50_000 }, (_, index) => `${index}`);
  expect(await commandsFor(paths)).toHaveLength(3);
  await expect(commandsFor([...paths, "one more"])).rejects.toThrow("too many files");
});
