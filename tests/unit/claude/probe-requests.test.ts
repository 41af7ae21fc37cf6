import { describe, expect, test } from "bun:test";
import { dialectOf } from "../../../src/claude/dialect.ts";
import {
  type Prober,
  streamingProbe,
  toolCallProbe,
  toolReferenceProbe,
  toolResultProbe,
} from "../../../src/claude/probe-requests.ts";
import type { Json } from "../../../src/text/json.ts";

const prober = (env: Record<string, string> = {}): Prober => ({ env, model: "m", dialect: dialectOf(env) });
const betasOf = (env: Record<string, string>) =>
  streamingProbe(prober(env)).headers["anthropic-beta"]?.split(",") ?? [];

describe("the features that a probe asks for", () => {
  const BETAS = ["context-management-2025-06-27", "mid-conversation-tool-changes-2026-07-01"];
  test("are Claude Code's, betas included", () => expect(betasOf({})).toEqual(expect.arrayContaining(BETAS)));
  test("are the stable ones, where betas are off", () => {
    const betas = betasOf({ CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS: "1" });
    expect(betas).toEqual(["claude-code-20250219", "interleaved-thinking-2025-05-14", "effort-2025-11-24"]);
  });
  test("are more for a tool behind a reference", () =>
    expect(toolReferenceProbe(prober()).headers["anthropic-beta"]).toEndWith(",advanced-tool-use-2025-11-20"));
});

test("the schema of the tool allows no other fields, like those of Claude Code's tools", () =>
  expect(JSON.parse(toolCallProbe(prober()).body).tools).toMatchObject([
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
  const { messages } = JSON.parse(toolResultProbe(prober(), answer, "1").body);
  expect(messages[1]).toEqual({ role: "assistant", content: [answer[0], answer[2], call] });
  expect(messages[2].content).toMatchObject([{ type: "tool_result", tool_use_id: "1" }]);
});
