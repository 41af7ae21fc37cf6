import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EXPLAINED, SCENARIOS } from "../clients/sdk.ts";

test("docs/clients.md has every scenario, and explains every difference that is allowed", async () => {
  const page = await readFile(join(import.meta.dir, "../../docs/clients.md"), "utf8");
  const names = [...Object.keys(SCENARIOS).map((name) => `| ${name} |`), ...EXPLAINED.map((kind) => `\`${kind}\``)];
  expect(names.filter((name) => !page.includes(name))).toEqual([]);
});
