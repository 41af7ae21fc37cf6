/**
 * The criteria that a text states: the lines `- [ ] …` of its section "Done means". The section ends at the next heading
 * of the same or a higher level.
 */
export function doneMeans(markdown: string): string[] {
  const found: string[] = [];
  let level = 0;
  let isCode = false;
  for (const line of markdown.split(/\r?\n/)) {
    if (/^\s{0,3}(```|~~~)/.test(line)) isCode = !isCode;
    if (isCode) continue;
    const [, marks, title = ""] = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line) ?? [];
    if (marks !== undefined) {
      if (isDoneMeans(title)) level = marks.length;
      else if (marks.length <= level) level = 0;
    } else if (isDoneMeans(line)) {
      // Prompts are often without headings: "Done means:" starts a section too.
      level = LOWEST;
    }
    const [, item] = /^\s*[-*+]\s+\[[ xX]\]\s+(.+)$/.exec(line) ?? [];
    if (level > 0 && item !== undefined) found.push(item.trim().slice(0, LONGEST_CRITERION));
  }
  return [...new Set(found)];
}

function isDoneMeans(title: string): boolean {
  return /^\W*done means\W*$/i.test(title);
}

const LOWEST = 6;
export const LONGEST_CRITERION = 300;
