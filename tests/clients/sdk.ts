import { join } from "node:path";
import type { Turn } from "../../src/sandbox/sandbox.ts";

/** What the tests use of `@anthropic-ai/claude-agent-sdk`, which is installed elsewhere and has its own types there. */
export interface Sdk {
  readonly query: (call: {
    readonly prompt: string | AsyncIterable<unknown>;
    readonly options: Readonly<Record<string, unknown>>;
  }) => Conversation;
  readonly createSdkMcpServer: (server: object) => unknown;
  readonly tool: (name: string, description: string, schema: object, run: () => Promise<object>) => unknown;
}

type Conversation = AsyncIterable<SdkMessage> & { readonly interrupt: () => Promise<unknown> };

interface SdkMessage {
  readonly type: string;
  readonly subtype?: string;
  readonly session_id?: string;
  readonly is_error?: boolean;
  readonly result?: string;
  readonly structured_output?: unknown;
}

export async function loadSdk(folder: string): Promise<Sdk> {
  return import(join(folder, "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs"));
}

/** What a client has seen of a conversation. */
export interface Seen {
  /** Kinds of messages, in their order, without those that come at any time. */
  readonly messages: readonly string[];
  readonly results: readonly unknown[];
  /** What ran in the client itself: callbacks, hooks, tools. */
  readonly calls: readonly string[];
  readonly error: string | null;
}

/** How the scripted agent answers what a scenario asks. `onWait` is called when it begins an answer that never ends. */
export function answerOf(asked: string, onWait: () => void): Turn {
  if (asked.includes('"tool_result"')) return { say: "after the tool" };
  if (asked.includes("RUN")) return { use: "Bash", input: { command: "touch made", description: "make a file" } };
  if (asked.includes("ADD")) return { use: "mcp__own__add", input: {} };
  if (asked.includes("SCHEMA")) return { use: "StructuredOutput", input: { answer: "42" } };
  if (asked.includes("WAIT")) {
    onWait();
    return { say: "too late", after: new Promise<void>(() => {}) };
  }
  return { say: "hello" };
}

/** A conversation with a claude; `options` has its path and its environment. `waits` resolves when the agent never answers. */
type Scenario = (sdk: Sdk, options: Readonly<Record<string, unknown>>, waits: Promise<void>) => Promise<Seen>;

export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "a string as prompt": (sdk, options) => talk(sdk, "say it", options),
  "a stream of two prompts": (sdk, options) => talk(sdk, turns("one", "two"), options),
  "a permission callback": async (sdk, options) => {
    const calls: string[] = [];
    const canUseTool = async (name: string, input: object) => {
      calls.push(`asked about ${name}`);
      return { behavior: "allow", updatedInput: input };
    };
    return talk(sdk, turns("RUN"), { ...options, canUseTool }, calls);
  },
  "a hook in the client": async (sdk, options) => {
    const calls: string[] = [];
    const hook = async ({ tool_name }: { readonly tool_name: string }) => {
      calls.push(`before ${tool_name}`);
      return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
    };
    return talk(sdk, turns("RUN"), { ...options, hooks: { PreToolUse: [{ hooks: [hook] }] } }, calls);
  },
  "an MCP server in the client": async (sdk, options) => {
    const calls: string[] = [];
    const add = sdk.tool("add", "adds", {}, async () => {
      calls.push("add ran");
      return { content: [{ type: "text", text: "3" }] };
    });
    const own = sdk.createSdkMcpServer({ name: "own", version: "1.0.0", tools: [add] });
    const more = { mcpServers: { own }, allowedTools: ["mcp__own__add"] };
    return talk(sdk, turns("ADD"), { ...options, ...more }, calls);
  },
  "an interrupt": (sdk, options, waits) => {
    // An interrupt is a message to claude, too.
    const interrupted = Promise.withResolvers<void>();
    const stop = (conversation: Conversation) => conversation.interrupt().then(() => interrupted.resolve());
    return talk(sdk, openTurn("WAIT", interrupted.promise), options, [], (it) => waits.then(() => stop(it)));
  },
  "an abort": (sdk, options, waits) => {
    const abortController = new AbortController();
    void waits.then(() => abortController.abort());
    return talk(sdk, turns("WAIT"), { ...options, abortController });
  },
  "resuming, and a fork": async (sdk, options) => {
    const first = await talkOf(sdk, "say it", options);
    const resumed = await talkOf(sdk, "again", { ...options, resume: first.session });
    const fork = await talkOf(sdk, "else", { ...options, resume: first.session, forkSession: true });
    const isSame = [resumed, fork].map(({ session }) => session === first.session);
    return { ...fork.seen, calls: [`the same session: ${isSame.join(", ")}`] };
  },
  "an output format": (sdk, options) => {
    const schema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
    return talk(sdk, "SCHEMA", { ...options, outputFormat: { type: "json_schema", schema } });
  },
};

async function* turns(...texts: readonly string[]) {
  for (const content of texts) yield { type: "user", message: { role: "user", content }, parent_tool_use_id: null };
}

async function* openTurn(text: string, until: Promise<void>) {
  yield* turns(text);
  await until;
}

async function talk(...how: Parameters<typeof talkOf>): Promise<Seen> {
  return (await talkOf(...how)).seen;
}

async function talkOf(
  sdk: Sdk,
  prompt: string | AsyncIterable<unknown>,
  options: Readonly<Record<string, unknown>>,
  calls: string[] = [],
  onStart: (conversation: Conversation) => unknown = () => {},
): Promise<{ readonly session: string | undefined; readonly seen: Seen }> {
  const messages: string[] = [];
  const results: unknown[] = [];
  let session: string | undefined;
  let error: string | null = null;
  try {
    const conversation = sdk.query({ prompt, options });
    onStart(conversation);
    for await (const message of conversation) {
      const kind = message.subtype === undefined ? message.type : `${message.type} ${message.subtype}`;
      session = message.session_id ?? session;
      if (!AT_ANY_TIME.has(kind)) messages.push(kind);
      if (message.type === "result")
        results.push([message.is_error, message.result ?? null, message.structured_output ?? null]);
    }
  } catch (problem) {
    error = String(problem);
  }
  return { session, seen: { messages, results, calls, error } };
}

/** Messages of supervised sessions alone, which docs/clients.md explains. */
export const EXPLAINED: readonly string[] = ["system informational"];

/** Hooks of ccc are among the messages; the others depend on time. */
const AT_ANY_TIME = new Set([
  "system hook_started",
  "system hook_response",
  "system hook_progress",
  "system status",
  "system thinking_tokens",
  "system notification",
  "system session_state_changed",
  "rate_limit_event",
]);
