import type { Files } from "../../os/files.ts";
import { appendPrompts, type RecordedPrompt, readPromptRecord } from "../record/prompt-record.ts";
import type { SessionRecord } from "../record/session-record.ts";
import { earlierPrompts, promptsOnRecord, type UserPrompts } from "../record/user-prompts.ts";

export interface LoopPrompts {
  /** Every prompt of the session so far, after the new ones were recorded. `prompts` are those of this run. */
  readonly record: (
    session: { readonly record: SessionRecord; readonly transcript: string | undefined },
    prompts: readonly string[],
  ) => Promise<UserPrompts>;
}

/**
 * The prompts of a loop's session: those of this run, after those of earlier runs if it was resumed. `sent` are the messages
 * that this run has sent to the agent: in the transcript they look like the user's.
 */
export function loopPrompts(
  files: Files,
  now: () => Date,
  write: (action: () => void) => void,
  sent: ReadonlySet<string>,
): LoopPrompts {
  const startedAt = now().toISOString();
  let earlier: readonly RecordedPrompt[] | undefined;
  let recorded = 0;
  return {
    record: async ({ record, transcript }, prompts) => {
      const at = now().toISOString();
      // The agent began with the first one when the loop did.
      const since = (index: number) => (recorded + index === 0 ? startedAt : at);
      const added = prompts.slice(recorded).map((text, index) => asRecorded(text, since(index)));
      recorded = prompts.length;
      const known = earlier === undefined ? readPromptRecord(files, record) : [];
      const unknown =
        known === undefined
          ? await earlierPrompts(transcript, ({ text }) => prompts.includes(text) || sent.has(text), at)
          : [];
      earlier ??= known ?? unknown;
      if (unknown.length + added.length > 0) write(() => appendPrompts(files, record, [...unknown, ...added]));
      return {
        prompts: [...promptsOnRecord(earlier).prompts, ...prompts],
        // Each prompt of the user restarts the count.
        userPromptId: `loop ${startedAt} ${prompts.length}`,
      };
    },
  };
}

function asRecorded(text: string, at: string): RecordedPrompt {
  return { at, prompt_id: null, by_user: true, text, mode: null };
}
