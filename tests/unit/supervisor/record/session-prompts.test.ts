import { expect, test } from "bun:test";
import { sessionPrompts } from "../../../../src/supervisor/record/session-prompts.ts";

function found(text: string, id?: string, byUser = true) {
  return { id, uuid: undefined, byUser, text };
}

function recorded(text: string, prompt_id: string | null, by_user = true) {
  return { at: "", prompt_id, by_user, text, mode: null };
}

test("without a record, the user's prompts in the transcript", () =>
  expect(sessionPrompts([], [found("a", "1"), found("<task>", "2", false), found("b", "3")], [])).toEqual({
    prompts: ["a", "b"],
    isUnrecorded: true,
  }));

test.each([
  ["the record, which has the whole texts", [recorded("a, in full", "1")], [found("a", "1")], ["a, in full"]],
  ["what was asked later, without supervision", [recorded("a", "1")], [found("a", "1"), found("b", "2")], ["a", "b"]],
  [
    "what was asked after a prompt of which the transcript has only a part",
    [recorded("a, in full", "1")],
    [found("a", "1"), found("b", "2")],
    ["a, in full", "b"],
  ],
  [
    "the last of two equal prompts counts",
    [recorded("a", null), recorded("a", null)],
    [found("a"), found("a")],
    ["a", "a"],
  ],
  [
    "not what the agent scheduled",
    [recorded("a", "1"), recorded("look again", "2", false)],
    [found("a", "1"), found("look again", "2")],
    ["a"],
  ],
  ["not the loop's feedback", [recorded("a", null)], [found("a"), found("typed\n\nfix it\n\nNot met: C1")], ["a"]],
  ["the record alone if the transcript does not have it", [recorded("a", "1")], [found("x", "9")], ["a"]],
])("%s", (_, record, transcript, wanted) => {
  const { prompts, isUnrecorded } = sessionPrompts(record, transcript, ["fix it"]);
  expect(prompts).toEqual(wanted);
  expect(isUnrecorded).toBe(wanted.length > record.filter(({ by_user }) => by_user).length);
});
