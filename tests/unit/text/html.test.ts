import { describe, expect, test } from "bun:test";
import { clipped, shownText } from "../../../src/text/file-names.ts";
import { html } from "../../../src/text/html.ts";

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
  expect(clipped("12345 7", 6)).toBe("12345\n[… 1 more characters …]");
});
