import { describe, expect, test } from "bun:test";
import { readStreamLine, type StreamEvent } from "../../../src/claude/stream.ts";
import type { Usage } from "../../../src/claude/token-usage.ts";
import { readPrompt } from "../../../src/claude/transcript.ts";
import { usageMeter } from "../../../src/claude/usage-meter.ts";

const usage = (
  inputTokens: number,
  cacheReadTokens: number,
  cacheWriteTokens: number,
  outputTokens: number,
  costUsd: number | undefined,
): Usage => ({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, costUsd });

describe("readStreamLine", () => {
  const table: [name: string, line: unknown, event: StreamEvent][] = [
    [
      "text of an assistant",
      {
        type: "assistant",
        message: {
          id: "m1",
          usage: { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3, output_tokens: 4 },
          content: [
            { type: "text", text: "a" },
            { type: "tool_use", name: "Bash", input: { timeout: 1, command: "ls" } },
            { type: "text", text: "b" },
          ],
        },
      },
      {
        kind: "text",
        text: "a\nb",
        tools: [{ id: "", name: "Bash", what: "ls" }],
        usage: { messageId: "m1", usage: usage(1, 2, 3, 4, undefined) },
      },
    ],
    [
      "an error of the API in the conversation",
      { type: "assistant", error: "server_error", message: { content: [{ type: "text", text: "API Error: 500" }] } },
      { kind: "text", text: "API Error: 500", tools: [], usage: undefined, isApiError: true },
    ],
    ["text by itself", { type: "text", content: "a" }, { kind: "text", text: "a", tools: [], usage: undefined }],
    [
      "a retry",
      { type: "system", subtype: "api_retry", error_status: 401, attempt: 1, max_retries: 2 },
      { kind: "retry", status: 401, attempt: 1, most: 2 },
    ],
    [
      "a retry without a status",
      { type: "system", subtype: "api_retry", error_status: null },
      { kind: "retry", status: undefined, attempt: undefined, most: undefined },
    ],
    [
      "results of tools",
      {
        type: "user",
        message: {
          content: [
            { type: "tool_result", tool_use_id: "1", content: "a" },
            { type: "tool_result", tool_use_id: "2", is_error: true, content: [{ type: "text", text: "b" }] },
            { type: "text", text: "c" },
          ],
        },
      },
      {
        kind: "tool results",
        results: [
          { id: "1", isError: false, text: "a" },
          { id: "2", isError: true, text: "b" },
        ],
      },
    ],
    ["another system line", { type: "system", subtype: "init" }, { kind: "other" }],
    ["no object", [1], { kind: "other" }],
    [
      "odd fields",
      { type: "assistant", message: "x", usage: 7 },
      { kind: "text", text: "", tools: [], usage: undefined },
    ],
    [
      "a result",
      {
        type: "result",
        subtype: "success",
        is_error: true,
        api_error_status: 500,
        api_error_type: "api_error",
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
          errorType: "api_error",
          structured: { a: 1 },
          answer: "r",
          errors: [],
          // The session's cost, not this run's.
          usage: usage(3, 0, 0, 0, undefined),
        },
      },
    ],
  ];
  for (const [name, line, event] of table) test(name, () => expect(readStreamLine(line)).toEqual(event));
});

describe("the usage of a result", () => {
  const model = (costUSD: number, costBasis?: string) => ({
    inputTokens: 1,
    cacheReadInputTokens: 20,
    cacheCreationInputTokens: 300,
    outputTokens: 4000,
    costUSD,
    ...(costBasis === undefined ? {} : { costBasis }),
  });
  const table: [name: string, models: object | undefined, tokens: object | undefined, expected: Usage][] = [
    ["nothing known", undefined, undefined, usage(0, 0, 0, 0, undefined)],
    ["an older version", undefined, { input_tokens: 5, output_tokens: 6 }, usage(5, 0, 0, 6, undefined)],
    ["a known price", { opus: model(0.5, "list") }, { input_tokens: 5 }, usage(1, 20, 300, 4000, 0.5)],
    ["an unknown price", { glm: model(0.5, "unknown") }, undefined, usage(1, 20, 300, 4000, undefined)],
    ["a price with no basis", { glm: model(0.5) }, undefined, usage(1, 20, 300, 4000, undefined)],
    ["two models", { opus: model(0.5, "list"), haiku: model(0.25, "list") }, undefined, usage(2, 40, 600, 8000, 0.75)],
    [
      "two models, one of them unknown",
      { opus: model(0.5, "list"), glm: model(0.25, "unknown") },
      undefined,
      usage(2, 40, 600, 8000, undefined),
    ],
    ["no request at all", {}, { input_tokens: 5 }, usage(0, 0, 0, 0, 0)],
    ["impossible figures", undefined, { input_tokens: -5, output_tokens: "6" }, usage(0, 0, 0, 0, undefined)],
  ];
  for (const [name, models, tokens, expected] of table)
    test(name, () => {
      const line = { type: "result", usage: tokens, model_usage_since_last_result: models, total_cost_usd: 9 };
      expect(readStreamLine(line)).toMatchObject({ result: { usage: expected } });
    });
});

describe("usageMeter", () => {
  const message = (id: string, input_tokens: number) =>
    readStreamLine({ type: "assistant", message: { id, usage: { input_tokens }, content: [] } });
  const result = (input_tokens: number) => readStreamLine({ type: "result", usage: { input_tokens } });
  const LONG_RUN = Array.from({ length: 2500 }, (_, index) => message(`${index}`, 1));
  const table: [name: string, lines: (StreamEvent | "end of run")[], input: number][] = [
    ["a result counts, not the messages before it", [message("a", 5), message("b", 7), result(13)], 13],
    ["several results add up", [message("a", 5), result(5), message("b", 7), result(7)], 12],
    ["without a result the messages count, each once", [message("a", 5), message("a", 5), message("b", 7)], 12],
    ["a killed run before one with a result", [message("a", 5), "end of run", message("b", 7), result(7)], 12],
    ["a killed run after a result", [message("a", 5), result(5), message("b", 7)], 12],
    ["a long run without a result", LONG_RUN, 2500],
    ["a long run with one: each message counts once", [...LONG_RUN, result(2500)], 2500],
  ];
  for (const [name, lines, input] of table)
    test(name, () => {
      const meter = usageMeter();
      for (const line of lines) {
        if (line === "end of run") meter.endRun();
        else meter.read(line);
      }
      expect(meter.total().inputTokens).toBe(input);
    });
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
    [
      "a prompt that Claude Code itself sends",
      user("go on", { promptSource: "system" }),
      { id: undefined, byUser: false, text: "go on" },
    ],
    [
      "a prompt of another origin",
      user("go on", { promptSource: "sdk", origin: { kind: "cron" } }),
      { id: undefined, byUser: false, text: "go on" },
    ],
    ["feedback", user("Stop hook feedback:\nx", { isMeta: true }), undefined],
    ["a tool's result", user([{ type: "tool_result", content: "x" }]), undefined],
    ["a tool's result and a reminder", user([{ type: "tool_result" }, { type: "text", text: "x" }]), undefined],
    ["a delegated agent's", user("x", { isSidechain: true }), undefined],
    ["a summary", user("x", { isCompactSummary: true }), undefined],
    ["an answer", JSON.stringify({ type: "assistant", message: { content: "x" } }), undefined],
    ["a broken line", '{"type":"user","mess', undefined],
  ];
  for (const [name, line, prompt] of table)
    test(name, () => expect(readPrompt(line)).toEqual(prompt as ReturnType<typeof readPrompt>));
});
