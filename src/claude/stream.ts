import * as v from "valibot";
import { lenient, SessionIdSchema } from "./events.ts";

/** Something that a reviewer opened or ran. */
export interface ReviewerLook extends Pick<ToolUse, "name" | "what"> {
  /** The beginning of what it saw. */
  readonly seen: string;
}

/** Collects what a run looked at. A call that was refused, or found nothing to read, shows nothing. */
export function lookCollector() {
  const asked = new Map<string, ToolUse>();
  const looks: ReviewerLook[] = [];
  return {
    read(event: StreamEvent): void {
      if (event.kind === "text") {
        for (const call of event.tools)
          if (LOOKING.includes(call.name) && asked.size < MOST_CALLS) asked.set(call.id, call);
      }
      if (event.kind !== "tool results") return;
      for (const { id, isError, text } of event.results) {
        const call = asked.get(id);
        asked.delete(id);
        if (call === undefined || looks.length >= MOST_CALLS) continue;
        // A command that failed was still seen to fail, such as a test.
        if (!isError || (call.name === "Bash" && text.startsWith("Exit code "))) {
          looks.push({ name: call.name, what: call.what.slice(0, LONGEST_LOOK), seen: text.slice(0, LONGEST_SEEN) });
        }
      }
    },
    looks: (): readonly ReviewerLook[] => looks,
  };
}

const LOOKING: readonly string[] = ["Bash", "Read", "Grep", "Glob", "LS"];
const MOST_CALLS = 1_000;
const LONGEST_LOOK = 1_000;
const LONGEST_SEEN = 30_000;

/** What requests to a model used. */
export interface Usage {
  /** Input that the prompt cache had no part in. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Undefined if Claude Code does not know the price of a model, or does not say what this run alone cost. */
  readonly costUsd: number | undefined;
}

export const NO_USAGE: Usage = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  costUsd: 0,
};

export function addUsage(one: Usage, other: Usage): Usage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    cacheReadTokens: one.cacheReadTokens + other.cacheReadTokens,
    cacheWriteTokens: one.cacheWriteTokens + other.cacheWriteTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    costUsd: one.costUsd === undefined || other.costUsd === undefined ? undefined : one.costUsd + other.costUsd,
  };
}

const figure = lenient(v.pipe(v.number(), v.finite(), v.minValue(0)));

/** The usage of a message, and of a run without its delegated agents. */
const TokensSchema = v.object({
  input_tokens: figure,
  cache_read_input_tokens: figure,
  cache_creation_input_tokens: figure,
  output_tokens: figure,
});

/** The usage by model, delegated agents included. */
const ModelUsageSchema = v.record(
  v.string(),
  v.object({
    inputTokens: figure,
    cacheReadInputTokens: figure,
    cacheCreationInputTokens: figure,
    outputTokens: figure,
    costUSD: figure,
    /** "unknown" if the cost is that of another model. */
    costBasis: lenient(v.string()),
  }),
);

function usageOfTokens(tokens: v.InferOutput<typeof TokensSchema> | undefined): Usage {
  return {
    inputTokens: tokens?.input_tokens ?? 0,
    cacheReadTokens: tokens?.cache_read_input_tokens ?? 0,
    cacheWriteTokens: tokens?.cache_creation_input_tokens ?? 0,
    outputTokens: tokens?.output_tokens ?? 0,
    costUsd: undefined,
  };
}

function usageOfModels(models: v.InferOutput<typeof ModelUsageSchema>): Usage {
  const each = Object.values(models).map((model) => ({
    inputTokens: model.inputTokens ?? 0,
    cacheReadTokens: model.cacheReadInputTokens ?? 0,
    cacheWriteTokens: model.cacheCreationInputTokens ?? 0,
    outputTokens: model.outputTokens ?? 0,
    costUsd: (model.costBasis ?? "unknown") === "unknown" ? undefined : model.costUSD,
  }));
  return each.reduce(addUsage, NO_USAGE);
}

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

/** Whether a run ended because its session is longer than the model allows. Providers word it in their own ways. */
export function isTooLong({ isError, answer, errors, status }: StreamResult): boolean {
  if (!isError || (status !== undefined && status !== 400 && status !== 413)) return false;
  const text = [typeof answer === "string" ? answer : "", ...errors].join("\n");
  return status === 413 || (TOO_LONG.test(text) && !OTHER_LIMIT.test(text));
}

const TOO_LONG = new RegExp(
  [
    "prompt is too long",
    "(context|token|length|input)[^.\\n]{0,60}(exceed|too long|too large|limit)",
    "(exceed|too long|over)[^.\\n]{0,60}(context|tokens?\\b|length)",
    "maximum context",
    "上下文|最大长度|超出.{0,20}(长度|限制)",
  ].join("|"),
  "i",
);

const OTHER_LIMIT = /output tokens|rate.?limit|per minute|quota/i;

/** Whether a line of the stream says that Claude Code summarizes the session, to make it shorter. */
export function isCompaction(line: unknown): boolean {
  return v.is(CompactionSchema, line);
}

const CompactionSchema = v.variant("subtype", [
  v.object({ type: v.literal("system"), subtype: v.literal("compact_boundary") }),
  v.object({ type: v.literal("system"), subtype: v.literal("status"), status: v.literal("compacting") }),
]);

/**
 * Adds up the usage in a stream. Each result covers what came after the one before it, and a stream may have several. A
 * run that was killed has none: then its messages count.
 */
export function usageMeter() {
  let total: Usage = NO_USAGE;
  // A message of several blocks comes in several lines, all with its whole usage.
  const open = new Map<string, Usage>();
  const sum = () => [...open.values()].reduce(addUsage, total);
  const endRun = () => {
    total = sum();
    open.clear();
  };
  return {
    read(event: StreamEvent): void {
      if (event.kind === "result") {
        total = addUsage(total, event.result.usage);
        open.clear();
      }
      if (event.kind !== "text" || event.usage === undefined) return;
      open.set(event.usage.messageId, event.usage.usage);
    },
    /** The next line is that of another run. */
    endRun,
    total: sum,
  };
}
