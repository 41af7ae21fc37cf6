import { asObject, type Json, parseJson } from "../text/json.ts";

/** A message of the Messages API, however it arrived. */
export interface StreamedMessage {
  /** Whether it came as events, as Claude Code asks for it. */
  readonly isStreamed: boolean;
  /** Whether its end arrived too. */
  readonly isComplete: boolean;
  readonly blocks: readonly Json[];
  readonly stopReason: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** An error in the middle of the stream. */
  readonly error: string | undefined;
}

/** Reads the body of an answer; undefined if it is not a message. */
export function readMessage(body: string): StreamedMessage | undefined {
  const events = eventsOf(body);
  if (events.some(({ type }) => type === "message_start")) return fromEvents(events);
  const json = asObject(parseJson(body));
  if (json.type !== "message" || !Array.isArray(json.content)) return undefined;
  return {
    isStreamed: false,
    isComplete: true,
    blocks: json.content.map(asObject),
    stopReason: String(json.stop_reason ?? ""),
    ...tokensOf(json.usage),
    error: undefined,
  };
}

/** The input of a tool call: an object, or undefined if what arrived is none. */
export function callInput(block: Json): Json | undefined {
  const input = typeof block.input === "string" ? parseJson(block.input || "{}") : block.input;
  return typeof input === "object" && input !== null && !Array.isArray(input) ? (input as Json) : undefined;
}

function eventsOf(body: string): Json[] {
  const data = body.split(/\r?\n/).filter((line) => line.startsWith("data:"));
  return data.map((line) => asObject(parseJson(line.slice("data:".length))));
}

function fromEvents(events: readonly Json[]): StreamedMessage {
  const blocks: Record<string, unknown>[] = [];
  let stopReason = "";
  let tokens = { inputTokens: 0, outputTokens: 0 };
  for (const event of events) {
    const index = Number(event.index ?? 0);
    if (event.type === "message_start") tokens = tokensOf(asObject(event.message).usage);
    if (event.type === "content_block_start") blocks[index] = { ...asObject(event.content_block) };
    if (event.type === "content_block_delta") append(blocks[index], asObject(event.delta));
    // Only a message_delta has a stop reason, and usage at its top level.
    stopReason = String(asObject(event.delta).stop_reason ?? stopReason);
    const last = tokensOf(event.usage);
    tokens = {
      inputTokens: last.inputTokens || tokens.inputTokens,
      outputTokens: last.outputTokens || tokens.outputTokens,
    };
  }
  const failed = events.find(({ type }) => type === "error");
  return {
    isStreamed: true,
    isComplete: events.some(({ type }) => type === "message_stop"),
    blocks: blocks.filter((block) => block !== undefined).map(withParsedInput),
    stopReason,
    ...tokens,
    error: failed === undefined ? undefined : String(asObject(failed.error).message ?? "an error"),
  };
}

/** Deltas carry the parts of a block under the block's own field names, except the input of a tool call. */
function append(block: Record<string, unknown> | undefined, delta: Json): void {
  if (block === undefined) return;
  for (const [name, part] of Object.entries(delta)) {
    if (name === "type" || typeof part !== "string") continue;
    const field = name === "partial_json" ? "input" : name;
    const before = block[field];
    block[field] = (typeof before === "string" ? before : "") + part;
  }
}

function withParsedInput(block: Json): Json {
  return block.type === "tool_use" ? { ...block, input: callInput(block) ?? block.input } : block;
}

function tokensOf(usage: unknown) {
  const { input_tokens, output_tokens } = asObject(usage);
  return { inputTokens: Number(input_tokens) || 0, outputTokens: Number(output_tokens) || 0 };
}
