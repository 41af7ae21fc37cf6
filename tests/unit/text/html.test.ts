import { describe, expect, test } from "bun:test";
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
