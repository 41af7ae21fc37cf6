/** `bun scripts/release/package.ts <folder>`: makes a release of a folder that holds the programs for all targets. */
import { join } from "node:path";
import { description, repository, version } from "../../package.json" with { type: "json" };
import { assemble } from "./assemble.ts";
import { bundledPackages } from "./bundled.ts";
import { type Source, sourceOf } from "./source.ts";

const ROOT = join(import.meta.dir, "../..");

export async function packageRelease(folder: string, source: Source): Promise<void> {
  await assemble(folder, ROOT, {
    version,
    description,
    repository: repository.replace(/^github:/, ""),
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
