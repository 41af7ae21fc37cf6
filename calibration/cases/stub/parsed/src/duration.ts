/** Milliseconds of a duration such as "90s", "15m" or "1h30m". */
export function parseDuration(text: string): number {
  const found = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?$/.exec(text);
  if (text === "" || found === null) throw new Error(`not a duration: "${text}"`);
  const [hours, minutes, seconds] = found.slice(1).map((part) => Number(part ?? 0));
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
