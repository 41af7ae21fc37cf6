import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CCC, CLAUDE } from "../harness.ts";
import { detailTable, type Row, table, withTable } from "./table.ts";

const PAGE = join(import.meta.dir, "../../docs/security.md");

/** Writes the table to docs/security.md, with the date and the tested versions. */
export async function writeTable(rows: readonly Row[], seed: number): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const about = `${day}, ${versionOf(CCC)}, Claude Code ${versionOf(CLAUDE)}, seed ${seed}:`;
  const page = await readFile(PAGE, "utf8");
  const hasDetails = rows.some(({ outcome }) => outcome.details !== undefined);
  const detailed = hasDetails ? withTable(page, about, detailTable(rows), "sandbox") : page;
  // A run of that campaign alone leaves the table of all as it is.
  const isAlone = rows.every(({ outcome }) => outcome.details !== undefined);
  await writeFile(PAGE, isAlone ? detailed : withTable(detailed, about, table(rows)));
}

function versionOf(program: string): string {
  const said = Bun.spawnSync([program, "--version"]).stdout.toString().trim();
  return said.replace(/ \(Claude Code\)$/, "");
}
