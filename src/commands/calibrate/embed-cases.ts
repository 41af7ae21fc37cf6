import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../../../calibration/cases");

/** ccc's own cases: their files, by the name of the pair. Called when ccc is built, so that they are in the program. */
export function embedCases(): Record<string, Record<string, string>> {
  const pairs: Record<string, Record<string, string>> = {};
  for (const entry of readdirSync(FOLDER, { recursive: true, withFileTypes: true }).sort(byPath)) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const [pair = "", ...rest] = path.slice(FOLDER.length + 1).split(/[/\\]/);
    pairs[pair] = { ...pairs[pair], [rest.join("/")]: readFileSync(path, "utf8") };
  }
  return pairs;
}

function byPath(a: { readonly parentPath: string; readonly name: string }, b: typeof a): number {
  const [first, second] = [a, b].map(({ parentPath, name }) => join(parentPath, name));
  return (first ?? "") < (second ?? "") ? -1 : 1;
}
