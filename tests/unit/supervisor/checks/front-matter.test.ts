import { describe, expect, test } from "bun:test";
import { type InstructionParts, splitInstructions } from "../../../../src/supervisor/checks/front-matter.ts";

const plain = (body: string): InstructionParts => ({ checks: [], body, problem: undefined });
const found = (...checks: string[]): InstructionParts => ({ checks, body: "# Look\n", problem: undefined });

describe("the front matter of SUPERVISOR.md", () => {
  const table: [name: string, text: string, expected: InstructionParts][] = [
    ["none", "# Look\n", plain("# Look\n")],
    ["a list", "---\nchecks:\n  - npm test\n  - npm run lint\n---\n# Look\n", found("npm test", "npm run lint")],
    ["a list in brackets", '---\nchecks: [npm test, "make: all"]\n---\n# Look\n', found("npm test", "make: all")],
    ["other names beside it", "---\ntitle: x\nchecks:\n- a\nmore: {b: 1}\n---\n# Look\n", found("a")],
    [
      "comments, quotes and a block",
      `---\n# c\nchecks:\n- "a # b"\n- |\n  c\n  d\n---\n# Look\n`,
      found("a # b", "c\nd"),
    ],
    [
      "Windows line ends and a byte order mark",
      "\uFEFF---\r\nchecks:\r\n  - npm test\r\n---\r\n# Look\n",
      found("npm test"),
    ],
    ["an empty list", "---\nchecks: []\n---\n# Look\n", found()],
    ["no instructions after it", "---\nchecks: [a]\n---", { checks: ["a"], body: "", problem: undefined }],
    ["a dashed line inside a command does not end it", '---\nchecks:\n  - "a ---"\n---\n# Look\n', found("a ---")],
    // Files from before there were checks.
    ["of another program stays as it is", "---\ntitle: x\n---\n# Look\n", plain("---\ntitle: x\n---\n# Look\n")],
    ["a rule at the top", "---\nLook: here\n\nchecks: all\n", plain("---\nLook: here\n\nchecks: all\n")],
    ["later in the file", "# Look\n---\nchecks: [a]\n---\n", plain("# Look\n---\nchecks: [a]\n---\n")],
  ];
  test.each(table)("%s", (_, text, expected) => expect(splitInstructions(text)).toEqual(expected));

  const broken: [name: string, matter: string, problem: string][] = [
    ["no list", "checks: npm test", "checks must be a list: one command per line, each after a dash"],
    ["nothing", "checks:", "checks must be a list: one command per line, each after a dash"],
    [
      "a value that is not a string",
      "checks: [npm test, true]",
      "each of the checks must be a string: put it in quotes",
    ],
    ["a colon that makes it an object", "checks:\n  - npm run a: b", "each of the checks must be a string"],
    ["an empty command", 'checks: [" "]', "a check is empty"],
    ["too many", `checks: [${"a, ".repeat(21)}]`, "there may be at most 20 checks"],
    ["no YAML", "checks: [", "YAML Parse error"],
    ["a tab as indentation", "checks:\n\t- a", "YAML Parse error"],
    ["nested without end", `checks: ${"[".repeat(15_000)}`, ""],
  ];
  test.each(broken)("%s: a problem, and the instructions still count", (_, matter, problem) => {
    const parts = splitInstructions(`---\n${matter}\n---\n# Look\n`);
    expect(parts).toEqual({ checks: [], body: "# Look\n", problem: expect.stringContaining(problem) });
  });

  test("front matter without an end is a problem", () => {
    const text = "---\nchecks:\n  - npm test\n# Look\n";
    expect(splitInstructions(text)).toEqual({ ...plain(text), problem: 'the line "---" after the checks is missing' });
  });
});
