import { expect, test } from "bun:test";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { DiffEntry } from "../../../../src/supervisor/baseline/changes.ts";
import { examineChanges } from "../../../../src/supervisor/tampering/examine-changes.ts";
import { memoryFiles } from "../../fakes.ts";
import { gitPlace } from "../baseline/place.ts";

const lines = (count: number) => "expect(1).toBe(1);\n".repeat(count);

test("tests and scripts before and after, committed or not, in the project and in another worktree", async () => {
  await using place = await gitPlace({ folder: "app" });
  await place.write("app/a.test.ts", lines(3));
  await place.write("app/b.test.ts", 'it("b");\n');
  await place.write("app/c.test.ts", lines(4));
  await place.write("app/package.json", '{"scripts":{"test":"./check.sh"}}');
  await place.write("app/check.sh", "exit 1\n");
  await place.commit();
  const baseline = await place.take();
  const checks = { checks: ["npm test"] };
  expect(await place.suspicions(baseline, checks)).toEqual([]);

  await rm(join(place.project, "app/a.test.ts"));
  await place.write("app/b.test.ts", 'it.skip("b");\n');
  await place.commit();
  await place.write("app/c.test.ts", lines(2));
  await place.write("app/check.sh", "exit 0\n");
  const texts = [
    "app/a.test.ts was deleted",
    'app/b.test.ts: 1 test newly skipped (line 1: it.skip("b"))',
    "app/c.test.ts has 2 assertions, 4 before",
    "app/check.sh changed (+1 -1), which the check `npm test` uses",
  ];
  expect(await place.suspicions(baseline, checks)).toEqual(texts);
  await place.commit();
  expect(await place.suspicions(baseline, checks)).toEqual(texts);
  expect(await place.suspicions(await place.take(baseline), checks)).toEqual([]);

  const worktree = join(place.root, "other");
  const before = await place.take(baseline);
  await place.git("worktree", "add", "-q", "-b", "w", worktree);
  await rm(join(worktree, "app/b.test.ts"));
  await writeFile(join(worktree, "app/check.sh"), "true\n");
  expect(await place.suspicions(before, { ...checks, cwd: worktree })).toEqual([
    `${worktree}/app/b.test.ts was deleted`,
    `${worktree}/app/check.sh changed (+1 -1), which the check \`npm test\` uses`,
  ]);
});

test("what cannot be compared is reported: large files, and an earlier version that was replaced", async () => {
  await using place = await gitPlace();
  await place.write("large.test.ts", "x\n");
  await place.write("exchanged.test.ts", lines(3));
  await place.commit();
  const baseline = await place.take();
  await place.write("large.test.ts", "x".repeat(1_000_001));
  await place.write("exchanged.test.ts", lines(1));
  const blob = (await place.git("rev-parse", "HEAD:exchanged.test.ts")).trim();
  const object = join(place.project, ".git/objects", blob.slice(0, 2), blob.slice(2));
  await chmod(object, 0o600);
  await writeFile(object, deflateSync(`blob ${lines(1).length}\0${lines(1)}`));
  expect(await place.suspicions(baseline)).toEqual([
    "exchanged.test.ts changed, but could not be read to compare its tests",
    "large.test.ts changed, but could not be read to compare its tests",
  ]);
});

test("a list that is too long ends with what was left out", async () => {
  await using place = await gitPlace();
  const names = Array.from({ length: 230 }, (_, index) => `${index + 100}.test.ts`);
  for (const name of names) await place.write(name, lines(2));
  const baseline = await place.take();
  for (const name of names) await place.write(name, lines(1));
  await rm(join(place.project, "329.test.ts"));
  const texts = (await place.suspicions(baseline)) as string[];
  expect(texts).toHaveLength(20);
  expect(texts.slice(0, 2)).toEqual(["329.test.ts was deleted", "100.test.ts has 1 assertion, 2 before"]);
  expect(texts.slice(-2)).toEqual([
    "183 more changes of this kind: lost assertions (183)",
    "30 more files with tests or settings changed and were not compared",
  ]);
});

/** What is suspicious about these files, whose texts are given by their ids. */
async function examined(entries: DiffEntry[], texts: Record<string, string> | Error) {
  const read = async (ids: readonly string[]) => {
    if (texts instanceof Error) throw texts;
    return new Map(ids.flatMap((id) => (texts[id] === undefined ? [] : [[id, texts[id]] as const])));
  };
  const examine = examineChanges(memoryFiles(), "/p", []);
  return (await examine({ entries, top: "/p", mainTop: "/p", read })).map(({ text }) => text);
}
const modified = (path: string, before?: string, after?: string): DiffEntry => ({
  ...{ path, kind: "modified", from: undefined, added: 1, deleted: 1, ids: { before, after } },
});

test("a single text is enough", async () => {
  const deleted = { ...modified("a.test.ts", "1"), kind: "deleted" as const };
  expect(await examined([deleted], { 1: lines(3) })).toEqual(["a.test.ts was deleted"]);
  const added = { ...modified("b.test.ts", undefined, "2"), kind: "added" as const };
  expect(await examined([added], { 2: 'it.skip("b");' })).toEqual([
    'b.test.ts: 1 test newly skipped (line 1: it.skip("b"))',
  ]);
});

test("texts that cannot be read are not compared, and are reported", async () => {
  for (const texts of [{}, { 1: lines(3) }, new Error("git failed")])
    expect(await examined([modified("a.test.ts", "1", "2")], texts)).toEqual([
      "a.test.ts changed, but could not be read to compare its tests",
    ]);
});

test("only 200 files are compared, those that were there before first", async () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => modified(`${index}.test.ts`, "1", "1"));
  const added = { ...modified("new.test.ts", undefined, "2"), kind: "added" as const };
  const texts = { 1: lines(1), 2: 'it.skip("b");' };
  expect(await examined([added, ...many(199)], texts)).toEqual([expect.stringContaining("1 test newly skipped")]);
  expect(await examined([added, ...many(200)], texts)).toEqual([
    "1 more file with tests or settings changed and was not compared",
  ]);
  expect(await examined([added, ...many(201)], texts)).toEqual([
    "2 more files with tests or settings changed and were not compared",
  ]);
});
