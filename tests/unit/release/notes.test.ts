import { describe, expect, test } from "bun:test";
import { releaseNotes } from "../../../scripts/release/notes.ts";

const CHANGELOG = `# Changelog

The format is that of [Keep a Changelog](https://keepachangelog.com).

## [Unreleased]

## [1.10.0] - 2026-03-02

### Added

- a thing
  with a second line

### Fixed

- another, see [docs](docs/x.md)

## [1.1.0] - 2026-02-01

### Added

## [1.0.0] - 2026-01-01

- the first

[1.10.0]: https://example.test/compare/v1.1.0...v1.10.0
[1.0.0]: https://example.test/releases/v1.0.0
`;

describe("releaseNotes", () => {
  test("is the section of the version, without its heading", () =>
    expect(releaseNotes(CHANGELOG, "1.10.0")).toBe(
      "### Added\n\n- a thing\n  with a second line\n\n### Fixed\n\n- another, see [docs](docs/x.md)\n",
    ));
  test("leaves out the addresses at the end", () => expect(releaseNotes(CHANGELOG, "1.0.0")).toBe("- the first\n"));
  test("reads lines that end as on Windows", () =>
    expect(releaseNotes(CHANGELOG.replaceAll("\n", "\r\n"), "1.0.0")).toStartWith("- the first"));

  const refused: [why: string, version: string, message: string][] = [
    ["no section", "2.0.0", 'has no section "## [2.0.0]"'],
    ["a version that another one begins with", "1.1", 'has no section "## [1.1]"'],
    ["no version", "", 'has no section "## []"'],
    ["headings and nothing else", "1.1.0", '"## [1.1.0]" of CHANGELOG.md is empty'],
    ["nothing at all", "Unreleased", '"## [Unreleased]" of CHANGELOG.md is empty'],
  ];
  for (const [why, version, message] of refused)
    test(`refuses ${why}`, () => expect(() => releaseNotes(CHANGELOG, version)).toThrow(message));
});
