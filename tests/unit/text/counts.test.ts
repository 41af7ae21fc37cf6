import { expect, test } from "bun:test";
import { counted, shortCount, shortTokens, wholePercent } from "../../../src/text/counts.ts";

test.each([
  [1, "1 token"],
  [950, "950 tokens"],
  [999, "999 tokens"],
  [1_000, "1k tokens"],
  [3_149, "3.1k tokens"],
  [9_000, "9k tokens"],
  [9_949, "9.9k tokens"],
  [9_950, "10k tokens"],
  [10_400, "10k tokens"],
  [42_400, "42k tokens"],
  [999_499, "999k tokens"],
  [999_500, "1M tokens"],
  [1_234_567, "1.2M tokens"],
  [25_000_000, "25M tokens"],
])("%d in short: %s", (count, shown) => expect(shortTokens(count)).toBe(shown));

test("a small count is not shortened", () =>
  expect([0, 1, 950, 999, 1_000].map(shortCount)).toEqual(["0", "1", "950", "999", "1k"]));

test("one thing is singular", () =>
  expect([counted(0, "review"), counted(1, "review"), counted(1_200, "token")]).toEqual([
    "0 reviews",
    "1 review",
    "1,200 tokens",
  ]));

test("only all of it is 100%, and only nothing is 0%", () =>
  expect([0, 0.2, 1.4, 1.6, 37.5, 99.7, 100].map(wholePercent)).toEqual([0, 1, 1, 2, 38, 99, 100]));
