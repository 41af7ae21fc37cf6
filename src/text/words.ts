/** How counts, durations, times and sentences read in messages, and which word the user meant. */

/** "1 review", "1,200 tokens". */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** "1,200". The engine's own formatting of numbers takes milliseconds to load, and few numbers need it. */
export function grouped(count: number): string {
  return Number.isInteger(count) && Math.abs(count) < 1_000 ? String(count) : count.toLocaleString("en-US");
}

/** A share in whole percent. Rounding never makes it 0 or 100. */
export function wholePercent(percent: number): number {
  if (percent <= 0) return 0;
  return percent < 100 ? Math.min(99, Math.max(1, Math.round(percent))) : 100;
}

/** "1 token", "950 tokens", "3.1k tokens", "42k tokens", "1.2M tokens". */
export function shortTokens(count: number): string {
  return count < 1_000 ? counted(count, "token") : `${shortCount(count)} tokens`;
}

/** "950", "3.1k", "42k", "1.2M". */
export function shortCount(count: number): string {
  if (count < 1_000) return grouped(count);
  const [size, unit] = count < 999_500 ? [1_000, "k"] : [1_000_000, "M"];
  const amount = count / size;
  return `${amount < 9.95 ? Number(amount.toFixed(1)) : Math.round(amount)}${unit}`;
}

/** Rounds away what adding fractions leaves behind: 10.8, not 10.799999999999999. */
export function exact(sum: number): number {
  return Math.round(sum * 1e6) / 1e6;
}

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

/** "a review is running" → "A review is running." */
export function sentence(text: string): string {
  const whole = `${text.charAt(0).toUpperCase()}${text.slice(1)}`.trimEnd();
  return /[.!?。！？…]$/.test(whole) ? whole : `${whole}.`;
}

/** The candidate that the user probably meant, if any. */
export function nearest(
  word: string,
  candidates: readonly string[],
  mistakes: (name: string) => number = allowedMistakes,
): string | undefined {
  const wanted = word.toLowerCase();
  let best: { name: string; distance: number } | undefined;
  for (const name of candidates) {
    const distance = editDistance(wanted, name.toLowerCase());
    if (distance <= mistakes(name) && (best === undefined || distance < best.distance)) best = { name, distance };
  }
  return best?.name;
}

/** Short names are close to many ordinary words. */
function allowedMistakes(name: string): number {
  if (name.length <= 2) return 0;
  return name.length <= 5 ? 1 : 2;
}

/** Counts letters added, removed, changed or swapped with their neighbour (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const changed = (last[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1);
      const swapped =
        a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
          ? (beforeLast[column - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      current.push(Math.min((last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1, changed, swapped));
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length] ?? 0;
}
