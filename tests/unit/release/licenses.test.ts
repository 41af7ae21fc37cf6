import { expect, test } from "bun:test";
import { join } from "node:path";
import { bundledPackages } from "../../../scripts/release/bundled.ts";
import { renderLicenses } from "../../../scripts/release/licenses.ts";

test("every bundled license is part of the release", async () => {
  const packages = await bundledPackages(join(import.meta.dir, "../../.."));
  const text = renderLicenses("MIT License of ccc", { bun: "1.4.4", packages });
  expect(text).toStartWith("MIT License of ccc\n");
  expect(packages.map(({ name }) => name)).toContain("valibot");
  for (const { name, version, text: own } of packages) {
    expect(own.length).toBeGreaterThan(500);
    expect(text).toContain(`${name} ${version}\n\n${own}\n`);
  }
});
