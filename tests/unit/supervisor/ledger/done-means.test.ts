import { describe, expect, test } from "bun:test";
import { doneMeans } from "../../../../src/supervisor/ledger/done-means.ts";

describe("doneMeans", () => {
  const table: [name: string, text: string, criteria: string[]][] = [
    [
      "a section of its own",
      "# Task\n\n## Done means\n\n- [ ] it builds\n* [x]  it is fast\n",
      ["it builds", "it is fast"],
    ],
    ["of the highest level", "# Done means\n- [ ] a\n## Speed\n- [ ] b\n# Else\n- [ ] c", ["a", "b"]],
    ["ends at the next heading", "## Done means\n- [ ] a\n## Later\n- [ ] b\n", ["a"]],
    [
      "includes its own subsections",
      "## Done means\n### Build\n- [ ] a\n### Speed\n- [ ] b\n# Else\n- [ ] c",
      ["a", "b"],
    ],
    ["a line of a prompt", "Fix the bug.\n\nDone means:\n- [ ] a\n- [ ] b", ["a", "b"]],
    ["bold, in any case", "**DONE MEANS**\r\n- [ ] a\r\n", ["a"]],
    ["lists elsewhere do not count", "- [ ] a\n\n## To do\n- [ ] b", []],
    ["lines without a box do not count", "## Done means\n- a\ntext", []],
    ["code does not count", "```\n## Done means\n- [ ] a\n```\n- [ ] b", []],
    ["the words in a sentence do not count", "When it is done means a lot.\n- [ ] a", []],
    ["each once", "## Done means\n- [ ] a\n- [ ] a", ["a"]],
    ["nothing", "", []],
  ];
  for (const [name, text, criteria] of table) test(name, () => expect(doneMeans(text)).toEqual(criteria));
});
