import { expect, test } from "bun:test";
import { chmod, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
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

test("what cannot be compared is said: large files, and a former version that was exchanged", async () => {
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
