import { describe, expect, test } from "bun:test";
import { nextMark, refuseLoop } from "../../../src/launch/exec-depth.ts";
import { EXEC_MARK } from "../../../src/marks.ts";
import { fakeWorld } from "../fakes.ts";

const inside = (mark?: string) => fakeWorld({ pid: 42, env: mark === undefined ? {} : { [EXEC_MARK]: mark } }).world;

describe("ccc within ccc", () => {
  const table: [situation: string, mark: string | undefined, isRefused: boolean][] = [
    ["the first ccc starts claude", undefined, false],
    ["an agent runs ccc", "7.1", false],
    ["eight within each other are the most", "7.7", false],
    ["a ninth is refused", "7.8", true],
    ["the claude that was found is a script that runs ccc", "42.1", true],
    ["a mark that is not a number is ignored", "7.x", false],
  ];
  test.each(table)("%s", (_, mark, isRefused) => {
    const attempt = () => refuseLoop(inside(mark), "/bin/claude");
    if (isRefused) expect(attempt).toThrow("runs ccc again; it is now about to run /bin/claude");
    else expect(attempt).not.toThrow();
  });

  test("each level counts one more, under its own process id", () =>
    expect([nextMark(inside()), nextMark(inside("7.1")), nextMark(inside("7"))]).toEqual(["42.1", "42.2", "42.1"]));
});
