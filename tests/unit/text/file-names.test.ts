import { expect, test } from "bun:test";
import { nameBytes, nameFromBytes, shownName } from "../../../src/text/file-names.ts";

const cases: [name: string, bytes: number[] | string, shown: string][] = [
  ["plain", "src/a b.ts", "src/a b.ts"],
  ["letters of all languages and emoji", "ä/文/😀\u{10080}", "ä/文/😀\u{10080}"],
  ["a byte order mark", "\uFEFFa", "\\u{feff}a"],
  ["the replacement character itself", "\uFFFD", "\uFFFD"],
  ["newlines, tabs and control characters", "a\n\n\r\tb\u001b[31m", "a\\n\\n\\r\\tb\\u{1b}[31m"],
  ["letters that turn the direction around", "a\u202Etxt.exe", "a\\u{202e}txt.exe"],
  ["Latin-1", [0x61, 0xe4, 0x2e, 0x74], "a\\xe4.t"],
  ["Latin-1 beside UTF-8", [0xc3, 0xa4, 0xff, 0xe6, 0x96, 0x87, 0xfe], "ä\\xff文\\xfe"],
  ["UTF-8 at the ends of its ranges", [0xff, 0xc2, 0xa9, 0xc3, 0x80, 0xe6, 0x96, 0x80], "\\xff©À斀"],
  ["a character with a letter in it", [0xe6, 0x96, 0x41], "\\xe6\\x96A"],
  ["a character with the beginning of another in it", [0xe6, 0x96, 0xc0], "\\xe6\\x96\\xc0"],
  ["a character cut off", [0xe6, 0x96], "\\xe6\\x96"],
  ["one that is longer than it needs to be", [0xc0, 0xaf], "\\xc0\\xaf"],
  ["a surrogate in UTF-8", [0xed, 0xb2, 0x80], "\\xed\\xb2\\x80"],
  ["beyond Unicode", [0xf4, 0x90, 0x80, 0x80, 0xf5], "\\xf4\\x90\\x80\\x80\\xf5"],
];
for (const [name, content, shown] of cases) {
  test(`a file name: ${name}`, () => {
    const bytes = Buffer.from(content);
    const text = nameFromBytes(bytes);
    expect([...(nameBytes(text) ?? Buffer.from(text))]).toEqual([...bytes]);
    expect(nameBytes(text) === undefined).toBe(typeof content === "string");
    expect(shownName(text)).toBe(shown);
  });
}
