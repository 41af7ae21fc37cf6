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
