import { expect, test } from "bun:test";
import { keepBackup } from "../../../src/config/backup.ts";
import { memoryFiles } from "../fakes.ts";

const at = (second: number) => new Date(Date.UTC(2026, 10, 17, 12, 0, second));

test("the last ten copies of a file are kept, and everything else in their folder", () => {
  const others = ["ccc-2026-01-01.json", "notes.json", "settings-2026-01-01.txt", "settings-mine.json"];
  const files = memoryFiles(Object.fromEntries(others.map((name) => [`/b/${name}`, "own"])));
  const copies = Array.from({ length: 12 }, (_, second) => keepBackup(files, "/b", `text ${second}`, at(second)));
  const kept = copies.slice(2);
  expect(files.list("/b").map((name) => `/b/${name}`)).toEqual([...others.map((name) => `/b/${name}`), ...kept].sort());
  expect(kept.map((path) => files.read(path))).toEqual(kept.map((_, index) => `text ${index + 2}`));
});

test("a copy has the name of its file, and the time", () => {
  const files = memoryFiles();
  expect(keepBackup(files, "/b", "{}", at(5))).toBe("/b/settings-2026-11-17T12-00-05-000Z.json");
  expect(keepBackup(files, "/b", "{}", at(5), "ccc.json")).toBe("/b/ccc-2026-11-17T12-00-05-000Z.json");
});
