import type { Surface } from "./surface.ts";

const PARTS: readonly [part: Exclude<keyof Surface, "version">, title: string][] = [
  ["options", "Options in `--help`"],
  ["commands", "Commands in `--help`"],
  ["hookEvents", "Hook events"],
  ["settings", "Settings"],
  ["variables", "Environment variables"],
  ["tools", "Tools in the first request"],
  ["betas", "Betas in the first request"],
  ["fields", "Fields of the first request"],
];

/** What changed from one version to another, in Markdown. Says which parts could not be read. */
export function compareSurfaces(before: Surface, after: Surface): string {
  const parts = PARTS.map(([part, title]) => section(title, before[part], after[part]));
  const same = parts.filter(({ isSame }) => isSame).map(({ title }) => title);
  return [
    `# Claude Code ${before.version} → ${after.version}`,
    ...parts.filter(({ isSame }) => !isSame).map(({ text }) => text),
    ...(same.length === 0 ? [] : [`Unchanged: ${same.join(", ")}.`]),
    "",
  ].join("\n\n");
}

function section(title: string, before: readonly string[], after: readonly string[]) {
  const gone = before.filter((each) => !after.includes(each)).map((each) => `- removed: ${code(each)}`);
  const added = after.filter((each) => !before.includes(each)).map((each) => `- added: ${code(each)}`);
  const unread = before.length === 0 || after.length === 0;
  const lines = unread
    ? [`- not found in ${before.length === 0 ? "the old" : "the new"} version`]
    : [...gone, ...added];
  const counts = `(${before.length} → ${after.length})`;
  return {
    title: `${title} ${counts}`,
    isSame: lines.length === 0,
    text: `## ${title} ${counts}\n\n${lines.join("\n")}`,
  };
}

/** Names come from somebody else's program: none may end its code span. */
function code(name: string): string {
  return `\`${name.replaceAll("`", "'")}\``;
}
