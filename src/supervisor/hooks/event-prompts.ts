import type { StopEvent } from "../../claude/stop-event.ts";
import type { Files } from "../../os/files.ts";
import { promptsWithoutIds } from "../record/prompts-without-ids.ts";
import type { StateFile } from "../record/state.ts";
import { promptsInTranscript, type UserPrompts } from "../record/user-prompts.ts";

/** The prompts of a session without a record of them: from the transcript. */
export async function eventPrompts(
  files: Files,
  { transcript_path: transcript, prompt_id, stop_hook_active }: StopEvent,
  states: readonly StateFile[],
): Promise<UserPrompts> {
  if (transcript === undefined) return { prompts: [], userPromptId: prompt_id };
  if (prompt_id !== undefined) return promptsInTranscript(files, transcript, prompt_id);
  return promptsWithoutIds(files, { transcript, isRepeated: stop_hook_active === true, states });
}
