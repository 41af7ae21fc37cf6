/** Untrusted text (of an agent, a reviewer, a program, a file) made harmless, and not too long, for a screen or a page. */

import { counted } from "./words.ts";

/** Removes codes that move the cursor, change colours or titles, or reorder what is shown. */
export function printable(text: string): string {
  return Bun.stripANSI(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}

/** Escapes codes that a terminal would obey or that change the direction of the text around them. Keeps lines and tabs. */
export function shownText(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replaceAll(UNSAFE, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}

const UNSAFE = /[^\P{Cc}\n\t]|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029]/gu;

/** The beginning of a text that is too long, and how much is missing. */
export function clipped(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).replace(HALF, "").trimEnd()}\n[… ${counted(text.length - longest, "more character")} …]`;
}

/** Text as one line, without colors, control characters and invisible ones. If it is too long, it is cut, but not within a character. */
export function oneLine(text: string, longest = Number.POSITIVE_INFINITY): string {
  // Most text is one line already, and this expression takes less time to compile.
  const line = /[^ -~]|^ | {2}| $/.test(text)
    ? Bun.stripANSI(text)
        .replaceAll(/[\s\p{C}]+/gu, " ")
        .trim()
    : text;
  return line.length > longest ? `${line.slice(0, longest).replace(HALF, "")}…` : line;
}

/** The first half of a character of two UTF-16 units. */
const HALF = /[\ud800-\udbff]$/;

/** Markup that ccc wrote. Everything else is text, and is escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Piece = Html | string | number | undefined | readonly (Html | string)[];

/** A template for markup. Values are escaped, for content and for attributes in quotation marks. */
export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Html(parts.map((part, at) => part + markup(values[at])).join(""));
}

function markup(value: Piece): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(markup).join("");
  return String(value)
    .toWellFormed()
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
