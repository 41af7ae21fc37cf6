import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  counted,
  cutToWidth,
  limited,
  lineSplitter,
  nearest,
  oneLine,
  printable,
  shortCount,
  shortDuration,
  shortLine,
  shortTokens,
  shownDuration,
  shownTime,
  wholePercent,
  wholeSeconds,
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

  test.each([
    [0, 0],
    [0.04, 1],
    [1.4, 1],
    [41.5, 42],
  ])("%d seconds of work count as %d", (seconds, counted) => expect(wholeSeconds(seconds)).toBe(counted));
});

describe("limited", () => {
  test("passes on texts up to the limit of texts or characters, then says once that there was more", () => {
    const said: string[] = [];
    const say = limited((text) => said.push(text), { texts: 2, characters: 100 }, "more");
    for (const text of ["a", "b", "c", "d"]) say(text);
    expect(said).toEqual(["a", "b", "more"]);

    said.length = 0;
    const brief = limited((text) => said.push(text), { texts: 100, characters: 3 }, "more");
    for (const text of ["ab", "c", "d", "e"]) brief(text);
    expect(said).toEqual(["ab", "c", "more"]);
  });
});

describe("lines", () => {
  function split(text: string, cuts: readonly number[], longest = 1000) {
    const lines: (string | undefined)[] = [];
    const splitter = lineSplitter(longest, (line) => lines.push(line && new TextDecoder().decode(line)));
    const bytes = new TextEncoder().encode(text);
    let from = 0;
    for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
      splitter.push(bytes.subarray(from, cut));
      from = cut;
    }
    splitter.end();
    return lines;
  }

  test("lines end in \\n or \\r\\n, the last may be unterminated, and empty ones are skipped", () => {
    expect(split("a\nb\r\n\nc", [])).toEqual(["a", "b", "c"]);
  });
  test("a line that is too long is undefined, and the next is not", () => {
    expect(split(`${"x".repeat(30)}\nok\n${"y".repeat(30)}`, [5, 10, 35], 20)).toEqual([undefined, "ok", undefined]);
  });
  test("a line of exactly that length is not too long", () => {
    const longest = "x".repeat(20);
    expect(split(`${longest}\n${longest}x\n${longest}`, [], 20)).toEqual([longest, undefined, longest]);
  });
  test("property: how the bytes arrive makes no difference", () => {
    const text = fc.array(fc.string({ unit: "grapheme" }).map((line) => line.replaceAll(/[\r\n]/g, "")));
    fc.assert(
      fc.property(text, fc.array(fc.nat()), (lines, cuts) => {
        expect(split(lines.join("\n"), cuts)).toEqual(lines.filter((line) => line !== ""));
      }),
    );
  });
});

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

describe("one line", () => {
  test("a text becomes one line without invisible characters", () =>
    expect(oneLine(" a\n\tb\u001b[31m\u202ec \r\n")).toBe("a b [31m c"));
  test.each(["", " ", "a", " a", "a ", "a b", "a  b", "a\tb", "a~!b", "a\u007fb", "é b", "é  b"])("%p", (text) =>
    expect(oneLine(text)).toBe(text.replaceAll(/[\s\p{C}]+/gu, " ").trim()),
  );

  test.each([
    ["12345", "12345"],
    ["123456", "12345…"],
    ["1234😀", "1234…"],
    [" 1\n2 3 ", "1 2 3"],
  ])("%p in five characters: %p", (text, shown) => expect(shortLine(text, 5)).toBe(shown));
});

describe("printable", () => {
  const TABLE: [name: string, text: string, expected: string][] = [
    ["ordinary text", "a\tb\n中文 👨‍👩‍👧 e\u0301", "a\tb\n中文 👨‍👩‍👧 e\u0301"],
    ["colours and cursor movement", "a\u001b[31mb\u001b[2Jc\u001b[1;1Hd", "abcd"],
    ["a title and a notification", "a\u001b]0;title\u0007b\u001b]9;hello\u001b\\c", "abc"],
    ["single control characters", "a\u0000\u0007\b\u007f\u0084b", "ab"],
    ["line ends of Windows and returns that would overwrite a line", "a\r\nb\rc", "a\nb\nc"],
    ["codes that reverse what is shown", "a\u202eb\u2066c", "abc"],
  ];

  for (const [name, text, expected] of TABLE) test(`printable: ${name}`, () => expect(printable(text)).toBe(expected));
});

describe("cutToWidth", () => {
  const table: [text: string, width: number, expected: string][] = [
    ["the agent", 9, "the agent"],
    ["the agent", 5, "the…"],
    ["the agent", 6, "the a…"],
    ["代理人", 5, "代理…"],
    ["代理人", 4, "代…"],
    ["👨‍👩‍👧👍🏽e\u0301x", 5, "👨‍👩‍👧👍🏽…"],
    ["ab", 1, "…"],
    ["x", 0, ""],
  ];
  test.each(table)("%p in %d columns is %p", (text, width, expected) => expect(cutToWidth(text, width)).toBe(expected));
});
