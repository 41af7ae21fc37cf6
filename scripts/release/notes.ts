/** Prints the release notes of a version, from CHANGELOG.md: bun scripts/release/notes.ts 1.2.3 */

/** The section of a version in a changelog, without its heading. */
export function releaseNotes(changelog: string, version: string): string {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((each) => each.startsWith(`[${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## [${version}]"`);
  const notes = withoutLinks(section.slice(lineEnd(section))).trim();
  if (withoutHeadings(notes) === "") throw new Error(`the section "## [${version}]" of CHANGELOG.md is empty`);
  return `${notes}\n`;
}

function lineEnd(text: string): number {
  const end = text.indexOf("\n");
  return end === -1 ? text.length : end;
}

/** The last section of a changelog is followed by the links of its headings. */
function withoutLinks(text: string): string {
  return text.replace(/^\[[^\]]+\]: \S+$/gm, "");
}

function withoutHeadings(text: string): string {
  return text.replace(/^#+ .*$/gm, "").trim();
}

if (import.meta.main) {
  const [version = ""] = process.argv.slice(2);
  const changelog = await Bun.file(`${import.meta.dir}/../../CHANGELOG.md`).text();
  process.stdout.write(releaseNotes(changelog, version));
}
