import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import fc from "fast-check";
import { createFooter, cut, inputWindow, isAnimated, rowsTaken } from "../../../src/terminal/footer.ts";

describe("footer layout", () => {
  /** What is visible of a line with | as its cursor, in a number of columns. */
  function visible(line: string, room: number): string {
    const [before = "", after = ""] = line.split("|");
    const shown = inputWindow({ before, after }, room);
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

  describe("inputWindow", () => {
    for (const [name, line, room, expected] of TABLE) test(name, () => expect(visible(line, room)).toBe(expected));

    test("at 60 columns, the visible part fits, and is the part at the cursor", () => {
      const characters = fc.constantFrom("a", " ", "中", "👍", "👨‍👩‍👧", "e\u0301", "\n");
      fc.assert(
        fc.property(fc.array(characters, { maxLength: 200 }), fc.nat(200), (all, at) => {
          const [before, after] = [all.slice(0, at).join(""), all.slice(at).join("")];
          const shown = inputWindow({ before, after }, 58);
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

  test("a text is cut to a width", () => {
    expect([cut("the agent", 20), cut("the agent", 5), cut("代理人", 5), cut("x", 0)]).toEqual([
      "the agent",
      "the …",
      "代理…",
      "",
    ]);
  });

  describe("rowsTaken", () => {
    const cases: [name: string, widths: number[], columns: number, rows: number][] = [
      ["nothing above", [], 60, 0],
      ["one row", [20], 60, 1],
      ["an empty row", [0], 60, 1],
      ["a row that fits exactly", [30], 30, 1],
      ["a terminal that has become narrower wraps it", [59], 20, 3],
    ];
    for (const [name, widths, columns, rows] of cases) test(name, () => expect(rowsTaken(widths, columns)).toBe(rows));
  });
});

describe("footer", () => {
  function newFooter({ isAnimated = true } = {}) {
    const written: string[] = [];
    const write = (text: string) => written.push(text);
    const footer = createFooter({ write, isAnimated, columns: () => 40, now: () => new Date() });
    return { footer, written };
  }

  describe("while something is going on", () => {
    beforeEach(() => {
      jest.useFakeTimers({ now: 0 });
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    test("its time goes on every second", () => {
      const { footer, written } = newFooter();
      footer.start("working");
      jest.advanceTimersByTime(2_000);
      footer.stop();
      expect(written.join("")).toMatch(/working 0 s.*working 1 s.*working 2 s/s);
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
      newFooter({ isAnimated: false }).footer.start("working");
      expect(jest.getTimerCount()).toBe(0);
    });
  });

  test.each([
    [{}, true],
    [{ NO_COLOR: "1" }, false],
    [{ TERM: "dumb" }, false],
  ])("a terminal with %j is animated: %j", (env, expected) => {
    expect(isAnimated({ env, isTerminal: (fd) => fd === 2 })).toBe(expected);
    expect(isAnimated({ env, isTerminal: (fd) => fd !== 2 })).toBe(false);
  });
});
