/** Text from elsewhere (an agent, a reviewer, a program, a file) as people see it: harmless, and not too long. */

/**
 * Text of an agent, a reviewer or a file, for the screen: without codes that move the cursor, change colours or titles, or
 * reorder what is shown.
 */
export function printable(text: string): string {
  return Bun.stripANSI(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}

/**
 * Text from elsewhere, for people: what a terminal would obey, and what changes the direction of the text around it, is
 * escaped. Lines and tabs stay.
 */
export function shownText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const UNSAFE = /[^\P{Cc}\n\t]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029]/gu;

/** The beginning of a text that is too long, and how much is missing. */
export function clipped(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).trimEnd()}\n[… ${(text.length - longest).toLocaleString("en-US")} more characters …]`;
}

/** Text as one line, without control characters and invisible ones. If it is too long, it is cut, but not within a character. */
export function oneLine(text: string, longest = Number.POSITIVE_INFINITY): string {
  // Most text is one line already, and this expression takes less time to compile.
  const line = /[^ -~]|^ | {2}| $/.test(text) ? text.replaceAll(/[\s\p{C}]+/gu, " ").trim() : text;
  return line.length > longest ? `${line.slice(0, longest).replace(/[\ud800-\udbff]$/, "")}…` : line;
}

/** Passes on a limited number of texts and characters, then says `leftOut` once and drops the rest. */
export function limited(
  say: (text: string) => void,
  most: { readonly texts: number; readonly characters: number },
  leftOut: string,
): (text: string) => void {
  let texts = 0;
  let characters = 0;
  let isFull = false;
  return (text) => {
    if (isFull) return;
    texts++;
    characters += text.length;
    isFull = texts > most.texts || characters > most.characters;
    say(isFull ? leftOut : text);
  };
}
