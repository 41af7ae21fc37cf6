import type { Fetch } from "../../../../src/world.ts";

export interface Asked {
  readonly model: string;
  readonly max_tokens: number;
  readonly stream?: boolean;
  readonly thinking?: unknown;
  readonly output_config?: unknown;
  readonly context_management?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string; readonly defer_loading?: boolean }[];
}

/** What a server says to a request, or undefined to answer as it should. */
export type Objection = (body: Asked, headers: Headers) => Response | undefined;

/** A server that can do everything, except what it objects to. */
export function scriptedServer(objection: Objection = () => undefined) {
  const asked: Asked[] = [];
  const fetch: Fetch = async (_, init) => {
    const body: Asked = JSON.parse(String(init.body));
    asked.push(body);
    return objection(body, new Headers(init.headers)) ?? answer(body);
  };
  return { fetch, asked };
}

export const refusal = (message: string, status = 400) =>
  Response.json({ type: "error", error: { type: "invalid_request_error", message } }, { status });

/** The parts of a stream, for servers that send only some of them. */
export function stream(block: Record<string, unknown>, delta: object, parts = 99, stop_reason = "end_turn"): Response {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const events = [
    { type: "message_start", message: { type: "message", role: "assistant", content: [], usage } },
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ];
  return new Response(
    events
      .slice(0, parts)
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join(""),
  );
}

export const say = (text: string, parts?: number, stopReason?: string) =>
  stream({ type: "text", text: "" }, { type: "text_delta", text }, parts, stopReason);

export const call = (json: string, name = "report_word") =>
  stream({ type: "tool_use", id: "call_1", name, input: {} }, { type: "input_json_delta", partial_json: json });

export const isAfterResult = ({ messages }: Asked) => JSON.stringify(messages.at(-1)).includes("tool_result");
export const isReference = ({ tools = [] }: Asked) => tools.some(({ defer_loading }) => defer_loading);
export const isToolCall = (body: Asked) => (body.tools ?? []).length > 0 && !isAfterResult(body);

function answer(body: Asked): Response {
  if (body.stream !== true) return Response.json({ type: "message", content: [], usage: {} });
  return isToolCall(body) || isReference(body) ? call('{"word":"ready"}') : say("ok");
}
