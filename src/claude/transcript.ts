/** What the transcript of a session says. Claude Code writes one line for each event; versions differ in its fields. */
import * as v from "valibot";
import { parseJson } from "../text/json.ts";
import { lazySchema, lenient } from "../text/schema.ts";
import { type Prompt, readPrompt, startsTurn } from "./prompts.ts";
import { ANSWER_TOOL } from "./runs.ts";
import { isTerminalSession } from "./sessions.ts";
import { readContent } from "./stream.ts";

/** What the transcript of a session says about it. */
export interface SessionFacts {
  /** The agent's folders, each once. The session started in the first. */
  readonly folders: readonly string[];
  /** The agent's last folder. */
  readonly cwd: string | undefined;
  /** Whether it last ran in a terminal, not with `-p`. Older versions do not say. */
  readonly isTerminal: boolean;
  /** Whether a model has ever answered. */
  readonly hasAnswer: boolean;
  readonly prompts: readonly Prompt[];
}

/** Collects the facts from the lines of a transcript. */
export function sessionFacts(): { readonly add: (line: string) => void; readonly facts: () => SessionFacts } {
  const folders = new Set<string>();
  const prompts: Prompt[] = [];
  let cwd: string | undefined;
  let isTerminal = true;
  let hasAnswer = false;
  const add = (line: string) => {
    const prompt = readPrompt(line);
    if (prompt !== undefined) prompts.push(prompt);
    const entry = readMessage(line);
    if (entry === undefined || entry.isSidechain) return;
    cwd = entry.cwd ?? cwd;
    if (cwd !== undefined) folders.add(cwd);
    if (entry.entrypoint !== undefined) isTerminal = isTerminalSession({ CLAUDE_CODE_ENTRYPOINT: entry.entrypoint });
    if (entry.type === "assistant" && !isSynthetic(entry.message.model)) hasAnswer = true;
  };
  return { add, facts: () => ({ folders: [...folders], cwd, isTerminal, hasAnswer, prompts }) };
}

/** What happened in a session: a prompt of the user, or a tool call of the agent. */
export type SessionStep =
  | { readonly kind: "prompt"; readonly text: string }
  | {
      readonly kind: "tool";
      readonly name: string;
      /** The file, command or pattern that it was about. */
      readonly about: string;
      readonly hasFailed: boolean;
      /** What it returned; empty while it runs. */
      readonly output: string;
    };

/** A session's steps in order, and the agent's last message. */
export interface SessionLog {
  readonly steps: readonly SessionStep[];
  readonly lastMessage: string;
  /**
   * Whether the last line of the conversation is the agent's answer to the user's last prompt, and nobody else, such as a
   * background task or another agent, has reported to it since that prompt.
   */
  readonly isAnswered: boolean;
}

/** Collects the steps from the lines of a transcript. */
export function sessionSteps(): { readonly add: (line: string) => void; readonly log: () => SessionLog } {
  const steps: SessionStep[] = [];
  let lastMessage = "";
  let isAnswered = false;
  let hasOthers = false;
  const indexOfCall = new Map<string, number>();
  const add = (line: string) => {
    const prompt = readPrompt(line);
    if (prompt?.byUser && !prompt.isQueued) {
      steps.push({ kind: "prompt", text: prompt.text });
      hasOthers = false;
    } else if (prompt?.byUser === false && (prompt.isQueued || startsTurn(prompt))) hasOthers = true;
    const entry = readMessage(line);
    if (entry === undefined || entry.isSidechain) return;
    const { text, calls, results } = readContent(entry.message.content);
    if (entry.type === "assistant") {
      lastMessage = text || lastMessage;
      isAnswered = calls.length === 0 && (isAnswered || text !== "");
    } else if (!LOCAL.test(text.trimStart())) isAnswered = false;
    for (const { id, name, what } of calls) {
      indexOfCall.set(id, steps.length);
      steps.push({ kind: "tool", name, about: what, hasFailed: false, output: "" });
    }
    for (const { id, isError, text: output } of results) {
      const index = indexOfCall.get(id) ?? -1;
      const step = steps[index];
      if (step?.kind === "tool") steps[index] = { ...step, hasFailed: isError, output };
    }
  };
  return { add, log: () => ({ steps, lastMessage, isAnswered: isAnswered && !hasOthers }) };
}

/** What the user's commands, such as /exit, leave after an answer. */
const LOCAL = /^(?:<command-name>|<local-command-|<bash-|Caveat: The messages below)/;

/**
 * Whether tools of Claude Code changed a file since the last of the user's prompts, not counting its own plans and memories.
 * "maybe" if one ran that can change files unseen, such as a command, or if `isPartial` steps begin after that prompt. A message
 * of the loop engine looks like a prompt.
 */
export function hasWritten(
  steps: readonly SessionStep[],
  prompts: readonly string[],
  isPartial: boolean,
): "yes" | "maybe" | "no" {
  const users = new Set(prompts.map((text) => text.trim()));
  const since = steps.findLastIndex((step) => step.kind === "prompt" && users.has(step.text));
  const tools = steps.slice(since + 1).filter((step) => step.kind === "tool");
  const isWriting = ({ name }: { readonly name: string }) => WRITING.includes(name);
  if (tools.some((step) => isWriting(step) && !step.hasFailed && !OWN_FILES.test(step.about))) return "yes";
  const isUnseen =
    (since === -1 && isPartial) || tools.some((step) => !isWriting(step) && !READING.includes(step.name));
  return isUnseen ? "maybe" : "no";
}

const WRITING: readonly string[] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];
const READING: readonly string[] = ["Read", "Grep", "Glob", "LS", "TodoWrite", "ToolSearch", ANSWER_TOOL];
const OWN_FILES = /[/\\]\.claude[/\\](?:plans|projects)[/\\]/;

interface WatchedTurns {
  /** The prompt of the first turn to look at. */
  readonly since: string;
  /** The prompt of the last one. */
  readonly current: string;
  /** The last message of the agent. */
  readonly lastMessage: string;
}

/**
 * Looks for tool calls in the lines of a transcript. Claude Code writes lines late but in order: once the agent's last
 * message is there, so is everything before it.
 */
export function toolWatch({ since, current, lastMessage }: WatchedTurns) {
  let hasEarlier = false;
  let hasBegun = false;
  let isCurrent = false;
  let isComplete = false;
  let calls = 0;
  return {
    add(line: string): void {
      const entry = readMessage(line);
      if (entry === undefined) return;
      const { type, promptId, isSidechain, message } = entry;
      const types = blockTypes(message.content);
      if (hasBegun) calls += types.filter((each) => each.endsWith("tool_use")).length;
      if (isSidechain) return;
      if (type === "user") {
        // A result also has the id of its prompt. If it comes first, the call is before these lines.
        const begins = !types.includes("tool_result");
        if (promptId === since && begins) hasBegun = true;
        if (promptId && promptId !== since && !hasBegun) hasEarlier = true;
        if (promptId === current && begins) isCurrent = true;
        return;
      }
      const text = readContent(message.content).text.trim();
      if (isCurrent && text !== "" && lastMessage.trim().endsWith(text)) isComplete = true;
    },
    /** Whether the lines start before the first turn: several lines in it may look like its beginning. */
    hasWholeTurns: () => hasEarlier && hasBegun,
    /** Undefined while it is not certain. */
    usedTools: (): boolean | undefined => {
      if (calls > 0) return true;
      return hasBegun && isComplete ? false : undefined;
    },
    /** How many tools were called. Undefined while there may be more. */
    toolCalls: (): number | undefined => (hasBegun && isComplete ? calls : undefined),
  };
}

function blockTypes(content: unknown): string[] {
  return (Array.isArray(content) ? content : []).flatMap((block) => (v.is(BlockSchema, block) ? [block.type] : []));
}

const BlockSchema = lazySchema(() => v.object({ type: v.string() }));

/** The last lines of a transcript. The first of them may be cut off. */
export function transcriptEnd(lines: readonly string[]) {
  return {
    /** Whether Claude Code would continue this session. */
    hasConversation: () => lines.some((line) => MESSAGE.test(line)),
    /** Undefined if there is no answer, or if the user interrupted after it. */
    lastAnswer: () => lastAnswer(lines),
    /** Whether the last message is an answer in a schema (`--json-schema`): Claude Code then passes no feedback on. */
    isInSchema: () => readContent(lastOfAgent(lines)?.message.content).calls.some(({ name }) => name === ANSWER_TOOL),
    /** Why the model ended its last message, if that is this answer. */
    stopReason: (answer: string) => stopReason(lines, answer),
    /**
     * The model of the last answer: as Claude Code asked for it, which only newer versions write down, and as the server
     * called it. If nothing was ever answered, the model that was asked last.
     */
    lastModels: () => lastModels(lines),
    /**
     * The error that Claude Code is retrying after: the stream has only its status. Undefined if the session has
     * continued since.
     */
    retryError: () => retryError(lines),
  };
}

/** An answer that ended a turn. */
export interface LastAnswer {
  readonly at: string;
  /** The agent's folder at that time. */
  readonly cwd: string | undefined;
  /** The prompt that it answers: its id in newer versions, and its text if that is among the lines. */
  readonly promptId: string | undefined;
  readonly prompt: string | undefined;
  /** The status messages or commands of the Stop hooks that Claude Code ran afterwards, or failed to run. */
  readonly stopHooks: readonly string[];
}

function lastAnswer(lines: readonly string[]): LastAnswer | undefined {
  let answer: LastAnswer | undefined;
  let promptId: string | undefined;
  let prompt: string | undefined;
  for (const line of lines) {
    const stopHooks = stopHooksIn(line);
    if (stopHooks !== undefined) answer = answer && { ...answer, stopHooks };
    const entry = readMessage(line);
    if (entry === undefined || entry.isSidechain) continue;
    if (entry.type === "user") {
      // The results of tools have the id of the prompt too.
      promptId = entry.promptId ?? promptId;
      const found = readPrompt(line);
      if (found?.text.startsWith("[Request interrupted")) answer = undefined;
      else if (found !== undefined && startsTurn(found)) prompt = found.text;
    } else if (entry.timestamp !== undefined && isFinal(entry)) {
      answer = { at: entry.timestamp, cwd: entry.cwd, promptId, prompt, stopHooks: [] };
    }
  }
  return answer;
}

function lastOfAgent(lines: readonly string[]) {
  return lines.map(readMessage).findLast((each) => each?.type === "assistant" && !each.isSidechain);
}

function stopReason(lines: readonly string[], answer: string): string | undefined {
  const entry = lastOfAgent(lines);
  const text = readContent(entry?.message.content).text.trim();
  return text !== "" && answer.trim().endsWith(text) ? entry?.message.stop_reason : undefined;
}

/** API errors, and messages that Claude Code makes up itself, end no turn: no Stop hook runs after them. */
function isFinal({ message, isApiErrorMessage }: Message): boolean {
  if (isApiErrorMessage || isSynthetic(message.model)) return false;
  return message.stop_reason === "end_turn" || message.stop_reason === "stop_sequence";
}

function stopHooksIn(line: string): string[] | undefined {
  if (!line.includes('"subtype":"stop_hook_summary"')) return undefined;
  const found = v.safeParse(StopHooksSchema, parseJson(line));
  return found.success && !found.output.isSidechain ? found.output.hookInfos?.map(({ command }) => command) : undefined;
}

const StopHooksSchema = lazySchema(() =>
  v.object({
    type: v.literal("system"),
    subtype: v.literal("stop_hook_summary"),
    isSidechain: lenient(v.boolean()),
    hookInfos: v.fallback(v.optional(v.array(v.object({ command: v.fallback(v.string(), "") })), []), []),
  }),
);

function lastModels(end: readonly string[]): string[] {
  const lines = end.toReversed();
  const at = lines.findIndex((line) => answeringModel(line) !== undefined);
  const answered = answeringModel(lines[at] ?? "");
  const requested = lines.slice(at + 1).find((line) => requestedModel(line) !== undefined);
  return [requestedModel(requested ?? ""), answered].filter((model) => model !== undefined);
}

function requestedModel(line: string): string | undefined {
  if (!line.includes('"type":"api-request"')) return undefined;
  const entry = parseJson(line);
  return v.is(RequestSchema, entry) && PRINTABLE.test(entry.params.model) ? entry.params.model : undefined;
}

const RequestSchema = lazySchema(() =>
  v.object({ type: v.literal("api-request"), params: v.object({ model: v.string() }) }),
);

function answeringModel(line: string): string | undefined {
  const entry = line.includes('"type":"assistant"') ? readMessage(line) : undefined;
  const model = entry?.type === "assistant" && !entry.isSidechain ? entry.message.model : undefined;
  return model === undefined || isSynthetic(model) || !PRINTABLE.test(model) ? undefined : model;
}

/** ccc prints the model, and a forged transcript may have control characters there. */
const PRINTABLE = /^[\x21-\x7e]{1,200}$/;

function retryError(lines: readonly string[]): RetryError | undefined {
  const last = lines.findLast((line) => line.trim() !== "") ?? "";
  const entry = v.safeParse(RetrySchema, parseJson(last));
  if (!entry.success) return undefined;
  const { status, formatted, message } = entry.output.error;
  return { status, text: formatted ?? message ?? "", attempt: entry.output.retryAttempt };
}

interface RetryError {
  readonly status: number | undefined;
  readonly text: string;
  /** Which retry it is; older versions do not say. */
  readonly attempt: number | undefined;
}

const RetrySchema = lazySchema(() =>
  v.object({
    type: v.literal("system"),
    subtype: v.literal("api_error"),
    retryAttempt: lenient(v.number()),
    error: v.object({ status: lenient(v.number()), formatted: lenient(v.string()), message: lenient(v.string()) }),
  }),
);

/** Reads a line with a message of the user, of the agent or of a tool. */
function readMessage(line: string): Message | undefined {
  // Most lines are long and about something else: not worth parsing.
  if (!MESSAGE.test(line)) return undefined;
  const entry = v.safeParse(MessageSchema, parseJson(line));
  return entry.success ? entry.output : undefined;
}

const MESSAGE = /"type":"(user|assistant)"/;

const MessageSchema = lazySchema(() =>
  v.object({
    type: v.picklist(["user", "assistant"]),
    message: v.object({
      content: v.optional(v.unknown()),
      model: lenient(v.string()),
      stop_reason: lenient(v.string()),
    }),
    timestamp: lenient(v.string()),
    cwd: lenient(v.string()),
    promptId: lenient(v.string()),
    /** "sdk-cli" with `-p`. */
    entrypoint: lenient(v.string()),
    /** Of a delegated agent. */
    isSidechain: lenient(v.boolean()),
    isApiErrorMessage: lenient(v.boolean()),
  }),
);

type Message = v.InferOutput<typeof MessageSchema>;

/** Claude Code's own messages, about errors for example, have the model <synthetic>. */
function isSynthetic(model: string | undefined): boolean {
  return model?.startsWith("<") === true;
}
