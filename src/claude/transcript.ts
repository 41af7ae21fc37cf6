import * as v from "valibot";
import { parseJson } from "../text/json.ts";
import { textOf } from "./stream.ts";

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
  if (!v.is(EntrySchema, entry) || entry.isSidechain || entry.isCompactSummary) return undefined;
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

const EntrySchema = v.object({
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
