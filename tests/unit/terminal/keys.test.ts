import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { keyReader } from "../../../src/terminal/keys.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
/** Keys as words, text as it is. */
const read = (...chunks: string[]) => {
  const reader = keyReader();
  return chunks.flatMap((chunk) => reader(bytes(chunk))).map((key) => (key.kind === "text" ? key : key.kind));
};
const text = (value: string) => ({ kind: "text", text: value }) as const;

const TABLE: [name: string, chunks: string[], keys: unknown[]][] = [
  ["text", ["héllo 中文 👍🏽"], [text("héllo 中文 👍🏽")]],
  ["text and Enter", ["a\r"], [text("a"), "enter"]],
  ["Enter as a line feed", ["\n"], ["enter"]],
  [
    "editing keys",
    ["\u007f\b\u0015\u0017\u000b\u0001\u0005"],
    ["backspace", "backspace", "erase-before", "erase-word", "erase-after", "home", "end"],
  ],
  ["Ctrl-C, Ctrl-D, Ctrl-Z, Ctrl-L", ["\u0003\u0004\u001a\u000c"], ["interrupt", "end-of-input", "suspend", "redraw"]],
  ["arrows in both keypad modes", ["\u001b[D\u001b[C\u001bOD\u001bOC"], ["left", "right", "left", "right"]],
  ["Shift and an arrow", ["\u001b[1;2D"], ["left"]],
  [
    "Ctrl or Alt and an arrow",
    ["\u001b[1;5D\u001b[1;3C\u001bb\u001bf"],
    ["word-left", "word-right", "word-left", "word-right"],
  ],
  ["Home, End, Delete", ["\u001b[H\u001b[F\u001b[1~\u001b[4~\u001b[3~"], ["home", "end", "home", "end", "delete"]],
  ["Alt and Enter begins a line", ["\u001b\r"], [text("\n")]],
  ["keys that edit nothing", ["\u001b[A\u001b[B\u001b[15~\u001b[Z\u001bx\u0000\u0007"], []],
  ["a sequence in two chunks", ["\u001b[", "D", "\u001b", "[C"], ["left", "right"]],
  ["Escape, then text", ["\u001b", "OK"], [text("OK")]],
  [
    "a marked paste of several lines",
    ["\u001b[200~one\rtwo\r\nthree\n\u001b[201~\r"],
    [text("one\ntwo\nthree\n"), "enter"],
  ],
  [
    "a marked paste in chunks",
    ["\u001b[20", "0~one\r", "two\u001b[2", "01~", "x"],
    [text("one\n"), text("two"), text("x")],
  ],
  ["a marked paste that is cut in its first byte", ["\u001b[200~one\u001b", "[201~x"], [text("one"), text("x")]],
  ["control characters in a paste", ["\u001b[200~a\u0003\u001b[31mb\tc\u001b[201~"], [text("a[31mb\tc")]],
  ["an unmarked paste of several lines", ["one\rtwo\r"], [text("one\ntwo"), "enter"]],
];

describe("keyReader", () => {
  for (const [name, chunks, keys] of TABLE) test(name, () => expect(read(...chunks)).toEqual(keys as never));

  test("a character whose bytes arrive one by one", () => {
    const reader = keyReader();
    expect([...bytes("中")].flatMap((byte) => reader(Uint8Array.of(byte)))).toEqual([text("中")]);
  });

  test("text has no control characters except tab and line break", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (chunks) => {
        for (const key of read(...chunks)) {
          if (typeof key !== "string") expect(key.text).not.toMatch(/[^\P{Cc}\n\t]/u);
        }
      }),
    );
  });
});
