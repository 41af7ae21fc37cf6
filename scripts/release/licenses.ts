import type { Contents } from "./sbom.ts";

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
