import { expect, test } from "bun:test";
import { shortDuration, shownDuration, shownTime, wholeSeconds } from "../../../src/text/duration.ts";

test.each([
  [0, "0s"],
  [-5, "0s"],
  [0.4, "0s"],
  [59.6, "1m"],
  [61, "1m 1s"],
  [3600, "1h"],
  [3661, "1h 1m"],
  [86_399, "23h 59m"],
  [90_000, "1d 1h"],
  [86_460, "1d"],
  [700_000, "8d 2h"],
])("%d seconds: %s", (seconds, shown) => {
  expect(shownDuration(seconds)).toBe(shown);
});

test.each([
  [0.04, "1 s"],
  [41.3, "41 s"],
  [59.5, "1m"],
  [130.4, "2m10s"],
  [3_900, "1h5m"],
])("%d seconds in short: %s", (seconds, shown) => expect(shortDuration(seconds)).toBe(shown));

test("a time is shown with its zone", () => {
  expect(shownTime(Date.parse("2026-11-17T01:02:03Z") / 1000)).toBe("2026-11-17 01:02 UTC");
});

test.each([
  [0, 0],
  [0.04, 1],
  [1.4, 1],
  [41.5, 42],
])("%d seconds of work count as %d", (seconds, counted) => expect(wholeSeconds(seconds)).toBe(counted));
