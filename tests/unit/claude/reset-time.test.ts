import { describe, expect, test } from "bun:test";
import { resetTime } from "../../../src/claude/reset-time.ts";

const NOW = new Date("2026-08-24T20:00:00Z");

describe("when a limit ends", () => {
  test.each([
    ["Claude AI usage limit reached|1787616000", "2026-08-25T00:00:00Z"],
    ['"X-RateLimit-Reset":"1787616000000"', "2026-08-25T00:00:00Z"],
    ["5-hour usage limit reached, resets at 2026-08-24T23:00:00Z (2056)", "2026-08-24T23:00:00Z"],
    ["resets at 2026-08-24T23:00:00.465054Z", "2026-08-24T23:00:00Z"],
    ["resets at 2026-08-25T01:00:00+02:00", "2026-08-24T23:00:00Z"],
    ["Your limit will reset at 2026-08-25 00:35 UTC", "2026-08-25T00:35:00Z"],
    // GLM means the time in China, in both languages.
    ["Usage limit reached for 5 hour. Your limit will reset at 2026-08-25 07:41:44", "2026-08-24T23:41:44Z"],
    ["您的限额将在 2026-08-25 07:41:44 重置。", "2026-08-24T23:41:44Z"],
    ["You've hit your session limit · resets 6pm (America/Bogota)", "2026-08-24T23:00:00Z"],
    ["resets 2:30pm (Pacific/Auckland)", "2026-08-25T02:30:00Z"],
    ["resets 12:50am (America/Los_Angeles)", "2026-08-25T07:50:00Z"],
    ["resets 12am (UTC)", "2026-08-25T00:00:00Z"],
    // Already past today.
    ["Your limit will reset at 3pm (America/Bogota).", "2026-08-25T20:00:00Z"],
    ["resets Sep 1 at 12pm (Asia/Singapore)", "2026-09-01T04:00:00Z"],
    ["resets Sep 1, 5am (Asia/Singapore)", "2026-08-31T21:00:00Z"],
    ["Free quota used. Resets at 22:00 UTC. Top up", "2026-08-24T22:00:00Z"],
    ["or try again in 5 days 22 hours 11 minutes.", "2026-08-30T18:11:00Z"],
    ["please try again after 1 seconds", "2026-08-24T20:00:01Z"],
    ["Please retry after 30s", "2026-08-24T20:00:30Z"],
    ["try again in 31 days", "2026-09-24T20:00:00Z"],
    ["resets in 1h 30m", "2026-08-24T21:30:00Z"],
    ["请 30 秒后重试", "2026-08-24T20:00:30Z"],
  ])("%s", (text, end) => expect(resetTime(text, NOW)).toEqual(new Date(end)));

  test("without a zone it is the time on this machine", () => {
    const end = resetTime("5-hour limit reached ∙ resets 2am", NOW);
    expect(end?.getHours()).toBe(2);
    expect(end?.getMinutes()).toBe(0);
  });

  test("with a zone it is the same on every machine", () => {
    const { TZ } = process.env;
    process.env.TZ = "Asia/Tokyo";
    try {
      expect(resetTime("Resets at 22:00 UTC.", NOW)).toEqual(new Date("2026-08-24T22:00:00Z"));
      expect(resetTime("resets 2am", NOW)).toEqual(new Date("2026-08-25T17:00:00Z"));
    } finally {
      if (TZ === undefined) delete process.env.TZ;
      else process.env.TZ = TZ;
    }
  });

  test("in a new year", () => {
    const end = resetTime("resets Jan 2 at 1am (UTC)", new Date("2026-12-30T10:00:00Z"));
    expect(end).toEqual(new Date("2027-01-02T01:00:00Z"));
  });
});

describe("a text that does not say", () => {
  test.each([
    "You've reached your weekly (7-day) usage limit. Your quota will reset when the current 7-day window ends.",
    "This request would exceed your account's rate limit. Please try again later.",
    "Usage limit reached for 5 hour.",
    "resets 3",
    "resets 3pm (Nowhere/AtAll)",
    "your limit will reset at 2026-13-45 99:99:99",
    // Over, or further away than any plan's period.
    "Your limit will reset at 2026-08-20 12:00:00",
    "Your limit will reset at 2026-08-24T20:00:00Z",
    "Your limit will reset at 2031-08-20 12:00:00",
    "try again in 32 days",
    "the request of 2026-08-24T23:00:00Z failed",
    "",
  ])("%s", (text) => expect(resetTime(text, NOW)).toBeUndefined());
});
