import { ANSWER_TOOL, type Turn, type TurnUsage } from "./turns.ts";

/** A response of the Messages API, as one JSON object or as a stream of events. */
export function answer(turn: Turn, model: string, stream: boolean): Response {
  if ("fail" in turn) {
    const error = { type: "api_error", message: turn.message ?? `scripted error ${turn.fail}` };
    return Response.json({ type: "error", error }, { status: turn.fail });
  }
  const blocks = contentBlocks(turn);
  const usage = turn.usage ?? USAGE;
  const stop_reason = blocks[0]?.type === "tool_use" ? "tool_use" : "end_turn";
  const message = { id: `msg_${crypto.randomUUID()}`, type: "message", role: "assistant", model, stop_sequence: null };
  if (!stream) return Response.json({ ...message, content: blocks, stop_reason, usage });
  const events = [
    { type: "message_start", message: { ...message, content: [], stop_reason: null, usage } },
    ...blocks.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: emptied(block) },
      { type: "content_block_delta", index, delta: delta(block) },
      { type: "content_block_stop", index },
    ]),
    {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: "message_stop" },
  ];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  return new Response(text, { headers: { "content-type": "text/event-stream" } });
}

const USAGE: TurnUsage = { input_tokens: 10, output_tokens: 5 };

type Block = { type: "text"; text: string } | { type: "tool_use"; id: string; name: string; input: unknown };

function contentBlocks(turn: Exclude<Turn, { fail: number }>): Block[] {
  if ("say" in turn) return [{ type: "text", text: turn.say }];
  if ("verdict" in turn) return [toolUse(ANSWER_TOOL, turn.verdict)];
  const calls = "calls" in turn ? turn.calls : [turn];
  return calls.map(({ use, input }) => toolUse(use, input));
}

function toolUse(name: string, input: unknown): Block {
  return { type: "tool_use", id: `toolu_${crypto.randomUUID().replaceAll("-", "")}`, name, input };
}

function emptied(block: Block): Block {
  return block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
}

function delta(block: Block) {
  if (block.type === "text") return { type: "text_delta", text: block.text };
  return { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
}
