/** "45s", "3m 20s", "2h 5m": the two largest units. */
export function shownDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const parts = UNITS.map(([unit, size], index) => {
    const larger = UNITS[index - 1]?.[1] ?? Number.POSITIVE_INFINITY;
    return [Math.floor((whole % larger) / size), unit] as const;
  });
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return "0s";
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count}${unit}`).join(" ");
}

/** "41 s", "2m10s", "1h5m": for a line with other figures. */
export function shortDuration(seconds: number): string {
  if (seconds < 59.5) return `${Math.max(1, Math.round(seconds))} s`;
  return shownDuration(seconds).replace(" ", "");
}

/** What took any time took a second. */
export function wholeSeconds(seconds: number): number {
  return seconds > 0 ? Math.max(1, Math.round(seconds)) : 0;
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

/** "2026-11-17 01:02 UTC" */
export function shownTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
