/** Text laid out for the width of a terminal. */

/** The width of stdout. Output for a script is never wrapped. */
export function outputWidth({ isTerminal, columns }: StdoutTerminal): number {
  return isTerminal(1) ? columns() : Number.POSITIVE_INFINITY;
}

interface StdoutTerminal {
  readonly isTerminal: (fd: 1) => boolean;
  readonly columns: () => number;
}

/** The least width of a last column with sentences. */
const READABLE = 16;

/**
 * Formats rows as text, each column as wide as its widest cell. If that is too wide, the last column is wrapped; if too
 * little room is left for it, the cells that do not fit are put on separate lines.
 */
export function columns(rows: readonly (readonly string[])[], width: number): string {
  const count = Math.max(1, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => Bun.stringWidth(row[column] ?? ""))),
  );
  const last = widths[count - 1] ?? 0;
  const room = width - widthOf(widths.slice(0, -1)) - (count > 1 ? GAP.length : 0);
  const unbroken = rows
    .flatMap((row) => (row[count - 1] ?? "").split(/\s+/))
    .flatMap((word) => word.match(UNBROKEN) ?? []);
  const needed = Math.max(Math.min(READABLE, last), ...unbroken.map((word) => Bun.stringWidth(word)));
  const indent = Math.min(...rows.map(([first = ""]) => first.search(/[^ ]|$/)));
  const render = room >= needed ? beside(widths, room) : below(widths, width, " ".repeat(indent + 4));
  return rows.map(render).join("");
}

type Render = (row: readonly string[]) => string;

const GAP = "  ";

function beside(widths: readonly number[], room: number): Render {
  const indent = " ".repeat(widthOf([...widths.slice(0, -1), 0]));
  return (row) => {
    const [first = "", ...more] = fold(row[widths.length - 1] ?? "", room);
    const line = padded([...row.slice(0, widths.length - 1), first], widths);
    return [line, ...more.map((each) => indent + each)].map((each) => `${each}\n`).join("");
  };
}

function below(widths: readonly number[], width: number, indent: string): Render {
  const kept = Math.max(
    1,
    widths.findIndex((_, column) => widthOf(widths.slice(0, column + 1)) > width),
  );
  return (row) => {
    const lines: string[] = [];
    for (const cell of row.slice(kept)) {
      const joined = [lines.at(-1), cell].join(GAP);
      const isFitting = lines.length > 0 && indent.length + Bun.stringWidth(joined) <= width;
      if (isFitting) lines.splice(-1, 1, joined);
      else lines.push(...fold(cell, width - indent.length));
    }
    const line = padded(row.slice(0, kept), widths);
    const whole = [...(line === "" ? [] : [line]), ...lines.map((each) => indent + each)];
    return whole.map((each) => `${each}\n`).join("");
  };
}

function widthOf(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, 0) + GAP.length * Math.max(0, widths.length - 1);
}

function padded(cells: readonly string[], widths: readonly number[]): string {
  const pad = (cell: string, column: number) =>
    cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(cell)));
  return cells.map(pad).join(GAP).trimEnd();
}

/** Wraps each line between words. It keeps its indentation; the lines that continue it are indented further. */
export function wrap(text: string, width: number, further = 2): string {
  return text
    .split("\n")
    .map((line) => {
      const own = /^ */.exec(line)?.[0] ?? "";
      if (Bun.stringWidth(line) <= width) return line;
      const [first, ...more] = fold(line.slice(own.length), width - own.length - further);
      return [own + first, ...more.map((each) => own + " ".repeat(further) + each)].join("\n");
    })
    .join("\n");
}

/** Colors signs, or other words, of a text for the terminal that it is written to. NO_COLOR switches that off. */
export function colored(text: string, { isTerminal, env }: ColorTerminal, fd: 1 | 2 = 1, words = SIGNS): string {
  if (!isTerminal(fd) || env.NO_COLOR || env.TERM === "dumb") return text;
  const known = new RegExp(Object.keys(words).map(RegExp.escape).join("|"), "g");
  return text.replaceAll(known, (word) => `\u001b[${words[word] === "good" ? 32 : 31}m${word}\u001b[39m`);
}

interface ColorTerminal {
  readonly isTerminal: (fd: 1 | 2) => boolean;
  readonly env: { readonly NO_COLOR?: string | undefined; readonly TERM?: string | undefined };
}

const SIGNS: Readonly<Record<string, "good" | "bad">> = { "✓": "good", "✗": "bad" };

/** The beginning of a text that is wider than `width` columns. */
export function cutToWidth(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  if (width < 1) return "";
  const kept = Bun.sliceAnsi(text, 0, width - 1);
  // A wide character that fits only by half is included.
  return `${(Bun.stringWidth(kept) < width ? kept : Bun.sliceAnsi(text, 0, width - 2)).trimEnd()}…`;
}

/** Wraps text. A line with columns is broken between columns first. */
function fold(text: string, width: number): string[] {
  return text
    .split("\n")
    .flatMap((line) =>
      Bun.stringWidth(line) <= width ? [line] : line.split(/ {2,}/).flatMap((part) => words(part, width)),
    );
}

/** A word that is longer than a line stays whole, so that a URL can be copied. */
function words(text: string, width: number): string[] {
  const lines: string[] = [];
  const whole = (text.match(QUOTED) ?? []).flatMap((each) =>
    Bun.stringWidth(each) <= width ? [each] : each.split(/\s+/),
  );
  for (const word of whole.flatMap((each) => pieces(each, width))) {
    const joined = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && Bun.stringWidth(joined) <= width) lines.splice(-1, 1, joined);
    else lines.push(word);
  }
  return lines;
}

/** A word, or a command between backticks: pasted in two lines, its first line would run alone. */
const QUOTED = /(?:[^\s`]*`[^`]+`)+\S*|\S+/g;

/** Chinese and Japanese have no spaces between words: a line may break before any character except punctuation. */
const UNBROKEN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]\p{P}*|[^\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+/gu;

function pieces(word: string, width: number): string[] {
  const fitting: string[] = [];
  for (const part of Bun.stringWidth(word) <= width ? [word] : (word.match(UNBROKEN) ?? [])) {
    const joined = `${fitting.at(-1)}${part}`;
    if (fitting.length > 0 && Bun.stringWidth(joined) <= width) fitting.splice(-1, 1, joined);
    else fitting.push(part);
  }
  return fitting;
}
