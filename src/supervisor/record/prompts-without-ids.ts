import { type Prompt, startsTurn } from "../../claude/transcript.ts";
import type { Files } from "../../os/files.ts";
import { readSeen, type StateFile, saveSeen } from "./state.ts";
import { awaitPrompts, type UserPrompts } from "./user-prompts.ts";

export interface StopWithoutId {
  readonly transcript: string;
  /** Whether a Stop hook has blocked since the prompt. */
  readonly isRepeated: boolean;
  readonly states: readonly StateFile[];
}

/**
 * The prompts in the transcript, for versions that do not say which one a stop belongs to. That is the last one, unless
 * the transcript is behind: a first stop of a prompt, with no prompt that the stop before had not seen. Then the user's
 * must be missing: better one review too many than a prompt without any.
 */
export async function promptsWithoutIds(files: Files, stop: StopWithoutId): Promise<UserPrompts> {
  const seen = readSeen(stop.states);
  const found = await awaitPrompts(files, stop.transcript, (prompts) => {
    const last = lastTurn(prompts);
    return last !== undefined && (stop.isRepeated || last.id !== seen);
  });
  const prompts = found.filter((prompt) => prompt.byUser).map(({ text }) => text);
  const last = lastTurn(found);
  if (last === undefined) return { prompts, userPromptId: undefined };
  saveSeen(stop.states, last.id);
  if (last.id !== seen) return { prompts, userPromptId: last.byUser ? last.id : undefined, seen: last.id };
  const isMissing = !stop.isRepeated;
  return { prompts, userPromptId: isMissing ? `missing ${crypto.randomUUID()}` : undefined, seen };
}

/** The last prompt that the agent answered or answers. */
function lastTurn(found: readonly Prompt[]): { readonly id: string; readonly byUser: boolean } | undefined {
  const turns = found.filter(({ text }) => startsTurn(text));
  const last = turns.at(-1);
  return last && { id: last.uuid ?? `${turns.length}`, byUser: last.byUser };
}
