import { cp } from "node:fs/promises";
import { join } from "node:path";
import { ABOUT, ROOT, type Source, sourceOf } from "./about.ts";
import { archive } from "./archive.ts";
import { bundledPackages, type Contents, renderLicenses, renderSbom } from "./contents.ts";
import { renderFormula } from "./formula.ts";
import { renderSums, SUMS, sumsOf } from "./sums.ts";
import { archiveName, binaryName, TARGETS } from "./targets.ts";

export const SBOM = "ccc.cdx.json";
export const FORMULA = "ccc.rb";
export const INSTALLERS = ["install.sh", "install.ps1"] as const;

/** Every file of a release except SHA256SUMS. */
export const ASSETS: readonly string[] = [
  ...TARGETS.flatMap((target) => [binaryName(target), archiveName(target)]),
  SBOM,
  FORMULA,
  ...INSTALLERS,
].sort();

/** Turns a folder with the programs into a release: adds archives, SBOM, formula, installers, and SHA256SUMS of everything. */
export async function assemble(folder: string, root: string, contents: Contents): Promise<void> {
  const documents = {
    LICENSE: new TextEncoder().encode(renderLicenses(await Bun.file(join(root, "LICENSE")).text(), contents)),
    "README.md": await Bun.file(join(root, "README.md")).bytes(),
  };
  for (const target of TARGETS) {
    const binary = await Bun.file(join(folder, binaryName(target))).bytes();
    await Bun.write(join(folder, archiveName(target)), archive(target, binary, documents, contents.source.time));
  }
  for (const name of INSTALLERS) await cp(join(root, name), join(folder, name));
  await Bun.write(join(folder, SBOM), renderSbom(contents));
  await Bun.write(join(folder, FORMULA), renderFormula({ ...contents, sums: await sumsOf(folder) }));
  await Bun.write(join(folder, SUMS), renderSums(await sumsOf(folder)));
}

/** Turns a folder with the programs for all targets into a release; also `bun scripts/release/package.ts <folder>`. */
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
