import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import * as v from "valibot";
import type { Source } from "./about.ts";

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

export interface Contents {
  readonly version: string;
  readonly description: string;
  /** "owner/name" on GitHub. */
  readonly repository: string;
  readonly source: Source;
  readonly bun: string;
  readonly packages: readonly Package[];
}

/** What is compiled into ccc, as CycloneDX 1.6. Without a serial number, so that the same commit gives the same file. */
export function renderSbom({ version, description, repository, source, bun, packages }: Contents): string {
  const ccc = `pkg:github/${repository}@v${version}`;
  const components = [
    {
      type: "platform",
      "bom-ref": `pkg:github/oven-sh/bun@bun-v${bun}`,
      name: "bun",
      version: bun,
      licenses: [{ license: { id: "MIT" } }],
      purl: `pkg:github/oven-sh/bun@bun-v${bun}`,
      // Bun links libraries under other licenses; its own page lists them.
      externalReferences: [{ type: "license", url: `https://github.com/oven-sh/bun/blob/bun-v${bun}/LICENSE.md` }],
    },
    ...packages.map(component),
  ];
  const bom = {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: new Date(source.time * 1000).toISOString(),
      component: {
        type: "application",
        "bom-ref": ccc,
        name: "ccc",
        version,
        description,
        licenses: [{ license: { id: "MIT" } }],
        purl: ccc,
        properties: [{ name: "commit", value: source.commit }],
      },
    },
    components,
    dependencies: [{ ref: ccc, dependsOn: components.map((each) => each["bom-ref"]) }],
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function component({ name, version, license }: Package) {
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const [scope, base] = name.startsWith("@") ? name.split("/") : [undefined, name];
  return {
    type: "library",
    "bom-ref": purl,
    ...(scope === undefined ? {} : { group: scope }),
    name: base ?? name,
    version,
    licenses: [{ license: { id: license } }],
    purl,
  };
}

/** ccc's license, and those of everything compiled into it. */
export function renderLicenses(own: string, { bun, packages }: Pick<Contents, "bun" | "packages">): string {
  const parts = packages.map(({ name, version, text }) => `${RULE}\n${name} ${version}\n\n${text}\n`);
  const about = `${RULE}
The program contains Bun ${bun} (https://github.com/oven-sh/bun/blob/bun-v${bun}/LICENSE.md), and in it JavaScriptCore, which
is under the LGPL 2; and these packages, each under the license that follows its name.
`;
  return [own.trimEnd(), about.trimEnd(), ...parts.map((part) => part.trimEnd())].join("\n\n").concat("\n");
}

const RULE = "-".repeat(80);
