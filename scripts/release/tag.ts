/** Refuses a release of the wrong thing: bun scripts/release/tag.ts <tag> <repository> */

interface Package {
  readonly version: string;
  readonly repository: string;
}

/** Why this tag of this repository may not be released, if so. */
export function tagProblem({ version, repository }: Package, tag: string, builtIn: string): string | undefined {
  if (tag !== `v${version}`) return `the tag is ${tag}, but package.json has version ${version}`;
  if (repository !== `github:${builtIn}`) return `this is ${builtIn}, but package.json has repository ${repository}`;
  return undefined;
}

if (import.meta.main) {
  const [tag = "", builtIn = ""] = process.argv.slice(2);
  const problem = tagProblem(await Bun.file(`${import.meta.dir}/../../package.json`).json(), tag, builtIn);
  if (problem !== undefined) {
    console.error(problem);
    process.exitCode = 1;
  }
}
