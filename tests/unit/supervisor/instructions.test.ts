import { describe, expect, test } from "bun:test";
import { DEFAULT_INSTRUCTIONS, readInstructions } from "../../../src/supervisor/instructions.ts";
import { memoryFiles } from "../fakes.ts";

const read = (files: Record<string, string>, warnings: string[] = []) =>
  readInstructions(memoryFiles(files), "/project", "/config", (message) => warnings.push(message));

describe("readInstructions", () => {
  test("LOOP-12 the project's go first", () =>
    expect(read({ "/project/SUPERVISOR.md": "p", "/config/SUPERVISOR.md": "u" })).toBe("p"));
  test("LOOP-13 then the user's", () => expect(read({ "/config/SUPERVISOR.md": "u" })).toBe("u"));
  test("then the built-in ones", () => expect(read({})).toBe(DEFAULT_INSTRUCTIONS));
  test("a file that is no text does not count", () =>
    expect(read({ "/project/SUPERVISOR.md": "a\0b" })).toBe(DEFAULT_INSTRUCTIONS));
  test("an empty file does not count, and is told", () => {
    const warnings: string[] = [];
    expect(read({ "/project/SUPERVISOR.md": " \n", "/config/SUPERVISOR.md": "u" }, warnings)).toBe("u");
    expect(warnings).toEqual(["/project/SUPERVISOR.md is empty and does not count"]);
  });
});

test("HDES-07 the built-in instructions state role and output format", () => {
  expect(DEFAULT_INSTRUCTIONS).toContain("You are the supervisor");
  expect(DEFAULT_INSTRUCTIONS).toMatch(/`completed` \(boolean\)/);
  expect(DEFAULT_INSTRUCTIONS).toMatch(/`feedback` \(string\)/);
});
