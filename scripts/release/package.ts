import { ABOUT, ROOT } from "./about.ts";
import { assemble } from "./assemble.ts";
import { bundledPackages } from "./bundled.ts";
import { type Source, sourceOf } from "./source.ts";

/** `bun scripts/release/package.ts <folder>`: turns a folder with the programs for all targets into a release. */

export async function packageRelease(folder: string, source: Source): Promise<void> {
  await assemble(folder, ROOT, {
    ...ABOUT,
    source,
    bun: Bun.version,
    packages: await bundledPackages(ROOT),
  });
}

if (import.meta.main) {
  const folder = process.argv[2];
  if (folder === undefined) throw new Error("a folder is missing: bun scripts/release/package.ts <folder>");
  await packageRelease(folder, await sourceOf(ROOT, process.env));
}
