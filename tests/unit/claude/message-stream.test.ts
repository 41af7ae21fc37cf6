import { describe, expect, test } from "bun:test";
import { callInput, readMessage } from "../../../src/claude/message-stream.ts";

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

test("the input of a call is an object or nothing", () => {
  expect(callInput({ input: { a: 1 } })).toEqual({ a: 1 });
  expect(callInput({ input: "" })).toEqual({});
  for (const input of ['{"a"', "[1]", [1], null, 7]) expect(callInput({ input })).toBeUndefined();
});
