/** Requests to the Messages API as Claude Code makes them: where they go, what they carry, and how an answer is read. */
import { asObject, isObject, type Json, parseJson } from "../text/json.ts";
import { ANTHROPIC, CLOUDS, isOn } from "./connection.ts";
import { TOOL_SEARCH } from "./models.ts";
import { NEWEST_TESTED } from "./versions.ts";

/** A request to the Messages API like Claude Code's, only smaller. */
export interface ApiRequest {
  readonly url: string;
  readonly model: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The smallest request that shows whether URL, key and model are right. */
export function apiRequest(env: Readonly<Record<string, string>>, model: string): ApiRequest {
  return messagesRequest(env, model, { max_tokens: 1, messages: [{ role: "user", content: "hi" }] });
}

/** A request with these fields besides the model. */
function messagesRequest(
  env: Readonly<Record<string, string>>,
  model: string,
  fields: Json,
  features: readonly string[] = [],
): ApiRequest {
  const { ANTHROPIC_AUTH_TOKEN: token = "", ANTHROPIC_API_KEY: key = "" } = env;
  const betas = ["claude-code-20250219", ...features, env.ANTHROPIC_BETAS ?? ""].filter((name) => name !== "");
  return {
    url: `${(env.ANTHROPIC_BASE_URL || ANTHROPIC).replace(/\/$/, "")}/v1/messages?beta=true`,
    model,
    headers: {
      accept: "application/json",
      "content-type": "application/json",
      "anthropic-version": "2023-06-01",
      "anthropic-beta": betas.join(","),
      // Some servers offer their coding plans to Claude Code only.
      "user-agent": `claude-cli/${NEWEST_TESTED} (external, cli)`,
      "x-app": "cli",
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(key === "" ? {} : { "x-api-key": key }),
      ...customHeaders(env.ANTHROPIC_CUSTOM_HEADERS ?? ""),
    },
    body: JSON.stringify({ model, ...fields }),
  };
}

/** Where requests go and which credentials they carry, each with the setting that determines it. */
export interface Sent<T> {
  /** A base URL, or the name of a cloud service. */
  readonly to: string;
  readonly toFrom: T | undefined;
  readonly authorization: Credential<T> | undefined;
  readonly apiKey: Credential<T> | undefined;
}

export interface Credential<T> {
  readonly value: string;
  readonly from: T;
}

/** The settings in force: each value with where it comes from. */
export interface InForce<T> {
  readonly variable: (name: string) => Credential<T> | undefined;
  readonly helper: T | undefined;
  readonly storedKey: Credential<T> | undefined;
  readonly storedToken: Credential<T> | undefined;
}

/**
 * What Claude Code 2.1.325 sends, as measured. The bearer token is ANTHROPIC_AUTH_TOKEN, else the helper's key. x-api-key is
 * ANTHROPIC_API_KEY, else the helper's key, else a stored key, whatever the bearer token is. A subscription is used only
 * without ANTHROPIC_AUTH_TOKEN, ANTHROPIC_API_KEY and helper, and then instead of a stored key. Custom headers override both.
 */
export function whatIsSent<T>({ variable, helper, storedKey, storedToken }: InForce<T>): Sent<T> {
  for (const cloud of CLOUDS) {
    const found = variable(cloud.variable);
    if (found !== undefined && isOn(found.value)) {
      return { to: cloud.service, toFrom: found.from, authorization: undefined, apiKey: undefined };
    }
  }
  const base = variable("ANTHROPIC_BASE_URL");
  const token = variable("ANTHROPIC_AUTH_TOKEN");
  const key = variable("ANTHROPIC_API_KEY");
  const helped = helper === undefined ? undefined : { value: "", from: helper };
  const isLogin = token === undefined && key === undefined && helped === undefined;
  const subscription = isLogin ? (variable("CLAUDE_CODE_OAUTH_TOKEN") ?? storedToken) : undefined;
  const custom = variable("ANTHROPIC_CUSTOM_HEADERS");
  return {
    to: base?.value ?? ANTHROPIC,
    toFrom: base?.from,
    authorization: header("authorization", custom) ?? token ?? helped ?? subscription,
    apiKey: header("x-api-key", custom) ?? key ?? helped ?? (subscription === undefined ? storedKey : undefined),
  };
}

function header<T>(name: string, custom: Credential<T> | undefined): Credential<T> | undefined {
  const value = customHeaders(custom?.value ?? "")[name];
  return custom === undefined || value === undefined ? undefined : { value, from: custom.from };
}

/** The headers in ANTHROPIC_CUSTOM_HEADERS, with names in lower case. */
function customHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    const name = at === -1 ? "" : line.slice(0, at).trim().toLowerCase();
    if (name !== "") headers[name] = line.slice(at + 1).trim();
  }
  return headers;
}

/** What Claude Code 2.1.325 puts into the requests for a model that it does not know, as measured. */
interface Dialect {
  /** Fields and features that are still in beta. */
  readonly betas: boolean;
  readonly thinking: boolean;
  readonly effort: boolean;
  /** Messages of the role "system" within a conversation. */
  readonly systemMessages: boolean;
  readonly maxTokens: number;
  /** Tools are deferred behind `tool_reference`. */
  readonly toolSearch: boolean;
}

type Variables = Readonly<Record<string, string>>;

const NO_BETAS = "CLAUDE_CODE_DISABLE_EXPERIMENTAL_BETAS";
const THINKING = "MAX_THINKING_TOKENS";
const EFFORT = "CLAUDE_CODE_EFFORT_LEVEL";
const MAX_OUTPUT = "CLAUDE_CODE_MAX_OUTPUT_TOKENS";

/** The dialect with these variables. */
export function dialectOf(env: Variables): Dialect {
  const betas = !isOn(env[NO_BETAS] ?? "");
  return {
    betas,
    thinking: env[THINKING] !== "0" && !isOn(env.CLAUDE_CODE_DISABLE_THINKING ?? ""),
    effort: !["auto", "unset"].includes(env[EFFORT] ?? ""),
    systemMessages: true,
    maxTokens: Number(env[MAX_OUTPUT]) || 32_000,
    toolSearch: betas && !/^(false|0|no|off)$/i.test(env[TOOL_SEARCH] ?? ""),
  };
}

/** A setting that makes Claude Code's requests simpler, for servers that reject something in them. */
export interface SimplerDialect {
  /** Undefined if Claude Code has no such setting. */
  readonly setting: string | undefined;
  readonly what: string;
  /** What a server's complaint about it mentions. */
  readonly hint: RegExp;
  /** The complaints after which Claude Code omits it by itself. */
  readonly adapts?: RegExp;
  readonly simplify: (dialect: Dialect) => Dialect;
}

export const SIMPLER_DIALECTS: readonly SimplerDialect[] = [
  {
    setting: `${NO_BETAS}=1`,
    what: "beta features",
    hint: /beta|context.management/i,
    adapts: /context_management: Extra inputs are not permitted/,
    simplify: (each) => ({ ...each, betas: false }),
  },
  {
    setting: `${THINKING}=0`,
    what: "the field thinking",
    hint: /thinking|adaptive/i,
    simplify: (each) => ({ ...each, thinking: false }),
  },
  {
    setting: `${EFFORT}=auto`,
    what: "the field output_config",
    hint: /output_config|effort/i,
    simplify: (each) => ({ ...each, effort: false }),
  },
  {
    setting: `${MAX_OUTPUT}=8192`,
    what: "answers of up to 32,000 tokens",
    hint: /max_tokens|max_output|32000/i,
    simplify: (each) => ({ ...each, maxTokens: Math.min(each.maxTokens, 8192) }),
  },
  {
    setting: undefined,
    what: "system messages within a conversation",
    hint: /role|system/i,
    adapts: /unexpected role "system"/i,
    simplify: (each) => ({ ...each, systemMessages: false }),
  },
];

/** A message of the Messages API, however it arrived. */
export interface StreamedMessage {
  /** Whether it came as events, as Claude Code requests it. */
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
    blocks: json.content.map(asObject).map(withParsedInput),
    stopReason: String(json.stop_reason ?? ""),
    ...tokensOf(json.usage),
    error: undefined,
  };
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

/** The input of a tool call arrives as pieces of text, from some servers as a single one. */
function withParsedInput(block: Json): Json {
  if (block.type !== "tool_use" || typeof block.input !== "string") return block;
  const input = parseJson(block.input || "{}");
  return isObject(input) ? { ...block, input } : block;
}

function tokensOf(usage: unknown) {
  const { input_tokens, output_tokens } = asObject(usage);
  return { inputTokens: Number(input_tokens) || 0, outputTokens: Number(output_tokens) || 0 };
}

/** Small conversations with a server, as Claude Code has them: the same fields, betas and kinds of blocks. */
export interface Prober {
  readonly env: Readonly<Record<string, string>>;
  readonly model: string;
  readonly dialect: Dialect;
}

/** The tool that a model is asked to call. */
export const PROBE_TOOL = "report_word";

/** The requests that probe a server. */
export function probesOf(prober: Prober) {
  return {
    streaming: probe(prober, [user("Reply with the word ok."), system("Use one word.")], []),
    toolCall: probe(prober, [user(TOOL_TASK), system("Use tools without asking.")], [TOOL]),
    toolResult: (answer: readonly Json[], callId: string) => toolResultProbe(prober, answer, callId),
    toolReference: toolReferenceProbe(prober),
  };
}

/** The same conversation with the model's own answer, and the result of its call. */
function toolResultProbe(prober: Prober, answer: readonly Json[], callId: string): ApiRequest {
  const result = { type: "tool_result", tool_use_id: callId, content: "The word was reported." };
  // Servers reject an empty text, even one of their own.
  const content = answer.filter(({ type, text }) => type !== "text" || text !== "");
  const messages = [user(TOOL_TASK), { role: "assistant", content }, { role: "user", content: [result] }];
  return probe(prober, messages, [TOOL]);
}

/** A tool that the model knows only by a `tool_reference`. Without thinking, because the call before is made up. */
function toolReferenceProbe({ dialect, ...rest }: Prober): ApiRequest {
  const call = { type: "tool_use", id: "toolu_ccc1", name: SEARCH.name, input: { query: `select:${PROBE_TOOL}` } };
  const found = [{ type: "tool_reference", tool_name: PROBE_TOOL }];
  const messages = [
    user(`Find the tool ${PROBE_TOOL} with ${SEARCH.name}. ${TOOL_TASK}`),
    { role: "assistant", content: [call] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: found }] },
  ];
  const tools = [SEARCH, { ...TOOL, defer_loading: true }];
  const features = ["advanced-tool-use-2025-11-20"];
  return probe({ ...rest, dialect: { ...dialect, thinking: false } }, messages, tools, features);
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
