import * as v from "valibot";
import { isFromClaudeCode } from "../../claude/transcript.ts";
import type { Files } from "../../os/files.ts";
import { parseJson } from "../../text/json.ts";
import { readScheduled } from "./scheduled-prompts.ts";
import type { SessionRecord } from "./session-record.ts";

const RecordedPromptSchema = v.object({
  at: v.string(),
  prompt_id: v.nullable(v.string()),
  /** Whether a person wrote it. Claude Code sends prompts when a task ends, and the agent can schedule some. */
  by_user: v.boolean(),
  text: v.string(),
  /** Claude Code's permission mode. */
  mode: v.optional(v.nullable(v.string()), null),
});

export type RecordedPrompt = v.InferOutput<typeof RecordedPromptSchema>;

export function appendPrompts(files: Files, { prompts }: SessionRecord, recorded: readonly RecordedPrompt[]): void {
  const lines = recorded.map(
    (prompt) => `${JSON.stringify({ ...prompt, text: prompt.text.slice(0, LONGEST_PROMPT) })}\n`,
  );
  files.append(prompts, lines.join(""), LARGEST_RECORD);
}

const LONGEST_PROMPT = 200_000;
const LARGEST_RECORD = 20_000_000;

/** The prompts of a session; undefined if none was ever recorded. */
export function readPromptRecord(files: Files, { prompts }: SessionRecord): RecordedPrompt[] | undefined {
  const lines = files.read(prompts)?.split("\n");
  return lines?.flatMap((line) => {
    const prompt = v.safeParse(RecordedPromptSchema, parseJson(line));
    return prompt.success ? [prompt.output] : [];
  });
}

export function isByUser(files: Files, { scheduled }: SessionRecord, text: string): boolean {
  return !isFromClaudeCode(text) && !readScheduled(files, scheduled).some(({ prompt }) => prompt === text);
}
