/** What claude prints with `--output-format stream-json`: events, tool calls, usage. */
import * as v from "valibot";
import { lazySchema, lenient } from "../text/schema.ts";
import { sessionIdSchema } from "./events.ts";

/** A line of `--output-format stream-json`, as far as ccc needs it, with the session that it names. */
export type StreamEvent = EventKind & { readonly session?: string };

type EventKind =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly tools: readonly ToolUse[];
      readonly usage: MessageUsage | undefined;
      /** Whether it is Claude Code's report of an API error. */
      readonly isApiError?: boolean;
    }
  | { readonly kind: "tool results"; readonly results: readonly ToolResult[] }
  | ({ readonly kind: "retry" } & Retry)
  /** Claude Code summarizes the session to make it shorter. */
  | { readonly kind: "compaction" }
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
interface ToolUse {
  readonly id: string;
  readonly name: string;
  readonly what: string;
}

export interface ToolResult {
  /** The call's. */
  readonly id: string;
  readonly isError: boolean;
  readonly text: string;
}

interface MessageUsage {
  readonly messageId: string;
  readonly usage: Usage;
}

export interface StreamResult {
  readonly subtype: string;
  /** Of this run, or of its part since an earlier result. */
  readonly usage: Usage;
  /** How often a model answered, if that is known. */
  readonly turns: number | undefined;
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
  const names = v.safeParse(SessionSchema, line);
  const session = names.success ? (names.output.session_id ?? names.output.sessionId) : undefined;
  const event = eventIn(line);
  return session === undefined ? event : { ...event, session };
}

/** The field has two spellings. */
const SessionSchema = lazySchema(() =>
  v.object({ session_id: lenient(sessionIdSchema()), sessionId: lenient(sessionIdSchema()) }),
);

function eventIn(line: unknown): EventKind {
  const found = v.safeParse(LineSchema, line);
  if (!found.success) return { kind: "other" };
  const { type, subtype, message, content } = found.output;
  if (type === "assistant") {
    const { text, calls } = readContent(message?.content);
    return {
      kind: "text",
      text,
      tools: calls,
      usage: messageUsage(message),
      ...(found.output.error !== undefined && { isApiError: true }),
    };
  }
  if (type === "text")
    return { kind: "text", text: typeof content === "string" ? content : "", tools: [], usage: undefined };
  if (type === "user") return { kind: "tool results", results: readContent(message?.content).results };
  if (type === "system") return systemEvent(found.output);
  if (type !== "result") return { kind: "other" };
  return {
    kind: "result",
    result: {
      subtype: subtype ?? "",
      usage: resultUsage(found.output),
      isError: found.output.is_error === true,
      status: found.output.api_error_status,
      errorType: found.output.api_error_type,
      turns: found.output.num_turns,
      structured: found.output.structured_output,
      answer: found.output.result,
      errors: found.output.errors,
    },
  };
}

function systemEvent({ subtype, status, error_status, attempt, max_retries }: Line): EventKind {
  if (subtype === "api_retry") return { kind: "retry", status: error_status, attempt, most: max_retries };
  const isCompaction = subtype === "compact_boundary" || (subtype === "status" && status === "compacting");
  return { kind: isCompaction ? "compaction" : "other" };
}

function figure() {
  return lenient(v.pipe(v.number(), v.finite(), v.minValue(0)));
}

/** The usage of a message, and of a run without its delegated agents. */
function tokensSchema() {
  return v.object({
    input_tokens: figure(),
    cache_read_input_tokens: figure(),
    cache_creation_input_tokens: figure(),
    output_tokens: figure(),
  });
}

/** The usage by model, delegated agents included. */
function modelUsageSchema() {
  return v.record(
    v.string(),
    v.object({
      inputTokens: figure(),
      cacheReadInputTokens: figure(),
      cacheCreationInputTokens: figure(),
      outputTokens: figure(),
      costUSD: figure(),
      /** "unknown" if the cost is that of another model. */
      costBasis: lenient(v.string()),
    }),
  );
}

const LineSchema = lazySchema(() =>
  v.object({
    type: v.string(),
    subtype: lenient(v.string()),
    message: lenient(
      v.object({ content: v.optional(v.unknown()), id: lenient(v.string()), usage: lenient(tokensSchema()) }),
    ),
    content: v.optional(v.unknown()),
    status: lenient(v.string()),
    error_status: lenient(v.number()),
    error: lenient(v.string()),
    attempt: lenient(v.number()),
    max_retries: lenient(v.number()),
    api_error_status: lenient(v.number()),
    api_error_type: lenient(v.string()),
    is_error: lenient(v.boolean()),
    num_turns: lenient(v.number()),
    structured_output: v.optional(v.unknown()),
    result: v.optional(v.unknown()),
    errors: v.fallback(v.optional(v.array(v.string()), []), []),
    usage: lenient(tokensSchema()),
    model_usage_since_last_result: lenient(modelUsageSchema()),
  }),
);

type Line = v.InferOutput<typeof LineSchema>;

function messageUsage(message: Line["message"]): MessageUsage | undefined {
  if (message?.id === undefined || message.usage === undefined) return undefined;
  return { messageId: message.id, usage: usageOfTokens(message.usage) };
}

/** `total_cost_usd` and `modelUsage` do not count: depending on the version, they cover the run or the whole session. */
function resultUsage({ usage, model_usage_since_last_result: models }: Line): Usage {
  return models === undefined ? usageOfTokens(usage) : usageOfModels(models);
}

/** The content of a message: a string, or a list of blocks. */
export interface Content {
  readonly text: string;
  readonly calls: readonly ToolUse[];
  readonly results: readonly ToolResult[];
}

export function readContent(content: unknown): Content {
  if (typeof content === "string") return { text: content, calls: [], results: [] };
  const texts: string[] = [];
  const calls: ToolUse[] = [];
  const results: ToolResult[] = [];
  for (const each of Array.isArray(content) ? content : []) {
    const found = v.safeParse(BlockSchema, each);
    if (!found.success) continue;
    const block = found.output;
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "tool_use") calls.push({ id: block.id, name: block.name, what: tellingInput(block.input) });
    else
      results.push({ id: block.tool_use_id, isError: block.is_error === true, text: readContent(block.content).text });
  }
  return { text: texts.join("\n"), calls, results };
}

const BlockSchema = lazySchema(() =>
  v.variant("type", [
    v.object({ type: v.literal("text"), text: v.string() }),
    v.object({
      type: v.literal("tool_use"),
      id: v.optional(v.string(), ""),
      name: v.string(),
      input: v.record(v.string(), v.unknown()),
    }),
    v.object({
      type: v.literal("tool_result"),
      tool_use_id: v.string(),
      is_error: lenient(v.boolean()),
      content: v.optional(v.unknown()),
    }),
  ]),
);

/** The argument that says most about a tool call. */
function tellingInput(input: Readonly<Record<string, unknown>>): string {
  const what = TELLING.map((name) => input[name]).find((value) => typeof value === "string");
  return typeof what === "string" ? what : "";
}

const TELLING = ["command", "file_path", "path", "pattern", "url", "query", "description", "prompt"];

/** Something that a reviewer opened or ran. */
export interface ReviewerLook extends Pick<ToolUse, "name" | "what"> {
  /** The beginning of what it saw. */
  readonly seen: string;
  /** Of a command line; 0 for everything else. Claude Code reports no failure where `grep` finds nothing, or `diff` something. */
  readonly exitCode: number;
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
        // A command that failed, such as a test, still showed something.
        const failed = isError && call.name === "Bash" ? /^Exit code (\d+)\n?/.exec(text) : undefined;
        // The end of a command line may change what the rest means.
        if ((isError && !failed) || call.what.length > LONGEST_LOOK) continue;
        const seen = text.slice(failed?.[0].length, LONGEST_SEEN);
        looks.push({ name: call.name, what: call.what, seen, exitCode: Number(failed?.[1] ?? 0) });
      }
    },
    looks: (): readonly ReviewerLook[] => looks,
  };
}

const LOOKING: readonly string[] = ["Bash", "Read", "Grep", "Glob", "LS"];
const MOST_CALLS = 1_000;
const LONGEST_LOOK = 10_000;
const LONGEST_SEEN = 30_000;

/**
 * Adds up the usage in a stream. Each result covers what came after the one before it, and a stream may have several. A
 * killed run has no result: then its messages count.
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
    /** The next line belongs to another run. */
    endRun,
    total: sum,
  };
}

/** The tokens that requests to a model used. */
export interface Usage {
  /** Input that was neither read from the prompt cache nor written to it. */
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

function usageOfTokens(tokens: v.InferOutput<ReturnType<typeof tokensSchema>> | undefined): Usage {
  return {
    inputTokens: tokens?.input_tokens ?? 0,
    cacheReadTokens: tokens?.cache_read_input_tokens ?? 0,
    cacheWriteTokens: tokens?.cache_creation_input_tokens ?? 0,
    outputTokens: tokens?.output_tokens ?? 0,
    costUsd: undefined,
  };
}

function usageOfModels(models: v.InferOutput<ReturnType<typeof modelUsageSchema>>): Usage {
  const each = Object.values(models).map((model) => ({
    inputTokens: model.inputTokens ?? 0,
    cacheReadTokens: model.cacheReadInputTokens ?? 0,
    cacheWriteTokens: model.cacheCreationInputTokens ?? 0,
    outputTokens: model.outputTokens ?? 0,
    costUsd: (model.costBasis ?? "unknown") === "unknown" ? undefined : model.costUSD,
  }));
  return each.reduce(addUsage, NO_USAGE);
}
