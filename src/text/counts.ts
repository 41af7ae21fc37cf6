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
