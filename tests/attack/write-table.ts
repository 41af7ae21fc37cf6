import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CCC, CLAUDE } from "../harness.ts";
import { type Row, table, withTable } from "./table.ts";

const PAGE = join(import.meta.dir, "../../docs/security.md");

/** Writes the table to docs/security.md, with the date and the tested versions. */
export async function writeTable(rows: readonly Row[], seed: number): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const about = `${day}, ${versionOf(CCC)}, Claude Code ${versionOf(CLAUDE)}, seed ${seed}:`;
  await writeFile(PAGE, withTable(await readFile(PAGE, "utf8"), about, table(rows)));
}

function versionOf(program: string): string {
  const said = Bun.spawnSync([program, "--version"]).stdout.toString().trim();
  return said.replace(/ \(Claude Code\)$/, "");
}
