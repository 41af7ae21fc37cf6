import { expect, test } from "bun:test";
import { oneLine, shortLine } from "../../../src/text/one-line.ts";

test("a text becomes one line without invisible characters", () =>
  expect(oneLine(" a\n\tb\u001b[31m\u202ec \r\n")).toBe("a b [31m c"));

test.each([
  ["12345", "12345"],
  ["123456", "12345…"],
  ["1234😀", "1234…"],
  [" 1\n2 3 ", "1 2 3"],
])("%p in five characters: %p", (text, shown) => expect(shortLine(text, 5)).toBe(shown));
