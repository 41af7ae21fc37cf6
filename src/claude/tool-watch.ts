import * as v from "valibot";
import { parseJson } from "../text/json.ts";
import { textOf } from "./stream.ts";

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
      const found = v.safeParse(EntrySchema, parseJson(line));
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

const EntrySchema = v.object({
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
