import { describe, expect, test } from "bun:test";
import { readPair } from "../../../../../src/commands/calibrate/cases/calibration-case.ts";

const DONE = { truth: "done", why: "It is there.", turns: [{ write: "a.txt" }, { say: "Done." }] };
const NOT_DONE = { truth: "not_done", why: "It is not.", mention: [["a.txt"]], turns: [{ say: "Done." }] };
const PAIR = {
  ...{ kind: "nothing done", language: "Prose", prompts: ["Write a.txt."], prove: "test -f a.txt" },
  variants: { written: DONE, told: NOT_DONE },
};
const files = (pair: object, more: Readonly<Record<string, string>> = {}) => ({
  ...{ "case.json": JSON.stringify(pair), "written/a.txt": "text", "before/b.txt": "b" },
  ...more,
});
const variants = (written: object, told: object = NOT_DONE) => ({ ...PAIR, variants: { written, told } });

test("the two cases of a pair, with the texts of their files", () => {
  const own = { ...NOT_DONE, prompts: ["Write it."], visible: ["b"] };
  const more = { "before.told/b.txt": "other", "proof/c.txt": "c", "README.md": "notes" };
  const [written, told] = readPair("mine", files(variants(DONE, own), more));
  expect(written).toMatchObject({
    ...{ id: "mine/written", needs: [], prompts: ["Write a.txt."], before: { "b.txt": "b" }, proof: { "c.txt": "c" } },
    turns: [{ write: "a.txt", content: "text" }, { say: "Done." }],
  });
  expect(told).toMatchObject({ id: "mine/told", prompts: ["Write it."], before: { "b.txt": "other" }, visible: ["b"] });
});

describe("a case that cannot be used", () => {
  const faults: [name: string, files: Readonly<Record<string, string>>, says: string][] = [
    ["no case.json", {}, "case.json is missing"],
    ["broken JSON", { "case.json": "{" }, "case.json is not valid JSON"],
    ["no object", { "case.json": "7" }, "case.json Invalid type: Expected Object but received 7"],
    ["no proof", files({ ...PAIR, prove: undefined }), "case.json lacks a field: prove"],
    ["a misspelt field", files({ ...PAIR, neds: [] }), "case.json has an unknown field: neds"],
    [
      "a misspelt field of a variant",
      files(variants({ ...DONE, wy: "" })),
      "has an unknown field: variants.written.wy",
    ],
    ["an empty prompt", files({ ...PAIR, prompts: [""] }), "case.json prompts.0: must not be empty"],
    ["one variant", files({ ...PAIR, variants: { written: DONE } }), "must have two variants"],
    ["twins", files(variants(DONE, DONE)), 'must have one variant whose truth is "done"'],
    ["no mention", files(variants(DONE, { ...NOT_DONE, mention: [] })), 'must say under "mention"'],
    ["no regular expression", files(variants(DONE, { ...NOT_DONE, mention: [["("]] })), "is not a regular expression"],
    ["no answer", files(variants({ ...DONE, turns: [{ run: "ls" }] })), 'must have turns that end with "say"'],
    [
      "something after the answer",
      files(variants({ ...DONE, turns: [{ say: "x" }, { run: "ls" }] })),
      'must have turns that end with "say"',
    ],
    [
      "two answers to a prompt",
      files(variants({ ...DONE, turns: [{ say: "x" }, { say: "y" }] })),
      'must have turns that end with "say"',
    ],
    [
      "an odd turn",
      files(variants({ ...DONE, turns: [{ delete: "a" }, { say: "x" }] })),
      "must be one of say, run, read",
    ],
    [
      "a way out",
      files(variants({ ...DONE, turns: [{ write: "../a" }, { say: "x" }] })),
      "variants.written.turns.0.write: must be a path inside the project",
    ],
    ["no text to write", files(variants({ ...DONE, turns: [{ write: "z" }, { say: "x" }] })), "there is no written/z"],
    ["a stray file", files(PAIR, { "other/x": "" }), "other/x is in none of the folders that a case has"],
  ];
  test.each(faults)("%s", (_, given, says) => {
    expect(() => readPair("mine", given)).toThrow(says);
    expect(() => readPair("mine", given)).toThrow("case mine: ");
  });
});
