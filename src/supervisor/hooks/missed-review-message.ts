import type { LastAnswer } from "../../claude/last-answer.ts";
import type { PromptEvent } from "../../claude/prompt-event.ts";
import type { World } from "../../world.ts";
import { STATE_FOLDER } from "../hook-options.ts";
import { type MissedReview, missedReview } from "../record/missed-review.ts";
import type { RecordedPrompt } from "../record/prompt-record.ts";
import { readLastAnswer } from "../record/read-transcript.ts";
import type { SessionRecord } from "../record/session-record.ts";
import { readStops } from "../record/stop-record.ts";
import { LOG_NAME } from "../supervisor-log.ts";

/** A message for the user, at a new prompt, if the answer to the earlier prompts was not reviewed. */
export async function missedReviewMessage(
  world: World,
  event: PromptEvent,
  record: SessionRecord,
  prompts: readonly RecordedPrompt[],
): Promise<string | undefined> {
  if (event.transcript_path === undefined) return undefined;
  for (let tries = 1; ; tries++) {
    const answer = await readLastAnswer(event.transcript_path);
    if (answer === undefined || isTurnRunning(answer, event, world.now())) return undefined;
    // With ids it is certain that the turn is over: a hook that is still there was ended, and cleans up.
    const isAlive = hasIds(answer, event) ? () => false : world.isAlive;
    const missed = missedReview({ answer, prompts, stops: readStops(world.files, record), isAlive });
    if (missed === undefined) return undefined;
    // The transcript is written after the events: that the user interrupted may not be there yet.
    if (answer.stopHooks.length > 0 || tries === TRIES) {
      return `The previous answer was NOT reviewed: ${WHY[missed]}`;
    }
    await Bun.sleep(PAUSE_MS);
  }
}

const TRIES = 20;
const PAUSE_MS = 50;

const WHY: Readonly<Record<MissedReview, string>> = {
  "not run": "Claude Code did not run ccc's Stop hook. Run `ccc doctor` to see whether hooks work",
  "cut off": `ccc's Stop hook was killed before the review finished; see ${STATE_FOLDER}/${LOG_NAME}`,
};

/** A message typed while the agent works, or while it is reviewed, has the id of the prompt that it works on. */
function isTurnRunning(answer: LastAnswer, event: PromptEvent, now: Date): boolean {
  if (hasIds(answer, event)) return event.prompt_id === answer.promptId;
  return now.getTime() - Date.parse(answer.at) < HOOK_STARTS_WITHIN_MS;
}

/** For versions without such ids: the Stop hook may just be starting. */
const HOOK_STARTS_WITHIN_MS = 10_000;

function hasIds(answer: LastAnswer, event: PromptEvent): boolean {
  return event.prompt_id !== undefined && answer.promptId !== undefined;
}
