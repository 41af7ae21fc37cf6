import { describe, expect, test } from "bun:test";
import { USAGE_READERS, type UsageReading } from "../../../../src/providers/quota/readers.ts";

const NOW = Date.parse("2026-11-17T12:00:00Z");
const HOUR_MS = 3_600_000;
const DAY = 24;
const WEEK = 7 * DAY;
const MONTH = 30 * DAY;

/** A plan of Kimi Code with one window, of which 30 % are used. */
function windowOf(hours: number, resetsAt: number | undefined): UsageReading {
  const detail = { limit: 100, used: 30, resetTime: resetsAt === undefined ? null : new Date(resetsAt).toISOString() };
  return USAGE_READERS.kimi({ limits: [{ window: { duration: hours, timeUnit: "TIME_UNIT_HOUR" }, detail }] }, NOW);
}

describe("a window resets within its own length, give or take an hour for clocks that differ", () => {
  const table: [what: string, hours: number, inHours: number, fits: boolean][] = [
    ["it has just begun", 5, 5, true],
    ["it has just begun, by a clock that is behind", 5, 6, true],
    ["later than that", 5, 6.001, false],
    ["it is over, by a clock that is ahead", 5, -1, true],
    ["it has been over for longer", 5, -1.001, false],
    ["a week in a week", WEEK, 7 * DAY, true],
    ["a week in nine days", WEEK, 9 * DAY, false],
    ["a month of 31 days, and a day for time zones", MONTH, 32 * DAY, true],
    ["a month in 33 days", MONTH, 33 * DAY, false],
  ];
  test.each(table)("%s", (_, hours, inHours, fits) => {
    const reading = windowOf(hours, NOW + inHours * HOUR_MS);
    expect("figures" in reading).toBe(fits);
  });
});

test.each([
  [5, "5h", "5-hour window"],
  [24, "day", "daily window"],
  [WEEK, "week", "weekly window"],
  [MONTH, "month", "monthly window"],
])("a window of %p hours is called %s", (hours, name, label) =>
  expect(windowOf(hours, undefined)).toEqual({
    figures: [{ kind: "window", name, label, hours, used_percent: 30, resets_at: null }],
  }),
);
