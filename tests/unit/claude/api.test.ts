import { describe, expect, test } from "bun:test";
import { apiRequest, dialectOf, type Prober, probesOf, readMessage } from "../../../src/claude/api.ts";
import type { Json } from "../../../src/text/json.ts";

describe("api request", () => {
  test.each([
    ["no headers", "", {}],
    ["names in lower case, without the space around them", " X-One : 1 \nX-TWO:2", { "x-one": "1", "x-two": "2" }],
    ["a name of one letter", "a: b", { a: "b" }],
    ["a value with a colon", "origin: https://a.example", { origin: "https://a.example" }],
    ["an empty value", "x:", { x: "" }],
    ["lines of Windows", "a: 1\r\nb: 2\r\n", { a: "1", b: "2" }],
    // A server would never be asked: such a header is an error of fetch.
    ["lines without a name are left out", ": 1\n  : 2\nno colon\na: b", { a: "b" }],
  ])("ANTHROPIC_CUSTOM_HEADERS: %s", (_, text, headers) => {
    const sent = (env: Record<string, string>) => apiRequest(env, "m").headers;
    expect(sent({ ANTHROPIC_CUSTOM_HEADERS: text })).toEqual({ ...sent({}), ...headers });
  });
});

describe("message stream", () => {
  const lines = (...events: object[]) =>
    events.map((event) => `event: x\r\ndata:${JSON.stringify(event)}\r\n\r\n`).join("");
  const START = { type: "message_start", message: { usage: { input_tokens: 3, output_tokens: 1 } } };
  const block = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
  const delta = (index: number, part: object) => ({ type: "content_block_delta", index, delta: part });
  const STOP = { type: "message_stop" };

  describe("a message that arrives as a stream", () => {
    test("its blocks are put together from their parts", () => {
      const found = readMessage(
        lines(
          START,
          block(0, { type: "thinking", thinking: "", signature: "" }),
          delta(0, { type: "thinking_delta", thinking: "h" }),
          delta(0, { type: "thinking_delta", thinking: "m" }),
          delta(0, { type: "signature_delta", signature: "s" }),
          block(1, { type: "tool_use", id: "1", name: "t", input: {} }),
          delta(1, { type: "input_json_delta", partial_json: '{"a"' }),
          delta(1, { type: "input_json_delta", partial_json: ":1}" }),
          { type: "ping" },
          { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 9 } },
          STOP,
        ),
      );
      expect(found).toEqual({
        isStreamed: true,
        isComplete: true,
        blocks: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "tool_use", id: "1", name: "t", input: { a: 1 } },
        ],
        stopReason: "tool_use",
        inputTokens: 3,
        outputTokens: 9,
        error: undefined,
      });
    });
    test("an end that is missing and an error in the middle are noticed", () => {
      expect(readMessage(lines(START))).toMatchObject({ isComplete: false, error: undefined });
      const failed = readMessage(lines(START, { type: "error", error: { message: "overloaded" } }));
      expect(failed).toMatchObject({ isComplete: false, error: "overloaded" });
    });
    test("broken lines and parts without a block are ignored", () => {
      const text = `data: {"type":\ndata: [1]\n${lines(START, delta(4, { type: "text_delta", text: "x" }), STOP)}`;
      expect(readMessage(text)).toMatchObject({ blocks: [], isComplete: true });
    });
  });

  test("a message in one piece is accepted, anything else is not", () => {
    const usage = { input_tokens: 1, output_tokens: 2 };
    const whole = { type: "message", content: [{ type: "text", text: "hi" }], stop_reason: "end_turn", usage };
    expect(readMessage(JSON.stringify(whole))).toMatchObject({ isStreamed: false, isComplete: true, outputTokens: 2 });
    const unmetered = readMessage(JSON.stringify({ ...whole, usage: undefined }));
    expect(unmetered).toMatchObject({ inputTokens: 0, outputTokens: 0 });
    for (const text of ["", "<html>", '{"type":"error"}', 'data: {"object":"chat.completion.chunk"}'])
      expect(readMessage(text)).toBeUndefined();
  });

  describe("the input of a tool call in one piece", () => {
    const inputOf = (input: unknown) =>
      readMessage(JSON.stringify({ type: "message", content: [{ type: "tool_use", input }] }))?.blocks[0]?.input;
    test("is an object", () => expect(inputOf({ a: 1 })).toEqual({ a: 1 }));
    test.each([
      ['{"a":1}', { a: 1 }],
      ["", {}],
    ])("is read from the text %j", (text, input) => expect(inputOf(text)).toEqual(input));
    test.each(['{"a"', "[1]", [1], null, 7])("is left as it is otherwise: %j", (input) =>
      expect(inputOf(input)).toEqual(input),
    );
  });
});

describe("probe requests", () => {
  const prober = (env: Record<string, string> = {}): Prober => ({ env, model: "m", dialect: dialectOf(env) });
  const betasOf = (env: Record<string, string>) =>
    probesOf(prober(env)).streaming.headers["anthropic-beta"]?.split(",") ?? [];

  describe("the features that a probe asks for", () => {
    const BETAS = ["context-management-2025-06-27", "mid-conversation-tool-changes-2026-07-01"];
    test("are Claude Code's, betas included", () => expect(betasOf({})).toEqual(expect.arrayContaining(BETAS)));
    test("are the stable ones, where betas are off", () => {
      const betas = betasOf({ CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1" });
      expect(betas).toEqual(["claude-code-20250219", "interleaved-thinking-2025-05-14", "effort-2025-11-24"]);
    });
    test("are more for a tool behind a reference", () =>
      expect(probesOf(prober()).toolReference.headers["anthropic-beta"]).toEndWith(",advanced-tool-use-2025-11-20"));
  });

  test("the schema of the tool allows no other fields, like those of Claude Code's tools", () =>
    expect(JSON.parse(probesOf(prober()).toolCall.body).tools).toMatchObject([
      { input_schema: { required: ["word"], additionalProperties: false } },
    ]));

  test("the model's own answer goes back to it, without the empty texts that servers reject", () => {
    const call = { type: "tool_use", id: "1", name: "report_word", input: { word: "ready" } };
    const answer: Json[] = [
      { type: "thinking", thinking: "", signature: "s" },
      { type: "text", text: "" },
      { type: "text", text: "I call it." },
      call,
    ];
    const { messages } = JSON.parse(probesOf(prober()).toolResult(answer, "1").body);
    expect(messages[1]).toEqual({ role: "assistant", content: [answer[0], answer[2], call] });
    expect(messages[2].content).toMatchObject([{ type: "tool_result", tool_use_id: "1" }]);
  });
});
