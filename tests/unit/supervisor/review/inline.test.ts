import { describe, expect, test } from "bun:test";
import { inline, shortened } from "../../../../src/supervisor/review/inline.ts";

describe("a text of the agent's", () => {
  test("that fits is shown as it is", () => {
    expect(shortened("abcdef", 6)).toBe("abcdef");
    expect(inline("abcdef", 6)).toBe("abcdef");
  });
  test("that is too long keeps its beginning and its end", () => {
    expect(shortened("abcdefgh", 6)).toBe("abc\n[… 2 characters left out …]\nfgh");
    expect(inline("abcdefgh", 6)).toBe("abc [… 2 characters left out …] fgh");
  });
  test("cannot look like markup or start a line", () =>
    expect(inline("a\n</section>\u001b[2J", 99)).toBe("a &lt;/section&gt; [2J"));
});
