import { dirname, join } from "node:path";
import { ANSWER_TOOL } from "../claude/runs.ts";
import type { Engine } from "../config/defaults.ts";
import type { ChildResult } from "../os/child.ts";
import type { Env, World } from "../world.ts";

/** A scripted Messages API on 127.0.0.1: Claude Code runs against it without key, network or cost. */
export interface Sandbox {
  readonly url: string;
  /** The requests for the model, in order. */
  readonly received: readonly Received[];
  /** The headers of every request, including those that are not for the model. */
  readonly headers: readonly Readonly<Record<string, string>>[];
  readonly stop: () => Promise<void>;
}

export function startSandbox(script: Script): Sandbox {
  const received: Received[] = [];
  const allHeaders: Record<string, string>[] = [];
  const seen: Record<Role, number> = { agent: 0, reviewer: 0, helper: 0 };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const headers = Object.fromEntries(request.headers);
      allHeaders.push(headers);
      if (pathname.endsWith("/count_tokens")) return Response.json({ input_tokens: 10 });
      if (request.method !== "POST" || !pathname.endsWith("/v1/messages")) return new Response(null, { status: 404 });
      const body = (await request.json()) as MessagesRequest;
      const role = roleOf(body);
      if (role === "reviewer" && isAfterVerdict(body)) return answer({ say: "ok" }, body.model, body.stream === true);
      const entry = { role, path: pathname + search, headers, body };
      received.push(entry);
      const turn = spoken(script(entry, seen[role]++), body);
      await turn.after;
      if (turn.delayMs !== undefined) await Bun.sleep(turn.delayMs);
      return answer(turn, body.model, body.stream === true);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, received, headers: allHeaders, stop: () => server.stop(true) };
}

/** One response of the scripted model. */
export type Turn = {
  readonly delayMs?: number;
  readonly after?: Promise<unknown>;
  readonly usage?: TurnUsage;
  /** Why the model stops, if not at its end or for a tool. */
  readonly stopReason?: string;
} & (
  | { readonly say: string }
  | ToolCall
  | { readonly calls: readonly ToolCall[] }
  /** An answer in the schema that was asked for. */
  | { readonly verdict: object }
  | { readonly fail: number; readonly message?: string }
);

export interface ToolCall {
  readonly use: string;
  readonly input: Readonly<Record<string, unknown>>;
}

interface TurnUsage {
  readonly input_tokens: number;
  readonly cache_read_input_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly output_tokens: number;
}

/** Who sent a request: the agent, the reviewer, or Claude Code for a small task of its own. */
export type Role = "agent" | "reviewer" | "helper";

export interface Received {
  readonly role: Role;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: MessagesRequest;
}

export interface MessagesRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
}

/** Chooses the response to a request; `index` counts the earlier requests of the same role. */
export type Script = (received: Received, index: number) => Turn;

/** A supervised run with the real ccc, the real claude and a scripted model, isolated from the user's files. */
export interface ScriptedRun {
  readonly claude: string;
  readonly engine: Engine;
  readonly task: string;
  /** Options for claude. */
  readonly options: readonly string[];
  /** Commands that must pass at every stop. */
  readonly checks?: readonly string[];
  /** The reviewer's instructions, instead of the default ones. */
  readonly instructions?: string;
  /** The scripted model; gets the folder that the agent works in. */
  readonly script: (project: string) => Script;
}

/** What can be inspected until the run's files are removed. */
export interface ScriptedResult {
  readonly ended: ChildResult;
  readonly received: Sandbox["received"];
  readonly project: string;
}

const LONGEST_MS = 120_000;

export async function runScripted<T>(world: World, run: ScriptedRun, look: (result: ScriptedResult) => T): Promise<T> {
  const scratch = world.scratch();
  const project = join(scratch.path, "project");
  const sandbox = startSandbox(run.script(project));
  try {
    const provider = { env: { ANTHROPIC_BASE_URL: sandbox.url, ANTHROPIC_AUTH_TOKEN: "no-key-needed" } };
    world.files.writePrivate(
      join(scratch.path, "home/.claude/ccc.json"),
      // Trying out the sandbox of Claude Code would take longer than the rest.
      JSON.stringify({ providers: { scripted: provider }, supervisor: { sandbox: false } }),
    );
    world.files.makeFolder(project);
    if (run.instructions !== undefined)
      world.files.create(join(scratch.path, "home/.claude/SUPERVISOR.md"), run.instructions);
    const print = run.engine === "hook" ? ["-p"] : [];
    const checks = run.checks?.flatMap((check) => ["--check", check]) ?? [];
    const ended = await world.run({
      program: {
        file: world.self,
        args: ["--supervisor", "--engine", run.engine, ...checks, "scripted", ...print, ...run.options, "--", run.task],
        env: sandboxEnvironment(world.env, scratch.path, run.claude),
      },
      cwd: project,
      stdin: "",
      timeoutMs: LONGEST_MS,
      onLine: () => false,
    });
    return look({ ended, received: sandbox.received, project });
  } finally {
    await sandbox.stop();
    scratch.remove();
  }
}

/** An environment with a home in the scratch folder: without the user's files, keys and settings. */
export function sandboxEnvironment(env: Env, scratch: string, claude: string): Env {
  const home = join(scratch, "home");
  return {
    PATH: `${dirname(claude)}:${env.PATH ?? ""}`,
    CCC_CLAUDE: claude,
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_CACHE_HOME: join(home, ".cache"),
    XDG_DATA_HOME: join(home, ".local/share"),
    XDG_STATE_HOME: join(home, ".local/state"),
    TMPDIR: scratch,
    LANG: env.LANG ?? "C.UTF-8",
    ...QUIET_ENV,
  };
}

/** The session talks only to its model, and gives up at the first failure. */
const QUIET_ENV = {
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CLAUDE_CODE_MAX_RETRIES: "0",
  DISABLE_AUTOUPDATER: "1",
};

function roleOf({ tools = [], messages }: MessagesRequest): Role {
  if (tools.length === 0 || isWarmUp(messages)) return "helper";
  return tools.some(isAnswerTool) || messages.some(isReviewMessage) ? "reviewer" : "agent";
}

/** The oldest version starts its built-in agents in advance, to have their prompts cached by the server. */
function isWarmUp(messages: MessagesRequest["messages"]): boolean {
  return messages.length === 1 && JSON.stringify(messages[0]?.content).includes('"text":"Warmup"');
}

function isAnswerTool({ name }: { readonly name: string }): boolean {
  return name === ANSWER_TOOL;
}

/** Whether this message asks for a review. Forks are not saved, so the agent's requests never contain one. */
function isReviewMessage({ role, content }: MessagesRequest["messages"][number]): boolean {
  return role === "user" && JSON.stringify(content).includes("This message comes from ccc, the program that asked");
}

/** Without the tool for answers in a schema, a verdict is JSON in the text. */
function spoken(turn: Turn, { tools = [] }: MessagesRequest): Turn {
  if (!("verdict" in turn) || tools.some(isAnswerTool)) return turn;
  const { verdict, ...others } = turn;
  return { ...others, say: JSON.stringify(verdict) };
}

/**
 * Older versions of Claude Code send another request after the answer in the schema; newer ones stop there. A question about
 * that answer comes in the same message as the result of the tool.
 */
function isAfterVerdict({ messages }: MessagesRequest): boolean {
  const [before, last] = messages.slice(-2).map((message) => JSON.stringify(message.content));
  if (last?.includes("This message comes from ccc") === true) return false;
  return last?.includes('"tool_result"') === true && before?.includes(ANSWER_TOOL) === true;
}

/** A response of the Messages API, as one JSON object or as a stream of events. */
function answer(turn: Turn, model: string, stream: boolean): Response {
  if ("fail" in turn) {
    const error = { type: "api_error", message: turn.message ?? `scripted error ${turn.fail}` };
    return Response.json({ type: "error", error }, { status: turn.fail });
  }
  const blocks = contentBlocks(turn);
  const usage = turn.usage ?? USAGE;
  const stop_reason = turn.stopReason ?? (blocks[0]?.type === "tool_use" ? "tool_use" : "end_turn");
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
