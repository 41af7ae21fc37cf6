import { describe, expect, test } from "bun:test";
import { clipped, html, oneLine, printable, shownText } from "../../../src/text/shown.ts";

describe("printable", () => {
  const TABLE: [name: string, text: string, expected: string][] = [
    ["ordinary text", "a\tb\n中文 👨‍👩‍👧 e\u0301", "a\tb\n中文 👨‍👩‍👧 e\u0301"],
    ["colours and cursor movement", "a\u001b[31mb\u001b[2Jc\u001b[1;1Hd", "abcd"],
    ["a title and a notification", "a\u001b]0;title\u0007b\u001b]9;hello\u001b\\c", "abc"],
    ["single control characters", "a\u0000\u0007\b\u007f\u0084b", "ab"],
    ["line ends of Windows and returns that would overwrite a line", "a\r\nb\rc", "a\nb\nc"],
    ["codes that reverse what is shown", "a\u202eb\u2066c", "abc"],
  ];

  for (const [name, text, expected] of TABLE) test(name, () => expect(printable(text)).toBe(expected));
});

describe("shownText", () => {
  const table: [text: string, shown: string][] = [
    ["lines\n\tand tabs stay", "lines\n\tand tabs stay"],
    ["windows\r\nlines", "windows\nlines"],
    ["\u001b[31mred", "\\u{1b}[31mred"],
    ["a\u202ebidi\u2066", "a\\u{202e}bidi\\u{2066}"],
    ["👩‍💻 你好 é", "👩‍💻 你好 é"],
  ];
  for (const [text, shown] of table) test(JSON.stringify(text), () => expect(shownText(text)).toBe(shown));
});

test("a text that is too long says how much is missing", () => {
  expect(clipped("12345", 5)).toBe("12345");
  expect(clipped("12345 7", 6)).toBe("12345\n[… 1 more character …]");
  expect(clipped("12345😀7", 6)).toBe("12345\n[… 2 more characters …]");
});

describe("one line", () => {
  test("a text becomes one line without invisible characters", () =>
    expect(oneLine(" a\n\tb\u001b[31m\u202ec \r\n")).toBe("a b c"));
  test.each(["", " ", "a", " a", "a ", "a b", "a  b", "a\tb", "a~!b", "a\u007fb", "é b", "é  b"])("%p", (text) =>
    expect(oneLine(text)).toBe(text.replaceAll(/[\s\p{C}]+/gu, " ").trim()),
  );

  test.each([
    ["12345", "12345"],
    ["123456", "12345…"],
    ["1234😀", "1234…"],
    [" 1\n2 3 ", "1 2 3"],
  ])("%p in five characters: %p", (text, shown) => expect(oneLine(text, 5)).toBe(shown));
});

describe("html", () => {
  const table: [name: string, value: Parameters<typeof html>[1], expected: string][] = [
    ["escapes what could be markup", `<b a="1" b='2'>&</b>`, "&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;&lt;/b&gt;"],
    ["leaves ccc's own markup alone", html`<b>${"<i>"}</b>`, "<b>&lt;i&gt;</b>"],
    ["joins lists", [html`<i></i>`, "<"], "<i></i>&lt;"],
    ["shows numbers, and nothing for undefined", 0, "0"],
    ["writes half a surrogate pair as a replacement", "\ud800", "\ufffd"],
  ];
  for (const [name, value, expected] of table) test(name, () => expect(html`${value}`.text).toBe(expected));
  test("undefined is nothing", () => expect(html`a${undefined}b`.text).toBe("ab"));
});
