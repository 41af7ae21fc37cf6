import { describe, expect, test } from "bun:test";
import { listed } from "../../../../src/supervisor/review/listed.ts";

test("texts that fit are listed word for word", () =>
  expect(listed(["one\ntwo", " three "], 1_000)).toBe("1. one\ntwo\n\n2. three"));

test("the oldest texts are shortened first", () => {
  const text = listed(["a".repeat(3_000), "b".repeat(3_000), "c".repeat(3_000)], 5_000);
  expect(text).toContain("c".repeat(3_000));
  expect(text).not.toContain("a".repeat(3_000));
  expect(text).toContain("aaaa");
  expect(Buffer.byteLength(text)).toBeLessThan(6_000);
});

describe("of more than a hundred texts", () => {
  const numbers = (count: number) =>
    listed(
      Array.from({ length: count }, () => "x"),
      100_000,
    )
      .split("\n\n")
      .map((line) => line.replace(". x", ""));
  const all = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => `${from + at}`);
  test("the first and the last are listed, by their own numbers", () => {
    expect(numbers(100)).toEqual(all(1, 100));
    expect(numbers(101)).toEqual([...all(1, 10), "[… 1 more is left out here …]", ...all(12, 101)]);
    expect(numbers(150)).toEqual([...all(1, 10), "[… 50 more are left out here …]", ...all(61, 150)]);
  });
});

test("the room is counted in bytes, so that no language gets more of it", () =>
  expect(Buffer.byteLength(listed(["字".repeat(9_000)], 3_000))).toBeLessThan(3_200));
