import type { Key } from "./keys.ts";

/** The line that the user edits, which may contain line breaks. The cursor is between the two parts. */
export interface InputLine {
  readonly before: string;
  readonly after: string;
}

export const EMPTY_LINE: InputLine = { before: "", after: "" };

/** The line after a key. Keys that do not edit leave it as it is. */
export function edit(line: InputLine, key: Key): InputLine {
  const { before, after } = line;
  switch (key.kind) {
    case "text":
      return { before: before + key.text.slice(0, Math.max(0, LONGEST - before.length - after.length)), after };
    case "backspace":
      return { before: before.slice(0, before.length - lastGrapheme(before)), after };
    case "delete":
      return { before, after: after.slice(firstGrapheme(after)) };
    case "left":
      return split(before + after, before.length - lastGrapheme(before));
    case "right":
      return split(before + after, before.length + firstGrapheme(after));
    case "word-left":
      return split(before + after, before.length - lastWord(before));
    case "word-right":
      return split(before + after, before.length + (/^\s*\S*/u.exec(after)?.[0].length ?? 0));
    case "home":
      return split(before + after, 0);
    case "end":
      return split(before + after, before.length + after.length);
    case "erase-before":
      return { before: "", after };
    case "erase-after":
      return { before, after: "" };
    case "erase-word":
      return { before: before.slice(0, before.length - lastWord(before)), after };
    default:
      return line;
  }
}

/** What a user sees as characters: an emoji of several code points, or a letter with its accents, is one. */
export function graphemes(text: string): string[] {
  return Array.from(SEGMENTER.segment(text), ({ segment }) => segment);
}

const SEGMENTER = new Intl.Segmenter();

const LONGEST = 1_000_000;

/** No character is longer; a whole paste would take long to segment. */
const NEAR = 200;

function lastGrapheme(text: string): number {
  return graphemes(text.slice(-NEAR)).at(-1)?.length ?? 0;
}

function firstGrapheme(text: string): number {
  return graphemes(text.slice(0, NEAR))[0]?.length ?? 0;
}

function lastWord(text: string): number {
  return /\S*\s*$/u.exec(text)?.[0].length ?? 0;
}

function split(text: string, at: number): InputLine {
  return { before: text.slice(0, at), after: text.slice(at) };
}
