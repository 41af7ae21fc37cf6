import { describe, expect, test } from "bun:test";
import { waitsForEnd } from "../../../../src/supervisor/print/waits-for-end.ts";

const SCREEN = { isByEditor: false, isOnTerminal: true };
const PIPE = { isByEditor: false, isOnTerminal: false };
const EDITOR = { isByEditor: true, isOnTerminal: false };

describe("ccc waits for a supervised claude", () => {
  const table: [args: string[], how: typeof SCREEN, waits: boolean][] = [
    [["-p", "hi"], SCREEN, true],
    [["-p", "hi"], PIPE, true],
    [["hi"], PIPE, true],
    [["hi"], SCREEN, false],
    [[], SCREEN, false],
    [["--bg", "hi"], SCREEN, false],
    [["--bg", "hi"], PIPE, false],
    [["-p", "--version"], PIPE, false],
    [["--output-format", "stream-json"], EDITOR, false],
    [["-p", "hi"], EDITOR, false],
  ];
  for (const [args, how, waits] of table) {
    const where = how === SCREEN ? "on a terminal" : how === PIPE ? "into a pipe" : "by an editor";
    test(`${JSON.stringify(args)}, ${where}: ${waits ? "yes" : "no"}`, () =>
      expect(waitsForEnd(args, how)).toBe(waits));
  }
});
