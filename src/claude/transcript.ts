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
