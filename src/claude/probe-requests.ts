import type { Json } from "../text/json.ts";
import { type ApiRequest, messagesRequest } from "./api-request.ts";
import type { Dialect } from "./dialect.ts";

/** Small conversations in Claude Code's own words to a server: the same fields, betas and kinds of blocks. */
export interface Prober {
  readonly env: Readonly<Record<string, string>>;
  readonly model: string;
  readonly dialect: Dialect;
}

/** The tool that a model is asked to call. */
export const PROBE_TOOL = "report_word";

export function streamingProbe(prober: Prober): ApiRequest {
  return probe(prober, [user("Reply with the word ok."), system("Use one word.")], []);
}

export function toolCallProbe(prober: Prober): ApiRequest {
  return probe(prober, [user(TOOL_TASK), system("Use tools without asking.")], [TOOL]);
}

/** The same conversation with the model's own answer, and the result of its call. */
export function toolResultProbe(prober: Prober, answer: readonly Json[], callId: string): ApiRequest {
  const result = { type: "tool_result", tool_use_id: callId, content: "The word was reported." };
  // Servers reject an empty text, even one of their own.
  const content = answer.filter(({ type, text }) => type !== "text" || text !== "");
  const messages = [user(TOOL_TASK), { role: "assistant", content }, { role: "user", content: [result] }];
  return probe(prober, messages, [TOOL]);
}

/** A tool that the model knows only by a `tool_reference`. Without thinking, because the call before is made up. */
export function toolReferenceProbe({ dialect, ...rest }: Prober): ApiRequest {
  const call = { type: "tool_use", id: "toolu_ccc1", name: SEARCH.name, input: { query: `select:${PROBE_TOOL}` } };
  const found = [{ type: "tool_reference", tool_name: PROBE_TOOL }];
  const messages = [
    user(`Find the tool ${PROBE_TOOL} with ${SEARCH.name}. ${TOOL_TASK}`),
    { role: "assistant", content: [call] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: found }] },
  ];
  const tools = [SEARCH, { ...TOOL, defer_loading: true }];
  return probe({ ...rest, dialect: { ...dialect, thinking: false } }, messages, tools, [
    "advanced-tool-use-2025-11-20",
  ]);
}

const TOOL_TASK = `Call the tool ${PROBE_TOOL} with the word "ready".`;

const TOOL = {
  name: PROBE_TOOL,
  description: "Reports one word to the user.",
  input_schema: {
    type: "object",
    properties: { word: { type: "string", description: "the word" } },
    required: ["word"],
    additionalProperties: false,
  },
};

const SEARCH = {
  name: "ToolSearch",
  description: "Loads the definition of a deferred tool, so that it can be called.",
  input_schema: { type: "object", properties: { query: { type: "string" } }, required: ["query"] },
};

function user(text: string): Json {
  return { role: "user", content: [{ type: "text", text }] };
}

function system(text: string): Json {
  return { role: "system", content: [{ type: "text", text }] };
}

const CACHED = { cache_control: { type: "ephemeral" } };
const IDENTITY = "You are a coding agent in a terminal. This is a test of the connection.";

function probe(
  { env, model, dialect }: Prober,
  messages: readonly Json[],
  tools: readonly Json[],
  features: readonly string[] = [],
): ApiRequest {
  const fields = {
    max_tokens: dialect.maxTokens,
    stream: true,
    system: [{ type: "text", text: IDENTITY, ...CACHED }],
    messages: dialect.systemMessages ? messages : messages.filter(({ role }) => role !== "system"),
    ...(tools.length === 0 ? {} : { tools }),
    ...(dialect.thinking ? { thinking: { type: "adaptive" } } : {}),
    ...(dialect.effort ? { output_config: { effort: "high" } } : {}),
    ...(dialect.betas && dialect.thinking
      ? { context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] } }
      : {}),
  };
  const betas = dialect.betas ? ["context-management-2025-06-27", "mid-conversation-tool-changes-2026-07-01"] : [];
  const stable = ["interleaved-thinking-2025-05-14", "effort-2025-11-24"];
  return messagesRequest(env, model, fields, [...stable, ...betas, ...features]);
}
