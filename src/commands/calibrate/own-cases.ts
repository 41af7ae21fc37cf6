import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const FOLDER = join(import.meta.dir, "../../../calibration/cases");

/**
 * The files of ccc's own cases: their texts by path, for each pair. The compiled program contains them, because
 * scripts/release/compile.ts replaces this file with what it returns.
 */
export function ownCases(): Readonly<Record<string, Readonly<Record<string, string>>>> {
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
