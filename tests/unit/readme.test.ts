import { expect, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findPreset, presetEnv } from "../../src/providers/preset-list.ts";
import { READ_ONLY_COMMANDS, READ_ONLY_WITH } from "../../src/supervisor/guard/git.ts";
import { READERS, testCommands } from "../../src/supervisor/guard/programs.ts";
import { type Block, international, READMES, readme, splitCommand } from "../readme.ts";

const ROOT = join(import.meta.dir, "../..");

/** What must be the same in every language: all but the remarks on commands and the mainland providers. */
function essence({ language, lines }: Block) {
  return {
    language,
    lines: (language === "sh" ? lines.map((line) => splitCommand(line).command) : lines).map(international),
  };
}

test("the READMEs have the same headings and code", async () => {
  const [english, chinese] = await Promise.all(READMES.map(readme));
  expect(english?.levels.length).toBeGreaterThan(10);
  expect(chinese?.levels).toEqual(english?.levels ?? []);
  expect(english?.blocks.length).toBeGreaterThan(5);
  expect(chinese?.blocks.map(essence)).toEqual(english?.blocks.map(essence) ?? []);
});

test("the README is read in minutes: at most 2,000 words", async () => {
  const text = await readFile(join(ROOT, "README.md"), "utf8");
  expect(text.split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(2_000);
});

test("the samples of ccc.json have the address, every model and the tool search of their presets", async () => {
  const texts = await Promise.all([...READMES, "docs/providers.md"].map((name) => readFile(join(ROOT, name), "utf8")));
  const samples = texts
    .flatMap((text) =>
      [...text.matchAll(/^```json\n(\{\n.*?"providers": \{\n.*?)^```$/gms)].map(([, json = ""]) => json),
    )
    .flatMap((json) => Object.entries(JSON.parse(json).providers as Record<string, { env?: Record<string, string> }>));
  const known = samples.flatMap(([name, { env }]) => {
    const preset = findPreset(name);
    return preset?.models === undefined || env === undefined ? [] : [{ name, env, preset: presetEnv(preset) }];
  });
  expect(known.map(({ name }) => name)).toEqual(expect.arrayContaining(["glm", "kimi", "glm-cn", "kimi-cn"]));
  for (const { env, preset } of known)
    expect(env).toMatchObject(
      Object.fromEntries(Object.entries(preset).filter(([name]) => /_(MODEL|BASE_URL|TOOL_SEARCH)$/.test(name))),
    );
});

test("the Chinese README has spaces around Latin words, and no 代理 but for a proxy server", async () => {
  const text = (await readFile(join(ROOT, "README.zh-CN.md"), "utf8")).replaceAll(/^```.*?^```$/gms, "");
  expect(text).toContain("智能体");
  expect(text.match(/.{0,9}(?:\p{Script=Han}[A-Za-z0-9`]|[A-Za-z0-9`]\p{Script=Han}).{0,9}/gu) ?? []).toEqual([]);
  expect(text.match(/.{0,9}代理(?!服务器).{0,9}/gu) ?? []).toEqual([]);
});

test("docs/development/supervisor.md lists everything that a reviewer may run", async () => {
  const text = await readFile(join(ROOT, "docs/development/supervisor.md"), "utf8");
  const section = text.split("## What a reviewer may run")[1]?.split("\n## ")[0] ?? "";
  const commands = [
    ...testCommands().flatMap(({ runs }) => runs),
    ...Object.keys(READERS),
    ...[...READ_ONLY_COMMANDS, ...Object.keys(READ_ONLY_WITH)].map((name) => `git ${name}`),
  ];
  expect(commands.length).toBeGreaterThan(90);
  expect(commands.filter((command) => !section.includes(`\`${command}\``))).toEqual([]);
});
