import type { Package } from "./bundled.ts";
import type { Source } from "./source.ts";

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
