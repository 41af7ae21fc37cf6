import type { Prompt } from "../../claude/transcript.ts";
import type { RecordedPrompt } from "./prompt-record.ts";

/** What the user asked for in a session. */
export interface SessionPrompts {
  readonly prompts: readonly string[];
  /** Whether ccc has no record of the last one: the session went on without supervision. */
  readonly isUnrecorded: boolean;
}

/**
 * The user's prompts on record, and those in the transcript that came later, if the session went on without supervision.
 * `feedback` is what ccc itself has said since the last prompt on record: the loop engine sends it like a prompt.
 */
export function sessionPrompts(
  recorded: readonly RecordedPrompt[],
  found: readonly Prompt[],
  feedback: readonly string[],
): SessionPrompts {
  const known = recorded.filter(({ by_user }) => by_user);
  const last = known.at(-1);
  const own = (prompts: readonly Prompt[]) => prompts.filter(({ byUser }) => byUser).map(({ text }) => text);
  if (last === undefined) return { prompts: own(found), isUnrecorded: true };
  const isLast = ({ id, text }: Prompt) => id === last.prompt_id || text.trim() === last.text.trim();
  const at = found.findLastIndex(isLast);
  const later = at === -1 ? [] : own(found.slice(at + 1));
  const others = recorded.filter(({ by_user }) => !by_user).map(({ text }) => text);
  const added = later.filter((text) => !others.includes(text) && !feedback.some((each) => text.includes(each)));
  return { prompts: [...known.map(({ text }) => text), ...added], isUnrecorded: added.length > 0 };
}
