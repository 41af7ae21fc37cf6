import { graphemes, type InputLine } from "./line-editor.ts";

/** The visible part of an input line. It scrolls sideways, so that the cursor is always in it. */
export function inputWindow(line: InputLine, room: number): InputLine {
  const before = graphemes(shown(line.before.slice(-MOST_SHOWN)));
  const after = graphemes(shown(line.after.slice(0, MOST_SHOWN)));
  // One column is for the cursor at the end.
  const free = Math.max(1, room - 1);
  const ahead = Math.min(width(after), Math.floor(free / 4));
  const left = fitting(before.toReversed(), free - ahead)
    .toReversed()
    .join("");
  return { before: left, after: fitting(after, free - Bun.stringWidth(left)).join("") };
}

/** Cuts a text to a width. */
export function cut(text: string, room: number): string {
  return fitting(graphemes(text), room).join("");
}

/**
 * How many rows of the screen the rows above the cursor's take: terminals wrap rows that no longer fit after a resize. Most
 * leave the cursor's own row alone.
 */
export function rowsTaken(widths: readonly number[], columns: number): number {
  return widths.reduce((sum, each) => sum + Math.max(1, Math.ceil(each / columns)), 0);
}

/** In UTF-16 units: more than any terminal is wide. */
const MOST_SHOWN = 2_000;
const MORE = "…";

/** As many characters from the start as fit, with a mark if others are left out. */
function fitting(characters: readonly string[], room: number): string[] {
  if (width(characters) <= room) return [...characters];
  const kept: string[] = [];
  let used = 1;
  for (const each of characters) {
    used += Bun.stringWidth(each);
    if (used > room) break;
    kept.push(each);
  }
  return room < 1 ? [] : [...kept, MORE];
}

function width(characters: readonly string[]): number {
  return characters.reduce((sum, each) => sum + Bun.stringWidth(each), 0);
}

function shown(text: string): string {
  return text.replaceAll("\n", "↵").replaceAll("\t", " ");
}
