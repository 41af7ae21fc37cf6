import { describe, expect, test } from "bun:test";
import { type LastAnswer, lastAnswer } from "../../../src/claude/last-answer.ts";

const prompt = (text: string, promptId?: string) => ({ type: "user", promptId, message: { content: text } });
const toolResult = { type: "user", promptId: "p1", message: { content: [{ type: "tool_result", content: "x" }] } };
const answer = (at: string, more: object = {}) => ({
  type: "assistant",
  timestamp: at,
  cwd: "/project",
  message: { stop_reason: "end_turn", model: "glm", content: [{ type: "text", text: "done" }] },
  ...more,
});
const summary = (...commands: string[]) => ({
  type: "system",
  subtype: "stop_hook_summary",
  hookInfos: commands.map((command) => ({ command, durationMs: 1 })),
});
const interrupted = prompt("[Request interrupted by user]", "p1");
const found = (at: string, more: Partial<LastAnswer> = {}): LastAnswer => ({
  at,
  cwd: "/project",
  promptId: "p1",
  prompt: "work",
  stopHooks: [],
  ...more,
});

describe("the last answer in a transcript", () => {
  const stopReason = (stop_reason: string | null) => ({ message: { stop_reason, model: "glm" } });
  const table: [name: string, entries: object[], expected: LastAnswer | undefined][] = [
    ["of one turn", [prompt("work", "p1"), answer("1")], found("1")],
    ["of the last turn", [prompt("one", "p0"), answer("1"), prompt("work", "p1"), answer("2")], found("2")],
    ["after tools", [prompt("work", "p1"), answer("1", stopReason("tool_use")), toolResult, answer("2")], found("2")],
    [
      "of a long turn whose prompt is not among the lines",
      [toolResult, answer("2")],
      found("2", { prompt: undefined }),
    ],
    ["of an older version", [prompt("work"), answer("1")], found("1", { promptId: undefined })],
    [
      "with the Stop hooks that ran",
      [prompt("work", "p1"), answer("1"), summary("a", "b")],
      found("1", { stopHooks: ["a", "b"] }),
    ],
    ["before a prompt that is not answered yet", [prompt("work", "p1"), answer("1"), prompt("more", "p2")], found("1")],
    [
      "not one of a delegated agent",
      [prompt("work", "p1"), answer("1"), answer("2", { isSidechain: true })],
      found("1"),
    ],
    ["not an error of the API", [prompt("work", "p1"), answer("1", { isApiErrorMessage: true })], undefined],
    [
      "not one that Claude Code made up",
      [prompt("work", "p1"), answer("1", { message: { stop_reason: "stop_sequence", model: "<synthetic>" } })],
      undefined,
    ],
    ["not one in the middle of a turn", [prompt("work", "p1"), answer("1", stopReason("tool_use"))], undefined],
    ["not one that is still streaming", [prompt("work", "p1"), answer("1", stopReason(null))], undefined],
    ["not one that the user interrupted", [prompt("work", "p1"), answer("1"), interrupted], undefined],
    [
      "after an interruption",
      [prompt("one", "p0"), answer("1"), interrupted, prompt("work", "p1"), answer("2")],
      found("2"),
    ],
    ["in no lines", [], undefined],
  ];
  for (const [name, entries, expected] of table) {
    test(name, () =>
      expect(lastAnswer(['{"cut off', ...entries.map((entry) => JSON.stringify(entry))])).toEqual(expected),
    );
  }
});
