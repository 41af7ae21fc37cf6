import { describe, expect, test } from "bun:test";
import { checkReader, testCommands } from "../../../../src/supervisor/guard/programs.ts";

const split = (line: string): [program: string, args: string[]] => {
  const [program = "", ...args] = line.split(" ");
  return [program, args];
};

describe("the arguments of a program that only reads", () => {
  const allowed: [line: string, letters: string, operands: string[]][] = [
    ["tail a b", "", ["a", "b"]],
    ["tail -q a", "q", ["a"]],
    ["tail -qv a", "qv", ["a"]],
    ["tail -n 3 a", "n", ["a"]],
    ["tail -n3 a", "n", ["a"]],
    ["tail -qn 3 a", "qn", ["a"]],
    ["tail -20 a", "", ["a"]],
    ["tail --lines=3 a", "", ["a"]],
    ["tail -", "", ["-"]],
    ["tail -q -- -x --y", "q", ["-x", "--y"]],
    ["echo -x --y", "", []],
  ];
  test.each(allowed)("%s", (line, letters, operands) => {
    const found = checkReader(...split(line));
    expect([[...(found?.letters ?? [])].join(""), found?.operands]).toEqual([letters, operands]);
  });

  test.each([
    ["tail -f a", "tail with -f"],
    ["tail -qf a", "tail with -f"],
    ["tail --follow a", "tail with --follow"],
    ["tail --follow=name a", "tail with --follow"],
    ["wc -20 a", "wc with -2"],
    ["uniq a", "uniq with a"],
  ])("refused: %s", (line, why) => expect(() => checkReader(...split(line))).toThrow(why));

  test.each(["rm", "git", "constructor", ""])("%p is not such a program", (program) =>
    expect(checkReader(program, [])).toBeUndefined(),
  );

  test("no program that reads also runs tests: it would not be judged as a test command", () => {
    const programs = testCommands().flatMap(({ runs }) => runs.map((run) => run.split(" ")[0] ?? ""));
    expect(programs).toContain("npm");
    expect(programs.filter((program) => program === "git" || checkReader(program, []) !== undefined)).toEqual([]);
  });
});
