import { describe, expect, test } from "bun:test";
import { type CommandOptions, checkOptions } from "../../../../src/supervisor/guard/programs.ts";

const TAIL: CommandOptions = { flags: "qv", values: "nc", long: ["lines"], isNumeric: true };

describe("options of a program that only reads", () => {
  const allowed: [line: string, letters: string, operands: string[]][] = [
    ["a b", "", ["a", "b"]],
    ["-q a", "q", ["a"]],
    ["-qv a", "qv", ["a"]],
    ["-n 3 a", "n", ["a"]],
    ["-n3 a", "n", ["a"]],
    ["-qn 3 a", "qn", ["a"]],
    ["-20 a", "", ["a"]],
    ["--lines=3 a", "", ["a"]],
    ["-", "", ["-"]],
    ["-q -- -x --y", "q", ["-x", "--y"]],
  ];
  test.each(allowed)("%s", (line, letters, operands) => {
    const found = checkOptions("tail", line.split(" "), TAIL);
    expect([[...found.letters].join(""), found.operands]).toEqual([letters, operands]);
  });

  const refused: [line: string, options: CommandOptions, why: string][] = [
    ["-f a", TAIL, "tail with -f"],
    ["-qf a", TAIL, "tail with -f"],
    ["--follow a", TAIL, "tail with --follow"],
    ["--follow=name a", TAIL, "tail with --follow"],
    ["-20 a", { flags: "" }, "tail with -2"],
    ["a", { flags: "", takesOperands: false }, "tail with a"],
  ];
  test.each(refused)("refused: %s", (line, options, why) =>
    expect(() => checkOptions("tail", line.split(" "), options)).toThrow(why),
  );

  test("plain text may look like an option", () =>
    expect(() => checkOptions("echo", ["-x", "--y"], { flags: "", isFree: true })).not.toThrow());
});
