import type { LastUsage } from "../../providers/usage/last-usage.ts";
import type { QuotaWindow, UsageFigure } from "../../providers/usage/usage-reading.ts";
import { wholePercent } from "../../text/counts.ts";

/** The scarcest of what was left when `ccc usage` last asked, as "5h 37% (12m ago)"; empty if that says nothing any more. */
export function shownUsage(last: LastUsage | undefined, now: number): string {
  if (last === undefined) return "";
  const hours = (now - last.time) / HOUR_MS;
  // A clock that was set back makes every age doubtful.
  if (hours < 0 || hours > OLDEST_HOURS) return "";
  let fullest: QuotaWindow | undefined;
  for (const figure of last.figures) {
    if (isCurrent(figure, hours, now) && figure.used_percent > (fullest?.used_percent ?? -1)) fullest = figure;
  }
  const text =
    fullest === undefined ? balanceIn(last.figures) : `${fullest.name} ${wholePercent(fullest.used_percent)}%`;
  return text === "" ? "" : `${text} (${age(hours)})`;
}

const HOUR_MS = 3_600_000;
const OLDEST_HOURS = 24;

/** Whether the window has not been reset since. Web tools are not what a session uses up. */
function isCurrent(figure: UsageFigure, ageInHours: number, now: number): figure is QuotaWindow {
  if (figure.kind !== "window" || figure.name === "tools") return false;
  if (figure.resets_at !== null) return Date.parse(figure.resets_at) > now;
  return figure.hours === null || ageInHours < figure.hours;
}

/** Only for a provider without windows: one whose windows have been reset has nothing to show. */
function balanceIn(figures: readonly UsageFigure[]): string {
  const [first] = figures;
  return first?.kind === "balance" ? `${first.amount.toFixed(2)} ${first.currency}` : "";
}

function age(hours: number): string {
  const minutes = Math.round(hours * 60);
  if (minutes < 1) return "just now";
  return minutes < 60 ? `${minutes}m ago` : `${Math.round(hours)}h ago`;
}
