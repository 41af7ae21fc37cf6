import { expect, test } from "bun:test";
import type { FileIdentity } from "../../../../src/os/files.ts";
import { smallText } from "../../../../src/supervisor/baseline/find-repository.ts";
import { memoryFiles } from "../../fakes.ts";

const LARGEST = 1_000_000;

const table: [name: string, found: Partial<FileIdentity>, isRead: boolean][] = [
  ["a file of git is read", { size: 7 }, true],
  ["as large as can be", { size: LARGEST }, true],
  ["a larger one is not", { size: LARGEST + 1 }, false],
  ["nor a pipe, which would not end", { isFile: false, size: 0 }, false],
];
test.each(table)("%s", (_, found, isRead) => {
  const files = memoryFiles({ "/p/.git/config": "[core]\n" });
  const identify = (path: string) => {
    const identity = files.identify(path);
    return identity && { ...identity, ...found };
  };
  const text = smallText({ ...files, identify }, "/p/.git/config");
  expect(text).toBe(isRead ? "[core]\n" : undefined);
});
