/** Text as one line, without control characters and invisible ones. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{C}]+/gu, " ").trim();
}

/** The same, cut if it is too long, but not within a character. */
export function shortLine(text: string, longest: number): string {
  const line = oneLine(text);
  return line.length > longest ? `${line.slice(0, longest).replace(/[\ud800-\udbff]$/, "")}…` : line;
}
