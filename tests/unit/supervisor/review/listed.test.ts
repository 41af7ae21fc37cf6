import { expect, test } from "bun:test";
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

test("the room is counted in bytes, so that no language gets more of it", () =>
  expect(Buffer.byteLength(listed(["字".repeat(9_000)], 3_000))).toBeLessThan(3_200));
