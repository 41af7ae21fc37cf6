import { describe, expect, test } from "bun:test";
import { readStreamLine } from "../../../src/claude/stream.ts";
import { isCompaction, isTooLong } from "../../../src/claude/too-long.ts";

function ended(result: string, more: object = { is_error: true, api_error_status: 400 }) {
  const event = readStreamLine({ type: "result", subtype: "success", result, ...more });
  if (event.kind !== "result") throw new Error("not a result");
  return event.result;
}

describe("a session is too long", () => {
  test.each([
    "Prompt is too long",
    "API Error: 400 This model's maximum context length is 131072 tokens. However, you requested 140000 tokens",
    "API Error: 400 input length and `max_tokens` exceed context limit: 198000 + 32000 > 200000",
    "API Error: 400 Your request exceeded model token limit: 262144",
    "API Error: 400 invalid params, context window exceeds limit (2013)",
    "API Error: 400 Range of input length should be [1, 258048]: input is too long",
    "API Error: 400 输入超出模型最大长度限制",
  ])("%s", (text) => expect(isTooLong(ended(text))).toBe(true));
  test("the words alone are enough", () =>
    expect(isTooLong(ended("Prompt is too long", { is_error: true }))).toBe(true));
  test("the status alone is enough", () =>
    expect(isTooLong(ended("", { is_error: true, api_error_status: 413 }))).toBe(true));
});

describe("a session is not too long", () => {
  test.each(["API Error: 400 bad model", "API Error: 429 rate limit exceeded", "API Error: 403 quota exceeded"])(
    "%s",
    (text) => expect(isTooLong(ended(text))).toBe(false),
  );
  test.each([
    [429, "This request would exceed your organization's rate limit of 50,000 input tokens per minute"],
    [402, "token quota exceeded, please recharge"],
    [400, "max_tokens: 64000 exceeds the maximum allowed number of output tokens"],
  ])("HTTP %d, %s", (api_error_status, text) =>
    expect(isTooLong(ended(text, { is_error: true, api_error_status }))).toBe(false),
  );
  test("an answer that mentions it", () =>
    expect(isTooLong(ended("The prompt is too long for the model.", { is_error: false }))).toBe(false));
});

test.each([
  [{ type: "system", subtype: "compact_boundary" }, true],
  [{ type: "system", subtype: "status", status: "compacting" }, true],
  [{ type: "system", subtype: "status", status: null }, false],
  [{ type: "user", subtype: "compact_boundary" }, false],
  ["compacting", false],
])("%j is a compaction: %p", (line, expected) => expect(isCompaction(line)).toBe(expected));
