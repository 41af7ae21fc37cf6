import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const ID = /\b(?:HOOK|CLI|LOOP|HDES|LDES)-\d{2}\b/g;

const explained = new Set(
  readFileSync(join(ROOT, "docs/development/scenarios.md"), "utf8")
    .match(/^\| [A-Z]+-\d{2} /gm)
    ?.map((row) => row.slice(2, -1)),
);

test("every scenario is proven by a test, and every id in a test is explained", async () => {
  const proven = new Set<string>();
  for await (const path of new Bun.Glob("tests/**/*.test.ts").scan(ROOT)) {
    if (path.endsWith("scenarios.test.ts")) continue;
    for (const id of readFileSync(join(ROOT, path), "utf8").match(ID) ?? []) proven.add(id);
  }
  expect([...explained].filter((id) => !proven.has(id))).toEqual([]);
  expect([...proven].filter((id) => !explained.has(id))).toEqual([]);
});
