/** Prompts in a transcript, and who wrote them. */
import * as v from "valibot";
import { asObject, parseJson } from "../text/json.ts";
import { readContent } from "./stream.ts";

/** A prompt in a session's transcript: the user's, or one that Claude Code writes itself. */
export interface Prompt {
  readonly id: string | undefined;
  /** That of its line. */
  readonly uuid: string | undefined;
  readonly byUser: boolean;
  readonly text: string;
}

/** The prompt in a line of a transcript; undefined if the line is something else. */
export function readPrompt(line: string): Prompt | undefined {
  // Most lines are not prompts, and long: not worth parsing.
  if (!line.includes('"type":"user"')) return undefined;
  const entry = parseJson(line);
  if (!v.is(PromptSchema, entry) || entry.isSidechain || entry.isCompactSummary) return undefined;
  if (isToolResult(entry.message.content)) return undefined;
  const text = readContent(entry.message.content).text.trim();
  const bySystem = entry.promptSource === "system" || (entry.origin?.kind ?? "human") !== "human";
  if (text === "" || (entry.isMeta && !bySystem)) return undefined;
  const [id, uuid] = [entry.promptId ?? undefined, entry.uuid ?? undefined];
  return { id, uuid, byUser: !bySystem && !isFromClaudeCode(text), text };
}

/** Strict, unlike other schemas: an entry of an unknown form must not count as the user's prompt. */
const PromptSchema = v.object({
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

function isToolResult(content: unknown): boolean {
  return Array.isArray(content) && content.some((block) => asObject(block).type === "tool_result");
}

/** Whether Claude Code itself wrote this text in a user's turn. */
export function isFromClaudeCode(text: string): boolean {
  return BY_CLAUDE_CODE.test(text);
}

const BY_CLAUDE_CODE =
  /^(<task-notification>|<local-command-|<bash-std|Caveat: The messages below|\[Request interrupted)/;

/** Whether the agent answers a prompt with this text. Other texts of Claude Code only record what it showed to the user. */
export function startsTurn(text: string): boolean {
  return !isFromClaudeCode(text) || text.startsWith("<task-notification>");
}

/**
 * Whether a prompt of Claude Code's own reports that a background task did not end well. The description of a task is the
 * agent's text, but comes after the status.
 */
export function reportsFailure(prompt: string): boolean {
  return prompt
    .split("<task-notification>")
    .slice(1)
    .some((notification) => /<status>([^<]*)<\/status>/.exec(notification)?.[1] !== "completed");
}

/** The prompts that the agent schedules in a line of a transcript. When their time comes, they arrive like the user's. */
export function scheduledCalls(line: string): string[] {
  if (!line.includes('"tool_use"')) return [];
  const { content } = asObject(asObject(parseJson(line)).message);
  return (Array.isArray(content) ? content : []).flatMap((block) =>
    v.is(SchedulingSchema, block) ? block.input.prompt : [],
  );
}

const SchedulingSchema = v.object({
  type: v.literal("tool_use"),
  // CronCreate and ScheduleWakeup today.
  name: v.pipe(v.string(), v.regex(/cron|schedul|wake|remind/i)),
  input: v.object({ prompt: v.string() }),
});

/** The project's file in which Claude Code keeps prompts that it sends even to a later session. */
export const SCHEDULED_TASKS = ".claude/scheduled_tasks.json";
