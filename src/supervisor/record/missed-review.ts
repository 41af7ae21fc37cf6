import type { LastAnswer } from "../../claude/last-answer.ts";
import { STOP_STATUS } from "../../claude/stop-hook.ts";
import type { RecordedPrompt } from "./prompt-record.ts";
import { INTERRUPTED, type RecordedStop } from "./stop-record.ts";

/** The last answer of a session and what ccc has on record about it. */
export interface AnswerOnRecord {
  readonly answer: LastAnswer;
  readonly prompts: readonly RecordedPrompt[];
  readonly stops: readonly RecordedStop[];
  readonly isAlive: (pid: number) => boolean;
}

/** "not run": Claude Code did not run the Stop hook. "cut off": the hook ended before the review did. */
export type MissedReview = "not run" | "cut off";

/** Whether the last answer of a supervised session was not reviewed, although the agent stopped by itself. */
export function missedReview({ answer, prompts, stops, isAlive }: AnswerOnRecord): MissedReview | undefined {
  const prompt = prompts.at(-1);
  // An answer before the last prompt was judged when that prompt came.
  if ((prompt?.at ?? "") >= answer.at || !isSupervised(answer, prompt)) return undefined;
  const stop = stops.findLast(({ at }) => at >= answer.at);
  if (stop === undefined) return "not run";
  const isKilled = stop.outcome === undefined && !(stop.pid !== undefined && isAlive(stop.pid));
  return isKilled || stop.why === INTERRUPTED ? "cut off" : undefined;
}

/** The session may also have been resumed without supervision. */
function isSupervised(answer: LastAnswer, prompt: RecordedPrompt | undefined): boolean {
  if (answer.stopHooks.includes(STOP_STATUS)) return true;
  if (answer.promptId !== undefined) return answer.promptId === prompt?.prompt_id;
  return prompt !== undefined && answer.prompt?.trim() === prompt.text.trim();
}
