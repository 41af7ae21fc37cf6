import { expect, test } from "bun:test";
import { shownUsage } from "../../../../src/commands/statusline/shown-usage.ts";
import { lastUsageText, readLastUsage } from "../../../../src/providers/usage/last-usage.ts";
import type { UsageFigure } from "../../../../src/providers/usage/usage-reading.ts";

const TIME = Date.parse("2026-11-16T12:00:00Z");
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const window = (name: string, hours: number | null, used_percent: number, resetsIn?: number): UsageFigure => ({
  kind: "window",
  name,
  label: name,
  hours,
  used_percent,
  resets_at: resetsIn === undefined ? null : new Date(TIME + resetsIn).toISOString(),
});
const money: UsageFigure = { kind: "balance", label: "balance", amount: 12.345, currency: "USD" };
const five = window("5h", 5, 37, 2 * HOUR);

test.each([
  ["the last value with its age", [five], 12 * MINUTE, "5h 37% (12m ago)"],
  ["one that was just asked for", [five], 20_000, "5h 37% (just now)"],
  ["one of this very moment", [five], 0, "5h 37% (just now)"],
  ["the first of two that are equally full", [five, window("week", 168, 37, 50 * HOUR)], MINUTE, "5h 37% (1m ago)"],
  ["what is a day old", [window("week", 168, 20, 100 * HOUR)], 24 * HOUR, "week 20% (24h ago)"],
  ["the fullest window", [five, window("week", 168, 90, 50 * HOUR)], MINUTE, "week 90% (1m ago)"],
  [
    "another one after a reset",
    [window("5h", 5, 99, HOUR), window("week", 168, 20, 50 * HOUR)],
    3 * HOUR,
    "week 20% (3h ago)",
  ],
  ["nothing after the reset", [five], 2 * HOUR, ""],
  ["nothing once a window without a reset time is over", [window("5h", 5, 37)], 5 * HOUR, ""],
  ["one without a reset time before that", [window("5h", 5, 37)], 4 * HOUR, "5h 37% (4h ago)"],
  ["a limit that never resets", [window("limit", null, 50)], 20 * HOUR, "limit 50% (20h ago)"],
  ["nothing about web tools", [window("tools", 720, 99)], MINUTE, ""],
  ["nothing that is older than a day", [window("week", 168, 20, 100 * HOUR)], 25 * HOUR, ""],
  ["nothing from the future", [five], -MINUTE, ""],
  ["a balance", [money], HOUR, "12.35 USD (1h ago)"],
  ["no balance beside windows that are over", [five, money], 3 * HOUR, ""],
  ["nothing of what was spent", [{ ...money, kind: "spent" } as const], HOUR, ""],
  ["nothing of nothing", [], MINUTE, ""],
] as const)("the status line shows %s", (_, figures, later, text) => {
  const last = readLastUsage(lastUsageText({ time: TIME, figures }));
  expect(shownUsage(last, TIME + later)).toBe(text);
});

test("a file that is not an answer shows nothing", () => {
  const odd = [
    "",
    "{",
    "[]",
    "{}",
    '{"asked_at":7,"figures":[]}',
    '{"asked_at":"x","figures":[]}',
    '{"asked_at":"2026-11-16T12:00:00Z"}',
  ];
  for (const text of odd) expect(shownUsage(readLastUsage(text), TIME)).toBe("");
  const wrong = [
    null,
    7,
    {},
    { kind: "window", name: "5h", used_percent: "37" },
    { ...five, used_percent: null },
    { ...five, name: 5 },
    { ...five, hours: "5" },
    { ...five, resets_at: TIME },
    { ...money, amount: "1" },
  ];
  const text = JSON.stringify({ asked_at: new Date(TIME).toISOString(), figures: wrong });
  expect(shownUsage(readLastUsage(text), TIME)).toBe("");
});
