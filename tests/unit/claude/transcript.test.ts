import { describe, expect, test } from "bun:test";
import { hasConversation, lastModels, startsTurn } from "../../../src/claude/transcript.ts";

const answer = (model: string, rest = {}) => ({ type: "assistant", message: { role: "assistant", model }, ...rest });
const request = (model: string) => ({ type: "api-request", params: { model } });
const prompt = { type: "user", message: { content: 'a "type":"assistant" in a prompt' } };

describe("the model of a session's last answer", () => {
  const table: [name: string, entries: readonly object[], models: string[]][] = [
    ["nothing yet", [prompt], []],
    ["no answer yet: as Claude Code asked for it", [prompt, request("glm-5"), answer("<synthetic>")], ["glm-5"]],
    ["as the server calls it", [prompt, answer("glm-5"), prompt], ["glm-5"]],
    ["as Claude Code asked for it, first", [request("glm-5[1m]"), answer("glm-5-air")], ["glm-5[1m]", "glm-5-air"]],
    ["the last of two", [request("a"), answer("a"), request("b"), answer("b")], ["b", "b"]],
    ["a request without an answer does not count", [request("a"), answer("a"), request("b")], ["a", "a"]],
    ["nor does an error", [request("a"), answer("a"), request("b"), answer("<synthetic>")], ["a", "a"]],
    ["nor does a delegated agent", [answer("a"), answer("b", { isSidechain: true })], ["a"]],
    ["nor does one whose model would write on the terminal", [answer("a"), answer("b\u001b[2Jb")], ["a"]],
    ["nor does a message without a model", [answer("a"), { type: "assistant", message: {} }], ["a"]],
  ];
  for (const [name, entries, models] of table) {
    test(name, () => expect(lastModels(entries.map((each) => JSON.stringify(each)).join("\n"))).toEqual(models));
  }

  test("a line that is cut off does not count", () => {
    const text = `${JSON.stringify(answer("a"))}\n${JSON.stringify(answer("b"))}`;
    expect(lastModels(text.slice(5))).toEqual(["b"]);
    expect(lastModels(text.slice(0, -5))).toEqual(["a"]);
  });
});

test.each([
  ["a prompt", JSON.stringify(prompt), true],
  ["an answer", JSON.stringify(answer("glm-5")), true],
  ["neither", JSON.stringify(request("glm-5")), false],
])("Claude Code would continue a transcript with %s: %p", (_, end, expected) =>
  expect(hasConversation(end)).toBe(expected),
);

test.each([
  ["do it", true],
  ["<task-notification>ended</task-notification>", true],
  ["<local-command-stdout>x</local-command-stdout>", false],
  ["[Request interrupted by user]", false],
])("the agent answers %p: %p", (text, expected) => expect(startsTurn(text)).toBe(expected));
