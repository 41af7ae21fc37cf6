import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { EXPLAINED } from "../clients/claudes.ts";
import { CLIENTS } from "../clients/clients.ts";

test("docs/clients.md has every client and conversation, and explains every difference that is allowed", async () => {
  const page = await readFile(join(import.meta.dir, "../../docs/clients.md"), "utf8");
  const conversations = Object.values(CLIENTS).flatMap((client) => Object.keys(client.conversations));
  const names = [...Object.keys(CLIENTS), ...conversations.map((name) => `| ${name} |`)];
  expect([...names, ...EXPLAINED.map((kind) => `\`${kind}\``)].filter((name) => !page.includes(name))).toEqual([]);
});
