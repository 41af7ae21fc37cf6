import { expect, test } from "bun:test";
import { renderFormula } from "../../../scripts/release/formula.ts";

const NAMES = ["ccc-darwin-arm64", "ccc-darwin-x64", "ccc-linux-arm64", "ccc-linux-x64"];
const sums = new Map(NAMES.map((name, index) => [`${name}.tar.gz`, String(index).repeat(64)]));
const given = { version: "1.2.3", description: "Run it", repository: "some/where", sums };
const lines = renderFormula(given)
  .split("\n")
  .map((line) => line.trim());

test("each system and processor gets its own archive, with its sum", () => {
  const found: string[] = [];
  let os = "";
  for (const [index, line] of lines.entries()) {
    if (line === "on_macos do" || line === "on_linux do") os = line;
    if (line === "on_arm do" || line === "on_intel do") found.push(os, line, ...lines.slice(index + 1, index + 3));
  }
  const url = (name: string) => `url "https://github.com/some/where/releases/download/v1.2.3/${name}.tar.gz"`;
  const sha256 = (digit: string) => `sha256 "${digit.repeat(64)}"`;
  expect(found).toEqual([
    ...["on_macos do", "on_arm do", url("ccc-darwin-arm64"), sha256("0")],
    ...["on_macos do", "on_intel do", url("ccc-darwin-x64"), sha256("1")],
    ...["on_linux do", "on_arm do", url("ccc-linux-arm64"), sha256("2")],
    ...["on_linux do", "on_intel do", url("ccc-linux-x64"), sha256("3")],
  ]);
});
test("says what it is, and installs program and completions", () => {
  expect(lines.slice(0, 5)).toEqual([
    "class Ccc < Formula",
    'desc "Run it"',
    'homepage "https://github.com/some/where"',
    'version "1.2.3"',
    'license "MIT"',
  ]);
  expect(lines).toContain('bin.install "ccc"');
  expect(lines).toContain(
    'generate_completions_from_executable(bin/"ccc", "completions", shells: [:bash, :zsh, :fish])',
  );
});
test("every block is closed", () => {
  const opened = lines.filter((line) => /^(class|def) | do$/.test(line)).length;
  expect(lines.filter((line) => line === "end")).toHaveLength(opened);
});
test("no formula without a sum", () => {
  const some = new Map([...sums].slice(1));
  expect(() => renderFormula({ ...given, sums: some })).toThrow("ccc-darwin-arm64.tar.gz has no sum");
});
