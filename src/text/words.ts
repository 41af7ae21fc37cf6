/** "1 review", "1,200 tokens". */
export function counted(count: number, what: string): string {
  return `${grouped(count)} ${what}${count === 1 ? "" : "s"}`;
}

/** "1,200" */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** A share in whole percent. Only all of it is 100, and only nothing is 0. */
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

/** Without what adding fractions leaves behind: 10.8, not 10.799999999999999. */
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

/** Passes on a limited number of texts and characters, then says `leftOut` once and drops the rest. */
export function limited(
  say: (text: string) => void,
  most: { readonly texts: number; readonly characters: number },
  leftOut: string,
): (text: string) => void {
  let texts = 0;
  let characters = 0;
  let isFull = false;
  return (text) => {
    if (isFull) return;
    texts++;
    characters += text.length;
    isFull = texts > most.texts || characters > most.characters;
    say(isFull ? leftOut : text);
  };
}

/** Splits a stream of bytes into non-empty lines. A line longer than `longest` bytes is passed on as undefined. */
export function lineSplitter(longest: number, onLine: (line: Uint8Array | undefined) => void) {
  let parts: Uint8Array[] = [];
  let length = 0;

  const take = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length <= longest) parts.push(bytes);
    else parts = [];
  };
  const end = () => {
    if (length > longest) onLine(undefined);
    else if (length > 0) onLine(withoutReturn(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
    parts = [];
    length = 0;
  };

  return {
    push(chunk: Uint8Array) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        take(chunk.subarray(from, at));
        end();
        from = at + 1;
      }
      // A copy, so that the large chunk can be freed.
      take(chunk.slice(from));
    },
    end,
  };
}

const NEWLINE = 10;
const RETURN = 13;

function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
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

/** "a review is running" → "A review is running." */
export function sentence(text: string): string {
  const whole = capitalized(text).trimEnd();
  return /[.!?。！？…]$/.test(whole) ? whole : `${whole}.`;
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** Text as one line, without control characters and invisible ones. */
export function oneLine(text: string): string {
  // Most text is one already, and this expression takes less time to compile.
  return /[^ -~]|^ | {2}| $/.test(text) ? text.replaceAll(/[\s\p{C}]+/gu, " ").trim() : text;
}

/** The same, cut if it is too long, but not within a character. */
export function shortLine(text: string, longest: number): string {
  const line = oneLine(text);
  return line.length > longest ? `${line.slice(0, longest).replace(/[\ud800-\udbff]$/, "")}…` : line;
}

/** The beginning of a text that is wider than `width` columns. */
export function cutToWidth(text: string, width: number): string {
  if (Bun.stringWidth(text) <= width) return text;
  if (width < 1) return "";
  const kept = Bun.sliceAnsi(text, 0, width - 1);
  // A wide character that fits only by half is included.
  return `${(Bun.stringWidth(kept) < width ? kept : Bun.sliceAnsi(text, 0, width - 2)).trimEnd()}…`;
}

/**
 * Text of an agent, a reviewer or a file, for the screen: without codes that move the cursor, change colours or titles, or
 * reorder what is shown.
 */
export function printable(text: string): string {
  return Bun.stripANSI(text)
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, "");
}
