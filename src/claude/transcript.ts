import * as v from "valibot";
import { parseJson } from "../text/json.ts";
import { textOf } from "./stream.ts";

/** A prompt in a session's transcript, and whether a person wrote it. */
export interface Prompt {
  readonly id: string | undefined;
  readonly byUser: boolean;
  readonly text: string;
}

/** The prompt in one line of a transcript, undefined where the line is something else. */
export function readPrompt(line: string): Prompt | undefined {
  // Most lines are something else, and long: they are not worth parsing.
  if (!line.includes('"type":"user"')) return undefined;
  const entry = parseJson(line);
  if (!v.is(EntrySchema, entry) || entry.isSidechain || entry.isCompactSummary) return undefined;
  if (isToolResult(entry.message.content)) return undefined;
  const text = textOf(entry.message.content).trim();
  const bySystem = entry.promptSource === "system" || (entry.origin?.kind ?? "human") !== "human";
  if (text === "" || (entry.isMeta && !bySystem)) return undefined;
  return { id: entry.promptId ?? undefined, byUser: !bySystem && !isFromClaudeCode(text), text };
}

const EntrySchema = v.object({
  type: v.literal("user"),
  message: v.object({ content: v.unknown() }),
  promptId: v.nullish(v.string()),
  promptSource: v.nullish(v.string()),
  origin: v.nullish(v.object({ kind: v.optional(v.string()) })),
  isMeta: v.nullish(v.boolean()),
  isSidechain: v.nullish(v.boolean()),
  isCompactSummary: v.nullish(v.boolean()),
});

/** Whether a text in a user's turn is Claude Code's own. */
export function isFromClaudeCode(text: string): boolean {
  return NOT_WRITTEN.test(text);
}

const NOT_WRITTEN = /^(<task-notification>|<local-command-|<bash-std|Caveat: The messages below|\[Request interrupted)/;

function isToolResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => v.is(ToolResult, block));
}

const ToolResult = v.object({ type: v.literal("tool_result") });
