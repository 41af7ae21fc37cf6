/** Says everything that is missing before a tag can be released, and fails if anything is: bun scripts/release/tag.ts <tag> <repository> */

interface Package {
  readonly version: string;
  readonly repository: string;
}

/** What has to be done before this tag of this repository may be released. */
export function tagProblems(
  { version, repository }: Package,
  changelog: string,
  tag: string,
  builtIn: string,
): readonly string[] {
  const problems: string[] = [];
  if (tag !== `v${version}`) problems.push(`the tag is ${tag}, but package.json has version ${version}`);
  if (repository !== `github:${builtIn}`)
    problems.push(`this is ${builtIn}, but package.json has repository ${repository}`);
  return [...problems, ...changelogProblems(changelog, version)];
}

/** The section of the version is dated, has entries, and leaves none under Unreleased. */
function changelogProblems(changelog: string, version: string): string[] {
  const sections = changelog.split(/^## /m).slice(1);
  const entriesOf = (name: string) => {
    const section = sections.find((each) => each.startsWith(`[${name}]`));
    return section === undefined ? undefined : (section.match(/^- /gm)?.length ?? 0);
  };
  const unreleased = entriesOf("Unreleased") ?? 0;
  const left = `${unreleased} ${unreleased === 1 ? "entry" : "entries"} under "## [Unreleased]"`;
  const entries = entriesOf(version);
  if (entries === undefined) return [`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD", but ${left}`];
  const heading = sections.find((each) => each.startsWith(`[${version}]`))?.split(/\r?\n/)[0] ?? "";
  const [, date] = /^\[[^\]]+\] - (\d{4}-\d\d-\d\d)$/.exec(heading) ?? [];
  const isDated = date !== undefined && new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true;
  return [
    ...(isDated ? [] : [`"## ${heading}" in CHANGELOG.md has no date: write "## [${version}] - YYYY-MM-DD"`]),
    ...(entries > 0 ? [] : [`the section "## [${version}]" of CHANGELOG.md is empty`]),
    ...(unreleased === 0 ? [] : [`CHANGELOG.md has ${left}: move what is in ${version} to its section`]),
  ];
}

if (import.meta.main) {
  const [tag = "", builtIn = ""] = process.argv.slice(2);
  const read = (name: string) => Bun.file(`${import.meta.dir}/../../${name}`);
  const problems = tagProblems(await read("package.json").json(), await read("CHANGELOG.md").text(), tag, builtIn);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
