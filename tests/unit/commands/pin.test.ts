import { expect, test } from "bun:test";
import { pinnedSentence, showPins } from "../../../src/commands/pin.ts";

const PIN = { folder: "/a", provider: "glm", only: false };

test("a folder without pins has no list of them", () => {
  expect(showPins({ folder: "/a", pin: null, pins: [] }, 80)).toBe("/a is not pinned. To pin it: ccc pin NAME\n");
});

test("what counted before is named if it was anything else", () => {
  const said = "/a is pinned to glm. Plain ccc uses it there and in all folders below.";
  expect(pinnedSentence(PIN, undefined)).toBe(said);
  expect(pinnedSentence(PIN, PIN)).toBe(said);
  const others: [before: Partial<typeof PIN>, words: string][] = [
    [{ folder: "/" }, "Before: glm, of /."],
    [{ provider: "kimi" }, "Before: kimi, of /a."],
    [{ only: true }, "Before: glm only, of /a."],
    [{ folder: "/", provider: "kimi", only: true }, "Before: kimi only, of /."],
  ];
  for (const [before, words] of others)
    expect(pinnedSentence(PIN, { ...PIN, ...before })).toBe(said.replace(". ", `. ${words} `));
});
