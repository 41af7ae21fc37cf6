import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { REVIEWER_MAY } from "../../src/claude/reviewer-command.ts";
import { type Block, READMES, readme, splitCommand } from "../readme.ts";

const ROOT = join(import.meta.dir, "../..");

/** What must be the same in every language: all but the remarks behind commands. */
function essence({ language, lines }: Block) {
  return { language, lines: language === "sh" ? lines.map((line) => splitCommand(line).command) : lines };
}

test("the READMEs have the same headings and code", async () => {
  const [english, chinese] = await Promise.all(READMES.map(readme));
  expect(english?.levels.length).toBeGreaterThan(10);
  expect(chinese?.levels).toEqual(english?.levels ?? []);
  expect(english?.blocks.length).toBeGreaterThan(5);
  expect(chinese?.blocks.map(essence)).toEqual(english?.blocks.map(essence) ?? []);
});

describe.each([...READMES, "CONTRIBUTING.md"])("%s", (name) => {
  test("leads to no file that is not there", async () => {
    const text = await readFile(join(ROOT, name), "utf8");
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? "");
    expect(links).not.toBeEmpty();
    expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
  });
});

test("docs/supervisor.md names everything that a reviewer may run", async () => {
  const text = await readFile(join(ROOT, "docs/supervisor.md"), "utf8");
  const commands = REVIEWER_MAY.map((rule) => rule.replace(/^Bash\((.*?)(:\*)?\)$/, "$1"));
  expect(commands.length).toBeGreaterThan(40);
  expect(commands.filter((command) => !text.includes(`\`${command}\``))).toEqual([]);
});
