import { describe, expect, test } from "bun:test";
import { cccPaths } from "../../../../src/config/paths.ts";
import {
  checkSource,
  DEFAULT_INSTRUCTIONS,
  findInstructions,
  type Instructions,
  instructionsChange,
  shownInstructions,
} from "../../../../src/supervisor/review/instructions.ts";
import { fakeWorld } from "../../fakes.ts";

const PROJECT = "/project/SUPERVISOR.md";
const USER = "/config/SUPERVISOR.md";
const BUILT_IN = { path: null, text: DEFAULT_INSTRUCTIONS };

const PATHS = cccPaths({ env: { CCC_CONFIG_DIR: "/config" }, platform: "linux" });

describe("the reviewer's instructions", () => {
  const table: [name: string, files: Record<string, string>, expected: Instructions, warnings?: string[]][] = [
    [
      "LOOP-12 the project's come first",
      { [PROJECT]: "p", [USER]: "u" },
      { path: PROJECT, text: "p", is_agreed: false },
    ],
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
  for (const [name, content, expected, warned = []] of table) {
    test(name, () => {
      const warnings: string[] = [];
      const { world } = fakeWorld({ content });
      const found = findInstructions(world, PATHS, "/project", (message) => warnings.push(message));
      expect(found.instructions).toEqual(expected);
      expect(warnings).toEqual(warned);
    });
  }

  describe("of a project", () => {
    const content = { [PROJECT]: "p", [USER]: "u" };
    const find = (world: ReturnType<typeof fakeWorld>["world"], project = "/project") =>
      findInstructions(world, PATHS, project, () => {});

    test("count as agreed to after a yes, and not at all after a no, in that folder and for that text", () => {
      const { world } = fakeWorld({ content: { ...content, "/other/SUPERVISOR.md": "p" } });
      find(world).consent?.save(true);
      expect(find(world).instructions).toEqual({ path: PROJECT, text: "p", is_agreed: true });
      find(world).consent?.save(false);
      expect(find(world).instructions).toEqual({ path: USER, text: "u", set_aside: expect.any(String) });
      expect(find(world, "/other").instructions).toMatchObject({ text: "p", is_agreed: false });
      world.files.writePrivate(PROJECT, "another text");
      expect(find(world).instructions).toMatchObject({ text: "another text", is_agreed: false });
    });

    test("do not count without a yes if they appeared while an agent worked", () => {
      const { world } = fakeWorld({ content });
      const launched = { path: USER, text: "u" };
      expect(instructionsChange(world, PATHS, { session: "s", cwd: "/project", launched }, () => {})).toContain(
        `now they would come from ${PROJECT}`,
      );
      const found = find(world);
      expect(found.consent?.changedIn()).toBe("s");
      expect(found.instructions).toMatchObject({ path: USER, text: "u" });
      found.consent?.save(true);
      expect(find(world).instructions).toMatchObject({ text: "p", is_agreed: true });
    });

    test("a yes stays if a later session sees the text as new", () => {
      const { world } = fakeWorld({ content });
      find(world).consent?.save(true);
      instructionsChange(world, PATHS, { session: "s", cwd: "/project", launched: BUILT_IN }, () => {});
      expect(find(world).instructions).toMatchObject({ text: "p", is_agreed: true });
    });

    test("that were set aside at the launch are no change, but another text is", () => {
      const { world } = fakeWorld({ content });
      find(world).consent?.save(false);
      const about = { session: "s", cwd: "/project", launched: find(world).instructions };
      expect(instructionsChange(world, PATHS, about, () => {})).toBeUndefined();
      world.files.writePrivate(PROJECT, "another text");
      expect(instructionsChange(world, PATHS, about, () => {})).toContain("now they would come from");
    });

    test("are shown to the reviewer with a warning as long as the user has not agreed", () => {
      const shown = (is_agreed?: boolean) => shownInstructions({ path: PROJECT, text: "look", is_agreed });
      expect(shown(false)).toStartWith(`(${PROJECT} is a file of the project. The user has not agreed to it`);
      expect(shown(false)).toEndWith("look");
      expect([shown(true), shown()]).toEqual(["look", "look"]);
    });
  });
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
      const { world } = fakeWorld({ content: now.path === null ? {} : { [now.path]: now.text } });
      const about = { session: "s", cwd: "/project", launched };
      const change = instructionsChange(world, PATHS, about, () => {});
      if (expected === undefined) expect(change).toBeUndefined();
      else expect(change).toContain(expected);
    });
  }
});

test("the reviewer is shown what follows the front matter, or the built-in instructions if nothing does", () => {
  const shown = (text: string) => shownInstructions({ path: PROJECT, text });
  expect(shown("---\nchecks: [a]\n---\nlook\n")).toBe("look\n");
  expect(shown("---\nchecks: [a]\n---\n\n")).toBe(DEFAULT_INSTRUCTIONS);
  expect(shown("look")).toBe("look");
});

test("checks in the front matter are part of what must not change", () => {
  const { world } = fakeWorld({ content: { [PROJECT]: "---\nchecks: []\n---\nlook\n" } });
  const launched = { path: PROJECT, text: "---\nchecks: [a]\n---\nlook\n" };
  const about = { session: "s", cwd: "/project", launched };
  expect(instructionsChange(world, PATHS, about, () => {})).toContain("changed after the session started");
});

test("only the file in the user's own folder is trusted with checks", () => {
  const isProjects = (path: string | null) => checkSource({ path, text: "" }, "/config").isProjects;
  expect([isProjects(PROJECT), isProjects(USER), isProjects(null)]).toEqual([true, false, false]);
});

test("HDES-07 the built-in instructions state role and output format", () => {
  expect(DEFAULT_INSTRUCTIONS).toContain("You are the supervisor");
  expect(DEFAULT_INSTRUCTIONS).toMatch(/`completed` \(boolean\)/);
  expect(DEFAULT_INSTRUCTIONS).toMatch(/`feedback` \(string\)/);
});
