import { expect, test } from "bun:test";
import fc from "fast-check";
import { lineSplitter } from "../../../src/text/lines.ts";

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
