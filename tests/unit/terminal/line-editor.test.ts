import { describe, expect, test } from "bun:test";
import type { Key, KeyName } from "../../../src/terminal/keys.ts";
import { EMPTY_LINE, edit } from "../../../src/terminal/line-editor.ts";

/** Text is typed; a word in an object is a key. The result has | where the cursor is. */
function after(...keys: (string | { readonly press: KeyName })[]): string {
  const line = keys
    .map((key): Key => (typeof key === "string" ? { kind: "text", text: key } : { kind: key.press }))
    .reduce(edit, EMPTY_LINE);
  return `${line.before}|${line.after}`;
}
const press = (key: KeyName) => ({ press: key });
const BACKSPACE = press("backspace");

const TABLE: [name: string, result: string, expected: string][] = [
  ["typing", after("ab", "c"), "abc|"],
  ["Backspace", after("ab", BACKSPACE), "a|"],
  ["Backspace on an empty line", after(BACKSPACE), "|"],
  ["Backspace over a Chinese character", after("中文", BACKSPACE), "中|"],
  ["Backspace over an emoji of several code points", after("a👨‍👩‍👧👍🏽", BACKSPACE, BACKSPACE), "a|"],
  ["Backspace over a flag", after("🇩🇪🇫🇷", BACKSPACE), "🇩🇪|"],
  ["Backspace over a letter with a combining accent", after("xe\u0301", BACKSPACE), "x|"],
  ["left, then typing", after("中文", press("left"), "x"), "中x|文"],
  ["left and right at the ends", after("a", press("right"), press("left"), press("left"), press("left")), "|a"],
  ["right over an emoji", after("👨‍👩‍👧b", press("home"), press("right")), "👨‍👩‍👧|b"],
  ["Delete", after("👍🏽b", press("home"), press("delete")), "|b"],
  ["Home and End", after("ab", press("home"), "x", press("end"), "y"), "xaby|"],
  ["Ctrl-U erases what is before the cursor", after("ab", press("left"), press("erase-before")), "|b"],
  ["Ctrl-K erases what is after it", after("ab", press("left"), press("erase-after")), "a|"],
  ["Ctrl-W erases a word and the spaces after it", after("one 中文  ", press("erase-word")), "one |"],
  ["Ctrl-W on an empty line", after(press("erase-word")), "|"],
  ["by words", after("one two", press("word-left"), press("word-left"), press("word-right")), "one| two"],
  ["a paste of several lines", after("a\nb", BACKSPACE, BACKSPACE), "a|"],
  ["keys that edit nothing", after("a", press("redraw"), press("suspend")), "a|"],
];

describe("edit", () => {
  for (const [name, result, expected] of TABLE) test(name, () => expect(result).toBe(expected));

  test("a line has a maximum length", () => {
    const { before } = edit(edit(EMPTY_LINE, { kind: "text", text: "x".repeat(2_000_000) }), {
      kind: "text",
      text: "y",
    });
    expect(before).toHaveLength(1_000_000);
  });
});
