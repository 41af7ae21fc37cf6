import { describe, expect, test } from "bun:test";
import {
  checkSource,
  DEFAULT_INSTRUCTIONS,
  type Instructions,
  instructionsChange,
  readInstructions,
  shownInstructions,
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

test("a review that the user asks for uses the current instructions, and says so", () =>
  expect(instructionsChange({ path: PROJECT, text: "a" }, { path: PROJECT, text: "b" }, "current")).toBe(
    `${PROJECT} changed after the session started. This review uses the current instructions.`,
  ));

test("the reviewer is shown what follows the front matter, or the built-in instructions if nothing does", () => {
  const shown = (text: string) => shownInstructions({ path: PROJECT, text });
  expect(shown("---\nchecks: [a]\n---\nlook\n")).toBe("look\n");
  expect(shown("---\nchecks: [a]\n---\n\n")).toBe(DEFAULT_INSTRUCTIONS);
  expect(shown("look")).toBe("look");
});

test("checks in the front matter are part of what must not change", () =>
  expect(
    instructionsChange(
      { path: PROJECT, text: "---\nchecks: [a]\n---\nlook\n" },
      { path: PROJECT, text: "---\nchecks: []\n---\nlook\n" },
    ),
  ).toContain("changed after the session started"));

test("only the file in the user's own folder is trusted with checks", () => {
  const isProjects = (path: string | null) => checkSource({ path, text: "" }, "/config").isProjects;
  expect([isProjects(PROJECT), isProjects(USER), isProjects(null)]).toEqual([true, false, false]);
});

test("HDES-07 the built-in instructions state role and output format", () => {
  expect(DEFAULT_INSTRUCTIONS).toContain("You are the supervisor");
  expect(DEFAULT_INSTRUCTIONS).toMatch(/`completed` \(boolean\)/);
  expect(DEFAULT_INSTRUCTIONS).toMatch(/`feedback` \(string\)/);
});
