import { describe, expect, test } from "bun:test";
import { readStreamLine, type StreamEvent } from "../../../src/claude/stream.ts";
import { readPrompt } from "../../../src/claude/transcript.ts";

describe("readStreamLine", () => {
  const table: [name: string, line: unknown, event: StreamEvent][] = [
    [
      "text of an assistant",
      {
        type: "assistant",
        message: {
          content: [
            { type: "text", text: "a" },
            { type: "tool_use", name: "Bash", input: { timeout: 1, command: "ls" } },
            { type: "text", text: "b" },
          ],
        },
      },
      { kind: "text", text: "a\nb", tools: [{ name: "Bash", what: "ls" }] },
    ],
    ["text by itself", { type: "text", content: "a" }, { kind: "text", text: "a", tools: [] }],
    ["a retry", { type: "system", subtype: "api_retry", error_status: 401 }, { kind: "retry", status: 401 }],
    [
      "a retry without a status",
      { type: "system", subtype: "api_retry", error_status: null },
      { kind: "retry", status: undefined },
    ],
    ["another system line", { type: "system", subtype: "init" }, { kind: "other" }],
    ["no object", [1], { kind: "other" }],
    ["odd fields", { type: "assistant", message: "x", usage: 7 }, { kind: "text", text: "", tools: [] }],
    [
      "a result",
      {
        type: "result",
        subtype: "success",
        is_error: true,
        api_error_status: 500,
        structured_output: { a: 1 },
        result: "r",
        total_cost_usd: 0.5,
        usage: { input_tokens: 3 },
      },
      {
        kind: "result",
        result: {
          subtype: "success",
          isError: true,
          status: 500,
          structured: { a: 1 },
          answer: "r",
          errors: [],
          costUsd: 0.5,
          inputTokens: 3,
          outputTokens: 0,
        },
      },
    ],
  ];
  for (const [name, line, event] of table) test(name, () => expect(readStreamLine(line)).toEqual(event));
});

describe("readPrompt", () => {
  const user = (content: unknown, more: object = {}) =>
    JSON.stringify({ type: "user", message: { role: "user", content }, ...more });
  const table: [name: string, line: string, prompt: object | undefined][] = [
    ["a prompt", user("do it", { promptId: "1", promptSource: "sdk" }), { id: "1", byUser: true, text: "do it" }],
    [
      "a prompt in blocks",
      user([{ type: "text", text: "do" }, { type: "image" }, { type: "text", text: "it" }]),
      { id: undefined, byUser: true, text: "do\nit" },
    ],
    [
      "a notification",
      user("<task-notification>", { promptId: "2", origin: { kind: "task-notification" } }),
      { id: "2", byUser: false, text: "<task-notification>" },
    ],
    [
      "a notification of an older version",
      user("<task-notification>x"),
      { id: undefined, byUser: false, text: "<task-notification>x" },
    ],
    ["feedback", user("Stop hook feedback:\nx", { isMeta: true }), undefined],
    ["a tool's result", user([{ type: "tool_result", content: "x" }]), undefined],
    ["a delegated agent's", user("x", { isSidechain: true }), undefined],
    ["a summary", user("x", { isCompactSummary: true }), undefined],
    ["an answer", JSON.stringify({ type: "assistant", message: { content: "x" } }), undefined],
    ["a broken line", '{"type":"user","mess', undefined],
  ];
  for (const [name, line, prompt] of table)
    test(name, () => expect(readPrompt(line)).toEqual(prompt as ReturnType<typeof readPrompt>));
});
