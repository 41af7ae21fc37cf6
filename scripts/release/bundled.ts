import { join } from "node:path";
import * as v from "valibot";

export interface Package {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The npm packages that some of these files, relative to the root, belong to. */
export async function bundledPackages(files: readonly string[], root: string): Promise<readonly Package[]> {
  const folders = [...new Set(files.flatMap((file) => IN_PACKAGE.exec(file)?.[0] ?? []))].sort();
  return Promise.all(folders.map((folder) => readPackage(join(root, folder, "package.json"))));
}

/** Up to the innermost package; its name has two parts if it has a scope. */
const IN_PACKAGE = /^.*node_modules\/(@[^/]+\/)?[^/]+/;

const PackageSchema = v.object({ name: v.string(), version: v.string(), license: v.string() });

async function readPackage(path: string): Promise<Package> {
  return v.parse(PackageSchema, await Bun.file(path).json());
}
