import { join } from "node:path";
import { type Claude, kindOf, type Seen } from "./claudes.ts";

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

async function loadSdk(folder: string): Promise<Sdk> {
  return import(join(folder, "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs"));
}

/** A conversation with a claude; `options` has its path and its environment. `waits` resolves when the agent never answers. */
type Scenario = (sdk: Sdk, options: Readonly<Record<string, unknown>>, waits: Promise<void>) => Promise<Seen>;

/** Conversations of the SDK, by name. */
export const SDK_CONVERSATIONS = Object.fromEntries(
  Object.entries(scenarios()).map(([name, scenario]) => [
    name,
    async ({ place, program, env, waits }: Claude, folder: string) => {
      const options = { pathToClaudeCodeExecutable: program, cwd: place.project, env, stderr: () => {} };
      return scenario(await loadSdk(folder), options, waits);
    },
  ]),
);

function scenarios(): Readonly<Record<string, Scenario>> {
  return {
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
    "a permission that is refused": async (sdk, options) => {
      const canUseTool = async () => ({ behavior: "deny", message: "no" });
      return talk(sdk, turns("RUN"), { ...options, canUseTool });
    },
    "a hook in the client": async (sdk, options) => {
      const calls: string[] = [];
      const hook = async ({ tool_name }: { readonly tool_name: string }) => {
        calls.push(`before ${tool_name}`);
        return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } };
      };
      return talk(sdk, turns("RUN"), { ...options, hooks: { PreToolUse: [{ hooks: [hook] }] } }, calls);
    },
    "a Stop hook in the client": async (sdk, options) => {
      const calls: string[] = [];
      const hook = async ({ stop_hook_active }: { readonly stop_hook_active: boolean }) => {
        calls.push(`stopped, ${stop_hook_active ? "again" : "first"}`);
        return stop_hook_active ? {} : { decision: "block", reason: "go on" };
      };
      return talk(sdk, turns("say it"), { ...options, hooks: { Stop: [{ hooks: [hook] }] } }, calls);
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
}

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
      session = message.session_id ?? session;
      messages.push(...kindOf(message));
      if (message.type === "result")
        results.push([message.is_error, message.result ?? null, message.structured_output ?? null]);
    }
  } catch (problem) {
    error = String(problem);
  }
  return { session, seen: { messages, results, calls, error } };
}
