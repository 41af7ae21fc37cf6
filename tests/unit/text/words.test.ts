import { describe, expect, test } from "bun:test";
import {
  counted,
  nearest,
  sentence,
  shortCount,
  shortDuration,
  shortTokens,
  shownDuration,
  shownTime,
  wholePercent,
} from "../../../src/text/words.ts";

describe("counts", () => {
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
});

describe("duration", () => {
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
});

test.each([
  ["a review is running", "A review is running."],
  ["Is it done? ", "Is it done?"],
  ["完成。", "完成。"],
  ["wait…", "Wait…"],
])("%p as a sentence: %p", (text, whole) => expect(sentence(text)).toBe(whole));

describe("nearest", () => {
  describe("what was meant by", () => {
    const table: [word: string, candidates: string[], meant: string | undefined, why: string][] = [
      ["GLM", ["kimi", "glm"], "glm", "case does not count"],
      ["gm", ["glm"], "glm", "a letter left out"],
      ["gllm", ["glm"], "glm", "a letter too many"],
      ["gxm", ["glm"], "glm", "a wrong letter"],
      ["lgm", ["glm"], "glm", "two letters swapped at the start"],
      ["gml", ["glm"], "glm", "two letters swapped at the end"],
      ["caxy", ["abxy"], undefined, "two letters that are not swapped are two mistakes"],
      ["bcxy", ["abxy"], undefined, "nor are these"],
      ["cdxy", ["abxy"], undefined, "two wrong letters"],
      ["kimmy", ["kimi"], undefined, "two mistakes are too many for a short name"],
      ["quenz", ["qwens"], undefined, "also for one of five letters"],
      ["clad", ["claude"], "claude", "but not for one of six"],
      ["clad", ["claudeX"], undefined, "three are always too many"],
      ["gl", ["go"], undefined, "a name of two letters must be right"],
      ["og", ["go"], undefined, "and in order"],
      ["GO", ["go"], "go", "which it is here"],
      ["bat", ["cat", "hat"], "cat", "the first of equally good ones"],
      ["cat", ["bat", "cat"], "cat", "the best one"],
      ["", ["glm"], undefined, "nothing means nothing"],
    ];
    test.each(table)("%p, if there are %j: %p (%s)", (word, candidates, meant) => {
      expect(nearest(word, candidates)).toBe(meant);
    });

    test("the caller can allow fewer mistakes", () => {
      expect(nearest("clade", ["claude"], () => 1)).toBe("claude");
      expect(nearest("clad", ["claude"], () => 1)).toBeUndefined();
    });
  });
});
