import { describe, expect, test } from "bun:test";
import {
  DEFAULT_INSTRUCTIONS,
  type Instructions,
  instructionsChange,
  readInstructions,
} from "../../../../src/supervisor/review/instructions.ts";
import { memoryFiles } from "../../fakes.ts";

const PROJECT = "/project/SUPERVISOR.md";
const USER = "/config/SUPERVISOR.md";
const BUILT_IN = { path: null, text: DEFAULT_INSTRUCTIONS };

describe("readInstructions", () => {
  const table: [name: string, files: Record<string, string>, expected: Instructions, warnings?: string[]][] = [
    ["LOOP-12 the project's come first", { [PROJECT]: "p", [USER]: "u" }, { path: PROJECT, text: "p" }],
    ["LOOP-13 then the user's", { [USER]: "u" }, { path: USER, text: "u" }],
    ["then the built-in ones", {}, BUILT_IN],
    ["a binary file is ignored", { [PROJECT]: "a\0b" }, BUILT_IN, [`${PROJECT} is not a text file; ignored`]],
    [
      "an empty file is ignored",
      { [PROJECT]: " \n", [USER]: "u" },
      { path: USER, text: "u" },
      [`${PROJECT} is empty; ignored`],
    ],
  ];
  for (const [name, files, expected, warned = []] of table) {
    test(name, () => {
      const warnings: string[] = [];
      const warn = (message: string) => warnings.push(message);
      expect(readInstructions(memoryFiles(files), "/project", "/config", warn)).toEqual(expected);
      expect(warnings).toEqual(warned);
    });
  }
});

describe("instructionsChange", () => {
  const table: [name: string, launched: Instructions, now: Instructions, expected: string | undefined][] = [
    ["the same text", { path: PROJECT, text: "a" }, { path: PROJECT, text: "a" }, undefined],
    [
      "built-in ones that ccc wrote to the user's file",
      BUILT_IN,
      { path: USER, text: DEFAULT_INSTRUCTIONS },
      undefined,
    ],
    [
      "another text",
      { path: PROJECT, text: "a" },
      { path: PROJECT, text: "b" },
      `${PROJECT} changed after the session started.`,
    ],
    [
      "another file",
      { path: USER, text: "a" },
      { path: PROJECT, text: "b" },
      `came from ${USER} when the session started; now they would come from ${PROJECT}.`,
    ],
    ["no file any more", { path: USER, text: "a" }, BUILT_IN, "would come from ccc itself."],
  ];
  for (const [name, launched, now, expected] of table) {
    test(name, () => {
      const change = instructionsChange(launched, now);
      if (expected === undefined) expect(change).toBeUndefined();
      else expect(change).toContain(expected);
    });
  }
});

test("HDES-07 the built-in instructions state role and output format", () => {
  expect(DEFAULT_INSTRUCTIONS).toContain("You are the supervisor");
  expect(DEFAULT_INSTRUCTIONS).toMatch(/`completed` \(boolean\)/);
  expect(DEFAULT_INSTRUCTIONS).toMatch(/`feedback` \(string\)/);
});
