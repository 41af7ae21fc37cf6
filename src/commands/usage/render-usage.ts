import type { QuotaWindow, UsageFigure } from "../../providers/usage/usage-reading.ts";
import { wholePercent } from "../../text/counts.ts";
import { shortDuration } from "../../text/duration.ts";
import { columns } from "../../text/table.ts";
import type { UsageAnswer } from "./usage-answer.ts";

export interface UsageView {
  /** The width of the terminal; infinite elsewhere, where there are no bars. */
  readonly width: number;
  readonly hasColor: boolean;
  /** In milliseconds since 1970. */
  readonly now: number;
}

/** The lines for one provider: a heading and its figures on a terminal, lines that stand for themselves elsewhere. */
export function renderUsage(name: string, answer: UsageAnswer, view: UsageView): string {
  const { status, detail, advice, figures } = answer;
  if (status !== "answered") {
    const label = `${status === "failed" ? "✗" : "-"} ${name}`;
    return columns([[label, detail], ...(advice === "" ? [] : [["", advice]])], view.width);
  }
  if (!Number.isFinite(view.width)) {
    return figures.map((figure) => `${name}  ${figure.label}: ${words(figure, view.now)}\n`).join("");
  }
  const bar = barWidth(figures, view);
  const rows = figures.map((figure) => [`  ${figure.label}`, ...cells(figure, bar, view)]);
  return `${name}\n${columns(rows, view.width)}`;
}

function cells(figure: UsageFigure, bar: number, view: UsageView): string[] {
  const text = words(figure, view.now);
  if (bar === 0) return [text];
  return [figure.kind === "window" ? painted(figure, bar, view.hasColor) : " ".repeat(bar), text];
}

/** "37% used, resets in 2h13m", "12.34 USD". */
function words(figure: UsageFigure, now: number): string {
  if (figure.kind !== "window") return `${figure.amount.toFixed(2)} ${figure.currency}`;
  const used = `${wholePercent(figure.used_percent)}% used`;
  if (figure.resets_at === null) return used;
  const seconds = (Date.parse(figure.resets_at) - now) / 1000;
  return `${used}, resets ${seconds <= 0 ? "now" : `in ${shortDuration(seconds)}`}`;
}

/** None where a line would not fit beside it. */
function barWidth(figures: readonly UsageFigure[], { width, now }: UsageView): number {
  if (!figures.some(({ kind }) => kind === "window")) return 0;
  const widest = (texts: readonly string[]) => Math.max(...texts.map((text) => Bun.stringWidth(text)));
  const others = widest(figures.map(({ label }) => label)) + widest(figures.map((figure) => words(figure, now))) + 6;
  const room = Math.min(WIDEST_BAR, width - others);
  return room < NARROWEST_BAR ? 0 : room;
}

const WIDEST_BAR = 24;
const NARROWEST_BAR = 6;

function painted({ used_percent: used }: QuotaWindow, width: number, hasColor: boolean): string {
  const full = Math.round((wholePercent(used) / 100) * width);
  const bar = `${"█".repeat(full)}${"░".repeat(width - full)}`;
  const color = used >= 90 ? "31" : used >= 70 ? "33" : "32";
  return hasColor ? `\u001b[${color}m${bar}\u001b[0m` : bar;
}
