import { expect, test } from "bun:test";
import { tagProblems } from "../../../scripts/release/tag.ts";

const own = { version: "1.2.3", repository: "github:owner/ccc" };
const ready = "# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-01-31\n\n### Added\n\n- a thing\n";

const TABLE: [name: string, tag: string, builtIn: string, changelog: string, problems: string[]][] = [
  ["everything is ready", "v1.2.3", "owner/ccc", ready, []],
  ["lines end as on Windows", "v1.2.3", "owner/ccc", ready.replaceAll("\n", "\r\n"), []],
  ["another version", "v1.2.4", "owner/ccc", ready, ["the tag is v1.2.4, but package.json has version 1.2.3"]],
  ["no v", "1.2.3", "owner/ccc", ready, ["the tag is 1.2.3, but package.json has version 1.2.3"]],
  ["a fork", "v1.2.3", "fork/ccc", ready, ["this is fork/ccc, but package.json has repository github:owner/ccc"]],
  [
    "no section, in a fork",
    "v1.2.3",
    "fork/ccc",
    "## [Unreleased]\n\n- one\n- two\n  on two lines\n",
    [
      "this is fork/ccc, but package.json has repository github:owner/ccc",
      'CHANGELOG.md has no section "## [1.2.3] - YYYY-MM-DD", but 2 entries under "## [Unreleased]"',
    ],
  ],
  [
    "no date",
    "v1.2.3",
    "owner/ccc",
    "## [1.2.3]\n\n- one\n",
    ['"## [1.2.3]" in CHANGELOG.md has no date: write "## [1.2.3] - YYYY-MM-DD"'],
  ],
  [
    "a date that no calendar has",
    "v1.2.3",
    "owner/ccc",
    ready.replace("01-31", "02-31"),
    ['"## [1.2.3] - 2026-02-31" in CHANGELOG.md has no date: write "## [1.2.3] - YYYY-MM-DD"'],
  ],
  [
    "entries that were left behind",
    "v1.2.3",
    "owner/ccc",
    ready.replace("## [1.", "- late\n\n## [1.").replace("- a thing", ""),
    [
      'the section "## [1.2.3]" of CHANGELOG.md is empty',
      'CHANGELOG.md has 1 entry under "## [Unreleased]": move what is in 1.2.3 to its section',
    ],
  ],
];
for (const [name, tag, builtIn, changelog, problems] of TABLE)
  test(`tagProblems: ${name}`, () => expect(tagProblems(own, changelog, tag, builtIn)).toEqual(problems));
