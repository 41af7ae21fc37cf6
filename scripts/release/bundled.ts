import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as v from "valibot";

export interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The license text, which has to be distributed too. */
  readonly text: string;
}

/** The npm packages that are compiled into ccc: those with a bundled file. */
export async function bundledPackages(root: string): Promise<readonly Package[]> {
  const entrypoints = [join(root, "src/main.ts")];
  const { metafile } = await Bun.build({ entrypoints, target: "bun", metafile: true });
  return Promise.all(packageFolders(Object.keys(metafile?.inputs ?? {})).map(readPackage));
}

/** The innermost package that each file belongs to. A scoped name has two parts. */
export function packageFolders(files: readonly string[]): readonly string[] {
  const folders = files.flatMap((file) => /^.*node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

const PackageSchema = v.object({ name: v.string(), version: v.string(), license: v.string() });

async function readPackage(folder: string): Promise<Package> {
  const about = v.parse(PackageSchema, await Bun.file(resolve(folder, "package.json")).json());
  const file = (await readdir(resolve(folder))).find((name) => /^licen[cs]e/i.test(name));
  if (file === undefined) throw new Error(`${about.name} has no license text`);
  return { ...about, text: (await Bun.file(resolve(folder, file)).text()).trim() };
}
