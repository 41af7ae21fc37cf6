import { shortened } from "./inline.ts";

/** In a long list, the first texts give the topic and the last ones the current request. */
const MOST_LISTED = 100;
const FIRST_LISTED = 10;

/** A numbered list of texts in about `longest` bytes. The oldest are shortened first. */
export function listed(texts: readonly string[], longest: number): string {
  const numbered = texts.map((text, index) => ({ number: index + 1, text: text.trim() }));
  const left = Math.max(0, texts.length - MOST_LISTED);
  const kept = [...numbered.slice(0, FIRST_LISTED), ...numbered.slice(FIRST_LISTED + left)];
  const lines: string[] = [];
  let room = longest;
  for (const [older, { number, text }] of [...kept.entries()].toReversed()) {
    // Every older text keeps room for its beginning and end.
    const line = `${number}. ${inBytes(text, Math.max(SHORTEST, room - older * SHORTEST))}`;
    room -= Buffer.byteLength(line);
    lines.unshift(line);
  }
  if (left > 0) lines.splice(FIRST_LISTED, 0, `[… ${left} more ${left === 1 ? "is" : "are"} left out here …]`);
  return lines.join("\n\n");
}

const SHORTEST = 200;

function inBytes(text: string, longest: number): string {
  const bytes = Buffer.byteLength(text);
  return bytes <= longest ? text : shortened(text, Math.floor((longest * text.length) / bytes));
}
