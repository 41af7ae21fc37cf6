import { expect, test } from "bun:test";
import { join } from "node:path";
import { dependencies } from "../../../package.json" with { type: "json" };
import { bundledPackages } from "../../../scripts/release/bundled.ts";
import { renderSbom } from "../../../scripts/release/sbom.ts";

const ROOT = join(import.meta.dir, "../../..");

test("the SBOM has Bun and exactly what is bundled, in the versions of package.json", async () => {
  const { metafile, outputs } = await Bun.build({
    entrypoints: [join(ROOT, "src/main.ts")],
    target: "bun",
    metafile: true,
    sourcemap: "external",
  });
  // The source map is another witness of what is in the bundle.
  const maps = await Promise.all(outputs.filter(({ kind }) => kind === "sourcemap").map((map) => map.json()));
  const sources: string[] = maps.flatMap((map) => map.sources);
  const inMap = new Set(sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []));

  const packages = await bundledPackages(Object.keys(metafile?.inputs ?? {}), process.cwd());
  expect(packages.map(({ name }) => name)).toEqual([...inMap].sort());
  expect(Object.fromEntries(packages.map(({ name, version }) => [name, version]))).toEqual(dependencies);
  const purls = sbom(packages).components.map(({ purl }) => purl);
  expect(purls).toHaveLength(packages.length + 1);
  expect(purls).toContain(`pkg:npm/%40valibot/to-json-schema@${dependencies["@valibot/to-json-schema"]}`);
});

test("the SBOM says names, versions, licenses and the commit, and nothing of this machine", () => {
  const bom = sbom([{ name: "@scope/name", version: "1.0.0", license: "ISC" }]);
  expect(bom).toMatchObject({
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    metadata: {
      timestamp: "2023-11-14T22:13:20.000Z",
      component: { name: "ccc", version: "1.2.3", properties: [{ name: "commit", value: "abc" }] },
    },
  });
  expect(bom.components).toMatchObject([
    { type: "platform", name: "bun", version: "1.4.4", purl: "pkg:github/oven-sh/bun@bun-v1.4.4" },
    { group: "@scope", name: "name", version: "1.0.0", licenses: [{ license: { id: "ISC" } }] },
  ]);
  expect(bom.dependencies[0]?.dependsOn).toEqual(["pkg:github/oven-sh/bun@bun-v1.4.4", "pkg:npm/%40scope/name@1.0.0"]);
});

test("a package inside another one is a package of its own", async () => {
  const found = bundledPackages(["node_modules/valibot/node_modules/missing/index.js"], ROOT);
  await expect(found).rejects.toThrow("missing/package.json");
});

interface Bom {
  readonly components: readonly { readonly purl: string }[];
  readonly dependencies: readonly { readonly dependsOn: readonly string[] }[];
}

function sbom(packages: Parameters<typeof renderSbom>[0]["packages"]): Bom {
  const source = { commit: "abc", time: 1_700_000_000 };
  const ccc = { version: "1.2.3", description: "Run it", repository: "some/where", source };
  return JSON.parse(renderSbom({ ...ccc, bun: "1.4.4", packages }));
}
