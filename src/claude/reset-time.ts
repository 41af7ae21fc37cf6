/** When a limit ends, if an error's text says so, and if that is still to come. */
export function resetTime(text: string, now: Date): Date | undefined {
  const found = seconds(text) ?? timestamp(text) ?? clock(text, now) ?? duration(text, now);
  const isPlausible = found !== undefined && found > now.getTime() && found - now.getTime() < LONGEST_WAIT_MS;
  return isPlausible ? new Date(found) : undefined;
}

const SECOND = 1_000;
const DAY = 24 * 3_600 * SECOND;
/** No plan has a longer period. */
const LONGEST_WAIT_MS = 32 * DAY;

/** "Claude AI usage limit reached|1762952400", "X-RateLimit-Reset":"1762952400000" */
function seconds(text: string): number | undefined {
  const [, digits] = /(?:\||RateLimit-Reset\W{1,5}|resets?_at\W{1,5})(\d{10}(?:\d{3})?)(?!\d)/i.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return Number(digits) * (digits.length === 10 ? SECOND : 1);
}

/** "resets at 2026-05-15T15:00:00Z", "将在 2026-08-25 07:41:44 重置" */
function timestamp(text: string): number | undefined {
  if (!/reset|refresh|重置|恢复|刷新/i.test(text)) return undefined;
  const found = /(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d)?(?:\.\d+)? ?(Z|UTC|[+-]\d\d:?\d\d)?/.exec(text);
  if (found === null) return undefined;
  const [, date, time, rest = ":00", zone = CHINA] = found;
  const at = Date.parse(`${date}T${time}${rest}${zone === "UTC" ? "Z" : zone}`);
  return Number.isNaN(at) ? undefined : at;
}

/** GLM gives its times without a zone, in English too, and means this one. */
const CHINA = "+08:00";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

const CLOCK = new RegExp(
  [
    "\\bresets?(?: at| on)? +",
    `(?:(${MONTHS.join("|")})[a-z]* +(\\d{1,2})(?:, *\\d{4})?,? +(?:at +)?)?`,
    "(\\d{1,2})(?::(\\d\\d))?(?: ?(am|pm))?(?: ?\\(([\\w/+-]+)\\)| (UTC|GMT))?",
  ].join(""),
  "i",
);

/** "resets 2:30pm (Europe/Berlin)", "resets Jul 11 at 12pm (Asia/Singapore)", "Resets at 10:00 UTC" */
function clock(text: string, now: Date): number | undefined {
  const found = CLOCK.exec(text);
  if (found === null) return undefined;
  const [, month, day, hours, minutes, half, named, utc] = found;
  if (half === undefined && minutes === undefined) return undefined;
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === "pm" ? 12 : 0);
  const zone = named ?? utc;
  const today = wallClock(now.getTime(), zone);
  if (today === undefined) return undefined;
  const onDay = (add: number) => {
    const wanted = new Date(today);
    if (month !== undefined) wanted.setUTCMonth(MONTHS.indexOf(month.toLowerCase()), Number(day));
    wanted.setUTCHours(hour, Number(minutes ?? 0), 0, 0);
    if (month === undefined) wanted.setUTCDate(wanted.getUTCDate() + add);
    else wanted.setUTCFullYear(wanted.getUTCFullYear() + add);
    return instant(wanted.getTime(), zone);
  };
  const next = onDay(0);
  return next > now.getTime() ? next : onDay(1);
}

/** The time that a clock shows in a zone, as if it were UTC; by default in the zone of this machine. */
function wallClock(at: number, zone: string | undefined): number | undefined {
  try {
    const format = new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" });
    return Date.parse(`${format.format(at).replace(" ", "T")}Z`);
  } catch {
    // Not the name of a zone.
    return undefined;
  }
}

/** When a clock in the zone shows this time. */
function instant(shown: number, zone: string | undefined): number {
  const offsetAt = (at: number) => (wallClock(at, zone) ?? at) - at;
  const close = shown - offsetAt(shown);
  return shown - offsetAt(close);
}

const UNITS = [
  ["d", DAY],
  ["天", DAY],
  ["h", 3_600 * SECOND],
  ["小", 3_600 * SECOND],
  ["m", 60 * SECOND],
  ["分", 60 * SECOND],
  ["s", SECOND],
  ["秒", SECOND],
] as const;

const UNIT = "(?:days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)\\b";
const DURATION = new RegExp(
  `(?:again|retry|resets?|wait)(?: in| after|-after)?:? *((?:\\d+ ?${UNIT}[, ]*(?:and )?)+)|((?:\\d+ ?(?:天|小时|分钟|秒钟?))+) ?[之以]?后`,
  "i",
);

/** "try again in 5 days 22 hours 11 minutes", "retry after 30s", "请 30 秒后重试" */
function duration(text: string, now: Date): number | undefined {
  const [, english, chinese] = DURATION.exec(text) ?? [];
  const parts = (english ?? chinese ?? "").matchAll(/(\d+) ?([a-z天小分秒])/gi);
  const waits = [...parts].map(
    ([, count, unit = ""]) => Number(count) * (UNITS.find(([name]) => name === unit.toLowerCase())?.[1] ?? 0),
  );
  return waits.length === 0 ? undefined : now.getTime() + waits.reduce((sum, each) => sum + each, 0);
}
