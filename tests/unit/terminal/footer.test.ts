import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import fc from "fast-check";
import { createFooter } from "../../../src/terminal/footer.ts";

describe("the input line", () => {
  /** What is visible of a line, in a number of columns: what is before the cursor, and what is behind it. */
  function drawn(before: string, after: string, room: number) {
    const written: string[] = [];
    const footer = createFooter({
      env: {},
      stderr: (text) => written.push(text),
      isTerminal: () => true,
      columns: () => room + 1,
      now: () => new Date(),
    });
    footer.edit({ label: "", line: { before, after }, hint: "", queued: 0 });
    const [left = "", right = ""] = written
      .join("")
      .replace(NO_WRAP, "")
      .replace(`\u001b8${WRAP}`, "")
      .split("\u001b7");
    return { before: left, after: right === EMPTY_HINT ? "" : right };
  }
  const [NO_WRAP, WRAP] = ["\u001b[?7l", "\u001b[?7h"] as const;
  const EMPTY_HINT = "\u001b[2m\u001b[22m";

  /** The same with | as the cursor. */
  function visible(line: string, room: number): string {
    const [before = "", after = ""] = line.split("|");
    const shown = drawn(before, after, room);
    return `${shown.before}|${shown.after}`;
  }

  const TABLE: [name: string, line: string, room: number, expected: string][] = [
    ["nothing", "|", 10, "|"],
    ["what fits", "abc|def", 10, "abc|def"],
    ["the last column is for the cursor", "abcdefghi|", 10, "abcdefghi|"],
    ["a long line ends at the cursor", "abcdefghijkl|", 10, "…efghijkl|"],
    ["wide characters take two columns", "一二三四五六|", 10, "…三四五六|"],
    ["a wide character that fits by half is left out", "一二三四五六|", 9, "…四五六|"],
    ["a cursor in the middle", "abcdefghijkl|mnopqrstuvwx", 13, "…efghijkl|mn…"],
    ["a cursor at the start", "|abcdefghijkl", 10, "|abcdefgh…"],
    ["a line break is a sign", "a\nb|", 10, "a↵b|"],
    ["a tab is a space", "a\tb|", 10, "a b|"],
    ["hardly any room", "abc|def", 1, "…|"],
  ];

  test.each(TABLE)("%s", (_, line, room, expected) => expect(visible(line, room)).toBe(expected));

  test("at 60 columns, the visible part fits, and is the part at the cursor", () => {
    const characters = fc.constantFrom("a", " ", "中", "👍", "👨‍👩‍👧", "e\u0301", "\n");
    fc.assert(
      fc.property(fc.array(characters, { maxLength: 200 }), fc.nat(200), (all, at) => {
        const [before, after] = [all.slice(0, at).join(""), all.slice(at).join("")];
        const shown = drawn(before, after, 58);
        expect(Bun.stringWidth(shown.before) + Bun.stringWidth(shown.after)).toBeLessThan(58);
        expect(before.replaceAll("\n", "↵")).toEndWith(shown.before.replace(/^…/, ""));
        expect(after.replaceAll("\n", "↵")).toStartWith(shown.after.replace(/…$/, ""));
        if (before !== "") expect(shown.before).not.toBe("");
      }),
    );
  });

  test("a large paste takes no time", () => {
    const startedAt = performance.now();
    expect(visible(`${"中".repeat(500_000)}|`, 10)).toBe("…中中中中|");
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

describe("footer", () => {
  function newFooter({ env = {}, terminal = 2 } = {}) {
    const written: string[] = [];
    const footer = createFooter({
      env,
      stderr: (text) => written.push(text),
      isTerminal: (fd) => fd === terminal,
      columns: () => 40,
      now: () => new Date(),
    });
    return { footer, written };
  }

  describe("while something is going on", () => {
    beforeEach(() => {
      jest.useFakeTimers({ now: 0 });
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    test("its time continues every second", () => {
      const { footer, written } = newFooter();
      footer.start("working");
      jest.advanceTimersByTime(2_000);
      footer.stop();
      expect(written.join("")).toMatch(/working 0 s.*working 1 s.*working 2 s/s);
    });

    test("a minute and more is not counted in seconds", () => {
      const { footer, written } = newFooter();
      footer.start("working");
      jest.advanceTimersByTime(65_000);
      footer.stop();
      expect(written.join("")).toMatch(/working 59 s.*working 1m[^ ].*working 1m 5s/s);
    });

    test("nothing is drawn as long as the rows are hidden", () => {
      const { footer, written } = newFooter();
      footer.start("working");
      footer.hide();
      const before = written.length;
      jest.advanceTimersByTime(3_000);
      expect(written).toHaveLength(before);
      footer.redraw();
      expect(written.at(-1)).toContain("working 3 s");
      footer.stop();
    });

    test("no timer runs after the end, or where only lines can be printed", () => {
      const { footer } = newFooter();
      footer.start("working");
      footer.start("still working");
      expect(jest.getTimerCount()).toBe(1);
      footer.stop();
      newFooter({ terminal: 1 }).footer.start("working");
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  test.each([
    [{}, true],
    [{ NO_COLOR: "1" }, false],
    [{ TERM: "dumb" }, false],
  ])("a terminal with %j is animated: %j", (env, expected) => {
    expect(newFooter({ env }).footer.isAnimated).toBe(expected);
    expect(newFooter({ env, terminal: 1 }).footer.isAnimated).toBe(false);
  });
});
