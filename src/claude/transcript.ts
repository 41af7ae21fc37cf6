import * as v from "valibot";
import { asObject, parseJson } from "../text/json.ts";
import { lenient } from "./accepted-settings.ts";
import { isTerminalSession } from "./places.ts";
import { tellingInput, textOf } from "./stream.ts";

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

/** The last answer in these lines of a transcript; undefined if there is none, or if the user interrupted after it. */
export function lastAnswer(lines: readonly string[]): LastAnswer | undefined {
  let answer: LastAnswer | undefined;
  let promptId: string | undefined;
  let prompt: string | undefined;
  for (const line of lines) {
    const entry = v.safeParse(EntrySchema, INTERESTING.test(line) ? parseJson(line) : undefined);
    if (!entry.success || entry.output.isSidechain) continue;
    if (entry.output.type === "user") {
      // The results of tools have the id of the prompt too.
      promptId = entry.output.promptId ?? promptId;
      const text = readPrompt(line)?.text;
      if (text?.startsWith("[Request interrupted")) answer = undefined;
      else prompt = text ?? prompt;
    } else if (entry.output.type === "system") {
      answer = answer && { ...answer, stopHooks: (entry.output.hookInfos ?? []).map(({ command }) => command) };
    } else if (isFinal(entry.output)) {
      const { timestamp: at, cwd } = entry.output;
      answer = { at, cwd, promptId, prompt, stopHooks: [] };
    }
  }
  return answer;
}

/** Most lines are something else, and long: not worth parsing. */
const INTERESTING = /"type":"(user|assistant)"|"subtype":"stop_hook_summary"/;

const AssistantSchema = v.object({
  type: v.literal("assistant"),
  timestamp: v.string(),
  cwd: lenient(v.string()),
  isSidechain: lenient(v.boolean()),
  isApiErrorMessage: lenient(v.boolean()),
  message: v.object({ stop_reason: v.nullish(v.string()), model: lenient(v.string()) }),
});

const EntrySchema = v.variant("type", [
  v.object({ type: v.literal("user"), isSidechain: lenient(v.boolean()), promptId: v.nullish(v.string()) }),
  AssistantSchema,
  v.object({
    type: v.literal("system"),
    subtype: v.literal("stop_hook_summary"),
    isSidechain: lenient(v.boolean()),
    hookInfos: lenient(v.array(v.object({ command: v.fallback(v.string(), "") }))),
  }),
]);

/** Errors of the API, and messages that Claude Code makes up itself, end no turn: no Stop hook runs after them. */
function isFinal({ message, isApiErrorMessage }: v.InferOutput<typeof AssistantSchema>): boolean {
  const isOwn = isApiErrorMessage === true || message.model === "<synthetic>";
  return !isOwn && (message.stop_reason === "end_turn" || message.stop_reason === "stop_sequence");
}

/**
 * The error that Claude Code is retrying after, from the end of the session's transcript: the stream names only its status.
 * Undefined if the session has gone on since.
 */
export function retryError(end: string): { status: number | undefined; text: string } | undefined {
  const last = end.trimEnd().split("\n").at(-1) ?? "";
  const entry = v.safeParse(RetryErrorEntrySchema, parseJson(last));
  if (!entry.success) return undefined;
  const { status, formatted, message } = entry.output.error;
  return { status, text: formatted ?? message ?? "" };
}

const RetryErrorEntrySchema = v.object({
  type: v.literal("system"),
  subtype: v.literal("api_error"),
  error: v.object({ status: lenient(v.number()), formatted: lenient(v.string()), message: lenient(v.string()) }),
});

/** The prompts that the agent schedules in a line of a transcript. When their time comes, they arrive like the user's. */
export function scheduledCalls(line: string): string[] {
  if (!line.includes('"tool_use"')) return [];
  const { content } = asObject(asObject(parseJson(line)).message);
  return (Array.isArray(content) ? content : []).flatMap((block) =>
    v.is(CallSchema, block) && SCHEDULING.test(block.name) ? block.input.prompt : [],
  );
}

const CallSchema = v.object({
  type: v.literal("tool_use"),
  name: v.string(),
  input: v.object({ prompt: v.string() }),
});

/** CronCreate and ScheduleWakeup today. */
const SCHEDULING = /cron|schedul|wake|remind/i;

/** Where Claude Code keeps prompts that it sends even to a later session, in the project. */
export const SCHEDULED_TASKS = ".claude/scheduled_tasks.json";

/** What the transcript of a session says about it. */
export interface SessionFacts {
  /** Where the agent was, each folder once. The session started in the first. */
  readonly folders: readonly string[];
  /** Where it was last. */
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
    // Most lines are about something else, and long: not worth parsing.
    if (!line.includes('"type":"user"') && !line.includes('"type":"assistant"')) return;
    const entry = v.safeParse(SessionFactsEntrySchema, parseJson(line));
    if (!entry.success || entry.output.isSidechain) return;
    const prompt = readPrompt(line);
    if (prompt !== undefined) prompts.push(prompt);
    const { type, entrypoint, message } = entry.output;
    cwd = entry.output.cwd ?? cwd;
    if (cwd !== undefined) folders.add(cwd);
    if (entrypoint !== undefined) isTerminal = isTerminalSession({ CLAUDE_CODE_ENTRYPOINT: entrypoint });
    // Claude Code's own messages, about errors for example, have the model <synthetic>.
    if (type === "assistant" && !message.model?.startsWith("<")) hasAnswer = true;
  };
  return { add, facts: () => ({ folders: [...folders], cwd, isTerminal, hasAnswer, prompts }) };
}

const SessionFactsEntrySchema = v.object({
  type: v.picklist(["user", "assistant"]),
  message: v.object({ model: lenient(v.string()) }),
  cwd: lenient(v.string()),
  entrypoint: lenient(v.string()),
  isSidechain: lenient(v.boolean()),
});

/** What happened in a session, as its transcript tells it: the user's prompts and the agent's tool calls. */
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

/** A session's steps in order, and the agent's last words. */
export interface SessionLog {
  readonly steps: readonly SessionStep[];
  readonly lastMessage: string;
}

/**
 * Whether a tool of Claude Code changed a file since the user's last prompt, other than a plan or a memory of its own.
 * Commands may change files unseen.
 */
export function hasWritten(steps: readonly SessionStep[]): boolean {
  const since = steps.findLastIndex(({ kind }) => kind === "prompt");
  return steps
    .slice(since + 1)
    .some(
      (step) => step.kind === "tool" && WRITING.includes(step.name) && !step.hasFailed && !OWN_FILES.test(step.about),
    );
}

const OWN_FILES = /[/\\]\.claude[/\\](?:plans|projects)[/\\]/;

const WRITING: readonly string[] = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

/** Collects the steps from the lines of a transcript. */
export function sessionSteps(): { readonly add: (line: string) => void; readonly log: () => SessionLog } {
  const steps: SessionStep[] = [];
  let lastMessage = "";
  const places = new Map<string, number>();
  const add = (line: string) => {
    // Most lines are about neither, and long: not worth parsing.
    if (!MAY_MATTER.test(line)) return;
    const prompt = readPrompt(line);
    if (prompt?.byUser) steps.push({ kind: "prompt", text: prompt.text });
    const entry = v.safeParse(SessionStepsEntrySchema, parseJson(line));
    if (!entry.success || entry.output.isSidechain) return;
    if (entry.output.type === "assistant") lastMessage = textOf(entry.output.message.content) || lastMessage;
    for (const block of blocksIn(entry.output.message.content)) {
      if (v.is(SessionStepsCallSchema, block)) {
        places.set(block.id, steps.length);
        const about = tellingInput(block.input);
        steps.push({ kind: "tool", name: block.name, about, hasFailed: false, output: "" });
      } else if (v.is(ResultSchema, block)) {
        const place = places.get(block.tool_use_id) ?? -1;
        const step = steps[place];
        if (step?.kind !== "tool") continue;
        steps[place] = { ...step, hasFailed: block.is_error === true, output: textOf(block.content) };
      }
    }
  };
  return { add, log: () => ({ steps, lastMessage }) };
}

const MAY_MATTER = /"type":"(user|assistant)"/;

const SessionStepsEntrySchema = v.object({
  type: v.picklist(["user", "assistant"]),
  message: v.object({ content: v.unknown() }),
  isSidechain: lenient(v.boolean()),
});

const SessionStepsCallSchema = v.object({
  type: v.literal("tool_use"),
  id: v.string(),
  name: v.string(),
  input: v.record(v.string(), v.unknown()),
});

const ResultSchema = v.object({
  type: v.literal("tool_result"),
  tool_use_id: v.string(),
  is_error: lenient(v.boolean()),
  content: v.unknown(),
});

function blocksIn(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : [];
}

export interface WatchedTurns {
  /** The prompt of the first turn to look at. */
  readonly since: string;
  /** The prompt of the last one. */
  readonly current: string;
  /** What the agent said last. */
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
  let usedTools = false;
  return {
    add(line: string): void {
      // Most lines are long, and need no parsing.
      if (!line.includes('"type":"user"') && !line.includes('"type":"assistant"')) return;
      const found = v.safeParse(ToolWatchEntrySchema, parseJson(line));
      if (!found.success) return;
      const { type, promptId, isSidechain, message } = found.output;
      const types = blockTypes(message.content);
      if (hasBegun && types.some((each) => each.endsWith("tool_use"))) usedTools = true;
      if (isSidechain) return;
      if (type === "user") {
        // A result has the id of its prompt, too. Where it comes first, the call has been missed.
        const begins = !types.includes("tool_result");
        if (promptId === since && begins) hasBegun = true;
        if (promptId && promptId !== since && !hasBegun) hasEarlier = true;
        if (promptId === current && begins) isCurrent = true;
        return;
      }
      const text = textOf(message.content).trim();
      if (isCurrent && text !== "" && lastMessage.trim().endsWith(text)) isComplete = true;
    },
    /** Whether the lines start before the first turn: several lines in it may look like its beginning. */
    hasWholeTurns: () => hasEarlier && hasBegun,
    /** Undefined while it is not certain. */
    usedTools: (): boolean | undefined => {
      if (usedTools) return true;
      return hasBegun && isComplete ? false : undefined;
    },
  };
}

const ToolWatchEntrySchema = v.object({
  type: v.picklist(["user", "assistant"]),
  promptId: v.nullish(v.string()),
  isSidechain: v.nullish(v.boolean()),
  message: v.object({ content: v.unknown() }),
});

const BlockSchema = v.object({ type: v.string() });

function blockTypes(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => (v.is(BlockSchema, block) ? [block.type] : []));
}

/** A prompt in a session's transcript. */
export interface Prompt {
  readonly id: string | undefined;
  /** Of its line. */
  readonly uuid: string | undefined;
  readonly byUser: boolean;
  readonly text: string;
}

/** The prompt in a line of a transcript, undefined if the line is something else. */
export function readPrompt(line: string): Prompt | undefined {
  // Most lines are not prompts, and long: not worth parsing.
  if (!line.includes('"type":"user"')) return undefined;
  const entry = parseJson(line);
  if (!v.is(TranscriptEntrySchema, entry) || entry.isSidechain || entry.isCompactSummary) return undefined;
  if (isToolResult(entry.message.content)) return undefined;
  const text = textOf(entry.message.content).trim();
  const bySystem = entry.promptSource === "system" || (entry.origin?.kind ?? "human") !== "human";
  if (text === "" || (entry.isMeta && !bySystem)) return undefined;
  const [id, uuid] = [entry.promptId ?? undefined, entry.uuid ?? undefined];
  return { id, uuid, byUser: !bySystem && !isFromClaudeCode(text), text };
}

/** Whether a transcript, by its end, is one that Claude Code would continue. */
export function hasConversation(end: string): boolean {
  return end.includes('"type":"user"') || end.includes('"type":"assistant"');
}

/**
 * The model of the last answer in the end of a transcript: as Claude Code asked for it, which only newer versions write
 * down, and as the server called it. If nothing was ever answered, the model that was asked last.
 */
export function lastModels(end: string): string[] {
  const lines = end.split("\n").reverse();
  const at = lines.findIndex((line) => answeringModel(line) !== undefined);
  const answered = answeringModel(lines[at] ?? "");
  const requested = lines.slice(at + 1).find((line) => requestedModel(line) !== undefined);
  return [requestedModel(requested ?? ""), answered].filter((model) => model !== undefined);
}

function requestedModel(line: string): string | undefined {
  if (!line.includes('"type":"api-request"')) return undefined;
  const entry = parseJson(line);
  return v.is(RequestSchema, entry) ? entry.params.model : undefined;
}

function answeringModel(line: string): string | undefined {
  if (!line.includes('"type":"assistant"')) return undefined;
  const entry = parseJson(line);
  if (!v.is(AnswerSchema, entry) || entry.isSidechain) return undefined;
  // Claude Code's own messages, about errors for example, have the model <synthetic>.
  return entry.message.model.startsWith("<") ? undefined : entry.message.model;
}

/** ccc prints it, and whoever wrote the transcript may have put anything there: no control characters. */
const ModelSchema = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,200}$/));

const AnswerSchema = v.object({
  type: v.literal("assistant"),
  message: v.object({ model: ModelSchema }),
  isSidechain: v.nullish(v.boolean()),
});

const RequestSchema = v.object({ type: v.literal("api-request"), params: v.object({ model: ModelSchema }) });

const TranscriptEntrySchema = v.object({
  type: v.literal("user"),
  message: v.object({ content: v.unknown() }),
  promptId: v.nullish(v.string()),
  uuid: v.nullish(v.string()),
  promptSource: v.nullish(v.string()),
  origin: v.nullish(v.object({ kind: v.optional(v.string()) })),
  isMeta: v.nullish(v.boolean()),
  isSidechain: v.nullish(v.boolean()),
  isCompactSummary: v.nullish(v.boolean()),
});

/** Whether Claude Code itself wrote this text in a user's turn. */
export function isFromClaudeCode(text: string): boolean {
  return BY_CLAUDE_CODE.test(text);
}

const BY_CLAUDE_CODE =
  /^(<task-notification>|<local-command-|<bash-std|Caveat: The messages below|\[Request interrupted)/;

/** Whether the agent answers a prompt with this text. Claude Code also writes down what it showed to the user. */
export function startsTurn(text: string): boolean {
  return !isFromClaudeCode(text) || text.startsWith("<task-notification>");
}

function isToolResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => v.is(ToolResult, block));
}

const ToolResult = v.object({ type: v.literal("tool_result") });
