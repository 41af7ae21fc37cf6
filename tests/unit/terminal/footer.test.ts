import { afterEach, beforeEach, describe, expect, jest, test } from "bun:test";
import { createFooter, isAnimated } from "../../../src/terminal/footer.ts";

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
