import { expect, test } from "bun:test";
import { join } from "node:path";
import { parse } from "jsonc-parser";
import { dependencies } from "../../../package.json" with { type: "json" };
import { bundledPackages, packageFolders, renderLicenses, renderSbom } from "../../../scripts/release/contents.ts";

const ROOT = join(import.meta.dir, "../../..");

test("the SBOM has Bun and exactly what is bundled, in the versions of bun.lock", async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, "src/main.ts")],
    target: "bun",
    sourcemap: "external",
  });
  // The source map is another witness of what is in the bundle.
  const maps = await Promise.all(outputs.filter(({ kind }) => kind === "sourcemap").map((map) => map.json()));
  const sources: string[] = maps.flatMap((map) => map.sources);
  const inMap = new Set(sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []));

  const lock = parse(await Bun.file(join(ROOT, "bun.lock")).text(), [], { allowTrailingComma: true });
  const expected = [...inMap].sort().map((name) => `pkg:npm/${lock.packages[name][0].replace(/^@/, "%40")}`);
  const [bun, ...purls] = sbom(await bundledPackages(ROOT)).components.map(({ purl }) => purl);
  expect(bun).toBe("pkg:github/oven-sh/bun@bun-v1.4.4");
  expect(purls).toEqual(expected);
  expect(Object.keys(dependencies).filter((name) => !inMap.has(name))).toEqual([]);
});

test("the SBOM says names, versions, licenses and the commit, and nothing of this machine", () => {
  const bom = sbom([{ name: "@scope/name", version: "1.0.0", license: "ISC", text: "" }]);
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

test("packageFolders: each innermost package once, with its scope", () => {
  const files = ["src/main.ts", "node_modules/b/x.js", "node_modules/b/y/z.js", "../node_modules/@s/a/i.js"];
  expect(packageFolders([...files, "node_modules/b/node_modules/c/x.js"])).toEqual([
    "../node_modules/@s/a",
    "node_modules/b",
    "node_modules/b/node_modules/c",
  ]);
});

test("every bundled license is part of the release", async () => {
  const packages = await bundledPackages(ROOT);
  const text = renderLicenses("MIT License of ccc", { bun: "1.4.4", packages });
  expect(text).toStartWith("MIT License of ccc\n");
  expect(packages.map(({ name }) => name)).toContain("valibot");
  for (const { name, version, text: own } of packages) {
    expect(own.length).toBeGreaterThan(500);
    expect(text).toContain(`${name} ${version}\n\n${own}\n`);
  }
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
