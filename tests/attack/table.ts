import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CCC, CLAUDE } from "../harness.ts";
import type { Campaign, Outcome } from "./campaign.ts";

export interface Row {
  readonly campaign: Campaign;
  readonly outcome: Outcome;
}

/** What was tried and what held up, as Markdown. */
export function table(rows: readonly Row[]): string {
  const lines = rows.map(({ campaign, outcome: { tried, failures } }) => {
    const held = tried - failures.length;
    return `| ${campaign.what} | ${tried.toLocaleString("en")} | ${held.toLocaleString("en")} | ${campaign.how} |`;
  });
  return ["| attack | tried | held | how |", "| --- | ---: | ---: | --- |", ...lines].join("\n");
}

const PAGE = join(import.meta.dir, "../../docs/security.md");
const GENERATED = /(<!-- attack: [^\n]*-->\n)[\s\S]*(<!-- end of attack -->)/;

/** Writes the table into docs/security.md, with the date and the versions. */
export async function writeTable(rows: readonly Row[], seed: number): Promise<void> {
  const page = await readFile(PAGE, "utf8");
  if (!GENERATED.test(page)) throw new Error("docs/security.md has no place for the table");
  const day = new Date().toISOString().slice(0, 10);
  const about = `${day}, ${versionOf(CCC)}, Claude Code ${versionOf(CLAUDE)}, seed ${seed}:`;
  const text = page.replace(GENERATED, (_, before, after) => `${before}${about}\n\n${table(rows)}\n${after}`);
  await writeFile(PAGE, text);
}

function versionOf(program: string): string {
  const said = Bun.spawnSync([program, "--version"]).stdout.toString().trim();
  return said.replace(/ \(Claude Code\)$/, "");
}
