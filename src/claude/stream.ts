import * as v from "valibot";
import { lenient } from "./lenient.ts";
import { SessionIdSchema } from "./stop-event.ts";
import { ModelUsageSchema, TokensSchema, type Usage, usageOfModels, usageOfTokens } from "./token-usage.ts";

/** A line of `--output-format stream-json`, as far as ccc needs it. */
export type StreamEvent =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly tools: readonly ToolUse[];
      readonly usage: MessageUsage | undefined;
      /** Whether Claude Code says it, because the API gave an error. */
      readonly isApiError?: boolean;
    }
  | { readonly kind: "tool results"; readonly results: readonly ToolResult[] }
  | ({ readonly kind: "retry" } & Retry)
  | { readonly kind: "result"; readonly result: StreamResult }
  | { readonly kind: "other" };

/** An API error after which Claude Code tries again. The text of the error is not in the stream. */
export interface Retry {
  /** The HTTP status; undefined if the server was not reached. */
  readonly status: number | undefined;
  readonly attempt: number | undefined;
  readonly most: number | undefined;
}

/** A tool call, and its most telling argument. */
export interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly what: string;
}

export interface ToolResult {
  /** That of the call. */
  readonly id: string;
  readonly isError: boolean;
  readonly text: string;
}

export interface MessageUsage {
  readonly messageId: string;
  readonly usage: Usage;
}

export interface StreamResult {
  readonly subtype: string;
  /** Of this run, or of its part since an earlier result. */
  readonly usage: Usage;
  readonly isError: boolean;
  /** The HTTP status of the API error that ended the run. */
  readonly status: number | undefined;
  readonly errorType: string | undefined;
  /** The answer in the requested schema. */
  readonly structured: unknown;
  /** The answer as text, or what the model said instead. */
  readonly answer: unknown;
  /** Why there is no answer. */
  readonly errors: readonly string[];
}

/** Reads a parsed line. Anything unknown is "other". */
export function readStreamLine(line: unknown): StreamEvent {
  const found = v.safeParse(LineSchema, line);
  if (!found.success) return { kind: "other" };
  const { type, subtype, message, content } = found.output;
  if (type === "assistant")
    return {
      kind: "text",
      text: textOf(message?.content),
      tools: toolsOf(message?.content),
      usage: messageUsage(message),
      ...(found.output.error !== undefined && { isApiError: true }),
    };
  if (type === "text")
    return { kind: "text", text: typeof content === "string" ? content : "", tools: [], usage: undefined };
  if (type === "user") return { kind: "tool results", results: resultsOf(message?.content) };
  if (type === "system" && subtype === "api_retry") {
    const { error_status: status, attempt, max_retries: most } = found.output;
    return { kind: "retry", status, attempt, most };
  }
  if (type !== "result") return { kind: "other" };
  return {
    kind: "result",
    result: {
      subtype: subtype ?? "",
      usage: resultUsage(found.output),
      isError: found.output.is_error === true,
      status: found.output.api_error_status,
      errorType: found.output.api_error_type,
      structured: found.output.structured_output,
      answer: found.output.result,
      errors: found.output.errors,
    },
  };
}

const LineSchema = v.object({
  type: v.string(),
  subtype: lenient(v.string()),
  message: lenient(
    v.object({ content: v.optional(v.unknown()), id: lenient(v.string()), usage: lenient(TokensSchema) }),
  ),
  content: v.optional(v.unknown()),
  error_status: lenient(v.number()),
  error: lenient(v.string()),
  attempt: lenient(v.number()),
  max_retries: lenient(v.number()),
  api_error_status: lenient(v.number()),
  api_error_type: lenient(v.string()),
  is_error: lenient(v.boolean()),
  structured_output: v.optional(v.unknown()),
  result: v.optional(v.unknown()),
  errors: v.fallback(v.optional(v.array(v.string()), []), []),
  usage: lenient(TokensSchema),
  model_usage_since_last_result: lenient(ModelUsageSchema),
});

type Line = v.InferOutput<typeof LineSchema>;

function messageUsage(message: Line["message"]): MessageUsage | undefined {
  if (message?.id === undefined || message.usage === undefined) return undefined;
  return { messageId: message.id, usage: usageOfTokens(message.usage) };
}

/** `total_cost_usd` and `modelUsage` do not count: they are those of the whole session, or of the run, by version. */
function resultUsage({ usage, model_usage_since_last_result: models }: Line): Usage {
  return models === undefined ? usageOfTokens(usage) : usageOfModels(models);
}

/** The session of a line; the field has two spellings. */
export function sessionOf(line: unknown): string | undefined {
  const found = v.safeParse(SessionSchema, line);
  return found.success ? (found.output.session_id ?? found.output.sessionId) : undefined;
}

const SessionSchema = v.object({ session_id: lenient(SessionIdSchema), sessionId: lenient(SessionIdSchema) });

const TextBlock = v.object({ type: v.literal("text"), text: v.string() });

/** The text of a message. Its content is a string or a list of blocks. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => (v.is(TextBlock, block) ? [block.text] : [])).join("\n");
}

const ResultBlock = v.object({
  type: v.literal("tool_result"),
  tool_use_id: v.string(),
  is_error: v.optional(v.boolean(), false),
  content: v.optional(v.unknown()),
});

function resultsOf(content: unknown): ToolResult[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    const found = v.safeParse(ResultBlock, block);
    if (!found.success) return [];
    const { tool_use_id: id, is_error: isError, content: text } = found.output;
    return [{ id, isError, text: textOf(text) }];
  });
}

const ToolBlock = v.object({
  type: v.literal("tool_use"),
  id: v.optional(v.string(), ""),
  name: v.string(),
  input: v.record(v.string(), v.unknown()),
});
const TELLING = ["command", "file_path", "path", "pattern", "url", "query", "description", "prompt"];

function toolsOf(content: unknown): ToolUse[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => {
    const found = v.safeParse(ToolBlock, block);
    if (!found.success) return [];
    const { id, name, input } = found.output;
    return [{ id, name, what: tellingInput(input) }];
  });
}

/** The argument of a tool call that says most about it. */
export function tellingInput(input: Readonly<Record<string, unknown>>): string {
  const what = TELLING.map((name) => input[name]).find((value) => typeof value === "string");
  return typeof what === "string" ? what : "";
}
