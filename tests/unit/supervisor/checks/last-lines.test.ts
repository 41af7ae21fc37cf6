import { describe, expect, test } from "bun:test";
import { lastLines } from "../../../../src/supervisor/checks/last-lines.ts";

function kept(lines: readonly (string | undefined)[], clean = (text: string) => text): string {
  const output = lastLines();
  for (const line of lines) output.add(line === undefined ? undefined : Buffer.from(line));
  return output.text(clean);
}

describe("the last lines of an output", () => {
  const many = Array.from({ length: 100 }, (_, index) => `${index}`);
  const table: [name: string, lines: (string | undefined)[], expected: string][] = [
    ["all of a short one", ["a", "b"], "a\nb"],
    ["the last 60", many, many.slice(40).join("\n")],
    ["none", [], ""],
    ["a line that was too long to read", ["a", undefined], "a\n[a very long line]"],
    ["a long line is cut", ["x".repeat(501)], `${"x".repeat(500)}…`],
    ["a line of 500 characters is not", ["x".repeat(500)], "x".repeat(500)],
    ["without colors and control characters", ["\u001b[31mred\u001b[0m\u0007\tok"], "red\tok"],
    ["a progress line as it last was", ["10%\r50%\r100%\r"], "100%"],
    ["bytes that are not text", ["\u0000\u0001a"], "a"],
  ];
  test.each(table)("%s", (_, lines, expected) => expect(kept(lines)).toBe(expected));

  test("are bounded in total", () => {
    const text = kept(Array.from({ length: 60 }, (_, index) => `${index} ${"y".repeat(490)}`));
    expect(text.length).toBeLessThan(7_001);
    expect(text).toEndWith(`59 ${"y".repeat(490)}`);
    expect(text).toStartWith("46 ");
  });
  test("are as many as fit into 7,000 characters, each with its line end", () => {
    const count = (lines: number, length: number) => kept(Array(lines).fill("y".repeat(length))).split("\n").length;
    expect(count(14, 499)).toBe(14);
    expect(count(14, 500)).toBe(13);
    expect(count(60, 116)).toBe(59);
  });
  test("secrets are masked before lines are cut, also one over several lines", () => {
    const clean = (text: string) => text.replaceAll("KEY\nEND", "***").replaceAll("z".repeat(40), "***");
    expect(kept([`${"x".repeat(480)}${"z".repeat(40)}`, "KEY", "END"], clean)).toBe(`${"x".repeat(480)}***\n***`);
  });
});
