import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** For each file, the files that it imports. Type imports do not count: they do not exist at run time. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** What the TypeScript files in these folders import, by paths relative to `tree`. */
export function readImports(tree: string, folders: readonly string[]): Imports {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const files = folders.flatMap((folder) =>
    readdirSync(join(tree, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => join(folder, name)),
  );
  return new Map(
    files.map((file) => {
      const imports = transpiler.scanImports(readFileSync(join(tree, file), "utf8")).map(({ path }) => path);
      const own = imports.filter((path) => path.startsWith(".")).map((path) => join(dirname(file), path));
      return [file, own.filter((path) => existsSync(join(tree, path)))];
    }),
  );
}

/** The tests that import the file, directly or through others, nearest first. */
export function testsOf(file: string, imports: Imports): { readonly test: string; readonly steps: number }[] {
  const importers = new Map<string, string[]>();
  for (const [from, to] of imports) for (const path of to) importers.set(path, [...(importers.get(path) ?? []), from]);
  const steps = new Map([[file, 0]]);
  // Iterating over a map also visits entries added on the way.
  for (const [path, far] of steps)
    for (const importer of importers.get(path) ?? []) if (!steps.has(importer)) steps.set(importer, far + 1);
  return [...steps]
    .filter(([path]) => path.endsWith(".test.ts"))
    .map(([test, far]) => ({ test, steps: far }))
    .sort(
      (a, b) => a.steps - b.steps || likeness(b.test, file) - likeness(a.test, file) || a.test.localeCompare(b.test),
    );
}

/** How many folders and names two paths share: tests/unit mirrors src. */
function likeness(test: string, file: string): number {
  const words = new Set(file.replace(/\.ts$/, "").split(/[/-]/));
  return test
    .replace(/\.test\.ts$/, "")
    .split(/[/-]/)
    .filter((word) => words.has(word)).length;
}
