import { expect, test } from "bun:test";
import { printable } from "../../../src/text/printable.ts";

const TABLE: [name: string, text: string, expected: string][] = [
  ["ordinary text", "a\tb\n中文 👨‍👩‍👧 e\u0301", "a\tb\n中文 👨‍👩‍👧 e\u0301"],
  ["colours and cursor movement", "a\u001b[31mb\u001b[2Jc\u001b[1;1Hd", "abcd"],
  ["a title and a notification", "a\u001b]0;title\u0007b\u001b]9;hello\u001b\\c", "abc"],
  ["single control characters", "a\u0000\u0007\b\u007f\u0084b", "ab"],
  ["line ends of Windows and returns that would overwrite a line", "a\r\nb\rc", "a\nb\nc"],
  ["codes that reverse what is shown", "a\u202eb\u2066c", "abc"],
];

for (const [name, text, expected] of TABLE) test(`printable: ${name}`, () => expect(printable(text)).toBe(expected));
