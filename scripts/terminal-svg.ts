import type { IBuffer, IBufferCell } from "@xterm/headless";

export interface Window {
  readonly title: string;
  readonly cols: number;
  /** The rows of the terminal to show, in order. */
  readonly rows: readonly number[];
  /** Colors of bars in the margin, beside important rows. */
  readonly marks: Readonly<Record<number, string>>;
}

/** A stretch of cells in one row that look the same. */
interface Run {
  readonly at: number;
  readonly cells: number;
  readonly text: string;
  readonly style: string;
  readonly background: string;
}

const CELL = { width: 8.4, height: 19, size: 14 };
const MARGIN = 20;
const BAR = 46;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace";
const PAPER = "#15181e";
const INK = "#d5d9e0";
const ANSI = [
  ["#3b4048", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#abb2bf"],
  ["#6b7280", "#ff7b85", "#b5e090", "#ffd68a", "#7cc4ff", "#dc9cf0", "#74d4e0", "#ffffff"],
].flat();

/** Characters that many fonts lack, as outlines in their cell. */
const SHAPES: Readonly<Record<string, string>> = {
  "●": "M.4 10a3.8 3.8 0 1 0 7.6 0a3.8 3.8 0 1 0-7.6 0z",
  "⎿": "M3.6 2h1.2v10h3.2v1.2H3.6z",
  "⏵": "M1 5.5l6.5 4.5l-6.5 4.5z",
};

/**
 * Rows of a terminal as a picture of its window. Runs of cells have a fixed width, and every non-ASCII character is positioned
 * on its own, so the picture stays aligned in any font.
 */
export function terminalSvg(buffer: IBuffer, { title, cols, rows, marks }: Window): string {
  const width = Math.ceil(cols * CELL.width) + 2 * MARGIN;
  const height = BAR + rows.length * CELL.height + MARGIN;
  const drawn = rows.map((row, index) => {
    const top = BAR + index * CELL.height;
    const mark =
      marks[row] === undefined
        ? ""
        : `<rect x="8" y="${top}" width="3" height="${CELL.height}" rx="1.5" fill="${marks[row]}"/>`;
    return mark + drawnRow(runsOf(buffer, row, cols), top);
  });
  const lights = ["#ff5f57", "#febc2e", "#28c840"].map(
    (color, index) => `<circle cx="${22 + index * 20}" cy="21" r="6" fill="${color}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}">
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="10" fill="${PAPER}" stroke="#3d444d"/>
${lights.join("")}
<g font-family="${FONT}" font-size="${CELL.size}" fill="${INK}" xml:space="preserve">
<text x="${width / 2}" y="26" text-anchor="middle" font-size="13" fill="#8b929c">${escaped(title)}</text>
${drawn.filter((row) => row !== "").join("\n")}
</g>
</svg>
`;
}

function runsOf(buffer: IBuffer, row: number, cols: number): Run[] {
  const line = buffer.getLine(row);
  const runs: Run[] = [];
  for (let at = 0; at < cols; at++) {
    const cell = line?.getCell(at);
    // The second half of a wide character.
    if (cell === undefined || cell.getWidth() === 0) continue;
    const text = cell.getChars().replaceAll("\u00a0", " ") || " ";
    const next = { at, cells: cell.getWidth(), text, ...lookOf(cell) };
    const last = runs.at(-1);
    if (last !== undefined && belongs(next, last))
      runs[runs.length - 1] = { ...last, cells: last.cells + next.cells, text: last.text + next.text };
    else runs.push(next);
  }
  return runs;
}

function belongs(next: Run, last: Run): boolean {
  if (next.style !== last.style || next.background !== last.background) return false;
  return (isAscii(next.text) && isAscii(last.text)) || (isRule(next.text) && isRule(last.text));
}

const isAscii = (text: string) => /^[ -~]+$/.test(text);
const isRule = (text: string) => /^─+$/.test(text);

function lookOf(cell: IBufferCell): { style: string; background: string } {
  const own = color(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor());
  const behind = color(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor());
  const [ink, background] = cell.isInverse() ? [behind || PAPER, own || INK] : [own, behind];
  const style = [
    ink && `fill="${ink}"`,
    cell.isBold() && 'font-weight="bold"',
    cell.isItalic() && 'font-style="italic"',
    cell.isDim() && 'opacity=".6"',
  ];
  return { style: style.filter(Boolean).join(" "), background };
}

function color(isDefault: boolean, isRgb: boolean, value: number): string {
  if (isDefault) return "";
  if (isRgb) return `#${value.toString(16).padStart(6, "0")}`;
  const named = ANSI[value];
  if (named !== undefined) return named;
  if (value >= 232) return `#${(8 + (value - 232) * 10).toString(16).padStart(2, "0").repeat(3)}`;
  const levels = [Math.floor((value - 16) / 36), Math.floor((value - 16) / 6) % 6, (value - 16) % 6];
  return `#${levels.map((level) => (level === 0 ? 0 : 55 + level * 40).toString(16).padStart(2, "0")).join("")}`;
}

function drawnRow(runs: readonly Run[], top: number): string {
  const behind = runs.map((run) => (run.background === "" ? "" : box(run, top)));
  return [...behind, ...runs.map((run) => ink(run, top))].join("");
}

function box({ at, cells, background }: Run, top: number): string {
  return `<rect x="${x(at)}" y="${top}" width="${span(cells)}" height="${CELL.height}" fill="${background}"/>`;
}

function ink({ at, cells, text, style }: Run, top: number): string {
  if (text.trim() === "") return "";
  const look = style === "" ? "" : ` ${style}`;
  if (isRule(text)) return `<rect x="${x(at)}" y="${top + 9}" width="${span(cells)}" height="1"${look}/>`;
  const shape = SHAPES[text];
  if (shape !== undefined) return `<path transform="translate(${x(at)} ${top})" d="${shape}"${look}/>`;
  const shown = text.trimEnd();
  const indent = shown.length - shown.trimStart().length;
  const length = isAscii(shown) ? span(shown.length - indent) : "";
  const fit = length === "" ? "" : ` textLength="${length}" lengthAdjust="spacingAndGlyphs"`;
  return `<text x="${x(at + indent)}" y="${top + 14}"${fit}${look}>${escaped(shown.trimStart())}</text>`;
}

const x = (cell: number) => rounded(MARGIN + cell * CELL.width);
const span = (cells: number) => rounded(cells * CELL.width);
const rounded = (value: number) => String(Math.round(value * 10) / 10);

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
