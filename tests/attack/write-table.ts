import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CCC, CLAUDE } from "../harness.ts";
import { detailTable, type Row, table, withTable } from "./table.ts";

const PAGE = join(import.meta.dir, "../../docs/security.md");
const SANDBOX_PAGE = join(import.meta.dir, "sandbox.md");

/** Writes the table to docs/security.md, and single tries to sandbox.md, with the date and the tested versions. */
export async function writeTable(rows: readonly Row[], seed: number): Promise<void> {
  const day = new Date().toISOString().slice(0, 10);
  const about = `${day}, ${versionOf(CCC)}, Claude Code ${versionOf(CLAUDE)}, seed ${seed}:`;
  const detailed = rows.filter(({ outcome }) => outcome.details !== undefined);
  if (detailed.length > 0)
    await replaceIn(SANDBOX_PAGE, (page) => withTable(page, about, detailTable(rows), "sandbox"));
  // A run of that campaign alone leaves the table of all as it is.
  if (detailed.length < rows.length) await replaceIn(PAGE, (page) => withTable(page, about, table(rows)));
}

async function replaceIn(path: string, change: (page: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, "utf8")));
}

function versionOf(program: string): string {
  const said = Bun.spawnSync([program, "--version"]).stdout.toString().trim();
  return said.replace(/ \(Claude Code\)$/, "");
}
