import { oneLine } from "../../text/one-line.ts";
import type { ShownSupervision, Tone } from "./shown-supervision.ts";

export interface Status {
  readonly provider: string | undefined;
  /** Whether the session's folder is pinned to it. */
  readonly isPinned: boolean;
  readonly model: string | undefined;
  /** In percent. */
  readonly contextUsed: number | undefined;
  /** What was left of the provider's quota, with the age of that; empty if unknown. */
  readonly usage: string;
  readonly supervision: ShownSupervision;
  /** The width of the terminal, if known. */
  readonly columns: number | undefined;
  readonly hasColor: boolean;
}

/** One line, as "glm · glm-5 · context 42% · reviewing 2/10: Bash npm test". What is in it is data, never terminal codes. */
export function statusLine(status: Status): string {
  const shown = fitted(partsOf(status), (status.columns ?? DEFAULT_COLUMNS) - MARGIN);
  const paint = status.hasColor ? painted : ({ text }: Part) => text;
  return shown.map(paint).join(SEPARATOR);
}

interface Part {
  readonly text: string;
  readonly tone: Tone | "name";
  /** In a narrow terminal, the part with the highest rank is left out first. One without a rank is cut instead. */
  readonly rank?: number;
}

/** From left to right. */
function partsOf({ provider, isPinned, model, contextUsed, usage, supervision }: Status): Part[] {
  const parts: Part[] = [
    { text: cut(oneLine(provider ?? ""), LONGEST_NAME), tone: "name", rank: 1 },
    { text: isPinned ? "pinned" : "", tone: "quiet", rank: 5 },
    { text: cut(oneLine(model ?? ""), LONGEST_NAME), tone: "quiet", rank: 2 },
    { text: contextUsed === undefined ? "" : `context ${Math.round(contextUsed)}%`, tone: "quiet", rank: 3 },
    { text: cut(oneLine(usage), LONGEST_NAME), tone: "quiet", rank: 4 },
    { text: oneLine(supervision.text), tone: supervision.tone },
  ];
  return parts.filter(({ text }) => text !== "");
}

function fitted(parts: readonly Part[], width: number): readonly Part[] {
  const others = parts.filter(({ rank }) => rank !== undefined);
  const room = width - others.reduce((sum, { text }) => sum + Bun.stringWidth(text) + SEPARATOR.length, 0);
  const needed = parts.filter(({ rank }) => rank === undefined).map(({ text }) => Bun.stringWidth(text));
  if (others.length > 0 && room < Math.min(ENOUGH, ...needed)) {
    const last = others.reduce((worst, part) => ((part.rank ?? 0) > (worst.rank ?? 0) ? part : worst));
    return fitted(
      parts.filter((part) => part !== last),
      width,
    );
  }
  return parts.map((part) => (part.rank === undefined ? { ...part, text: cut(part.text, room) } : part));
}

/** The beginning of a text that is wider than `width` columns. */
function cut(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  // Loading Intl.Segmenter takes half of Bun's own start time.
  if (/^[ -~]*$/.test(text)) return `${text.slice(0, Math.max(0, width - 1)).trimEnd()}…`;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (Bun.stringWidth(kept + segment) >= width) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}

const SEPARATOR = " · ";
const DEFAULT_COLUMNS = 80;
/** Claude Code indents the line. */
const MARGIN = 4;
const LONGEST_NAME = 30;
/** Enough of what the reviewer does to recognize it. */
const ENOUGH = 26;

const RESET = "\u001b[0m";
/** The terminal's own colors, on light and dark screens. Claude Code shows the rest in gray. */
const COLORS: Readonly<Record<Part["tone"], string>> = {
  name: "\u001b[1m",
  quiet: "",
  busy: "\u001b[36m",
  good: "\u001b[32m",
  open: "\u001b[33m",
  bad: "\u001b[31m",
};

function painted({ text, tone }: Part): string {
  return COLORS[tone] === "" ? text : `${COLORS[tone]}${text}${RESET}`;
}
