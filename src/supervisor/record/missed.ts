import type { PromptEvent } from "../../claude/events.ts";
import { STOP_STATUS } from "../../claude/hook-settings.ts";
import { transcriptsSince } from "../../claude/sessions.ts";
import type { LastAnswer } from "../../claude/transcript.ts";
import type { Paths } from "../../config/paths.ts";
import type { World } from "../../world.ts";
import { recordedOutcome } from "../outcome.ts";
import { LOG_NAME, STATE_FOLDER } from "../project.ts";
import type { RecordedPrompt } from "./prompts.ts";
import { type LaunchRecord, openSession, type SessionRecord } from "./session.ts";
import { INTERRUPTED, type RecordedStop, readStops } from "./stops.ts";
import { awaitTranscript, readLastAnswer } from "./transcript.ts";

/** A message for the user at a new prompt, if the previous answer was not reviewed. */
export async function missedReviewMessage(
  world: World,
  event: PromptEvent,
  record: SessionRecord,
  prompts: readonly RecordedPrompt[],
): Promise<string | undefined> {
  if (event.transcript_path === undefined) return undefined;
  let missed: MissedReview | undefined;
  // The transcript is written after the events: an interruption by the user may not be in it yet.
  await awaitTranscript(event.transcript_path, readLastAnswer, (answer) => {
    missed = undefined;
    if (answer === undefined || isTurnRunning(answer, event, world.now())) return true;
    // With ids it is certain that the turn is over: a hook that still runs was told to end, and is cleaning up.
    const isAlive = hasIds(answer, event) ? () => false : world.isAlive;
    missed = missedReview({ answer, prompts, stops: readStops(record, isAlive) });
    return missed === undefined || answer.stopHooks.length > 0;
  });
  return missed && `The previous answer was NOT reviewed: ${WHY[missed]}`;
}

const WHY: Readonly<Record<MissedReview, string>> = {
  "not run": "Claude Code did not run ccc's Stop hook. Run `ccc doctor` to see whether hooks work",
  "cut off": `ccc's Stop hook was killed before the review finished; see ${STATE_FOLDER}/${LOG_NAME}`,
};

/** A message typed while the agent works, or while it is reviewed, has the id of the prompt that it works on. */
function isTurnRunning(answer: LastAnswer, event: PromptEvent, now: Date): boolean {
  if (hasIds(answer, event)) return event.prompt_id === answer.promptId;
  return now.getTime() - Date.parse(answer.at) < HOOK_STARTS_WITHIN_MS;
}

/** For versions without ids: the Stop hook may just be starting. */
const HOOK_STARTS_WITHIN_MS = 10_000;

function hasIds(answer: LastAnswer, event: PromptEvent): boolean {
  return event.prompt_id !== undefined && answer.promptId !== undefined;
}

/** The last answer of a session and what ccc has on record about it. */
export interface AnswerOnRecord {
  readonly answer: LastAnswer;
  readonly prompts: readonly RecordedPrompt[];
  readonly stops: readonly Pick<RecordedStop, "at" | "endedAt" | "isRunning" | "why">[];
}

/** "not run": Claude Code did not run the Stop hook. "cut off": the hook ended before the review did. */
export type MissedReview = "not run" | "cut off";

/** Whether the last answer of a supervised session was not reviewed, although the agent stopped by itself. */
export function missedReview({ answer, prompts, stops }: AnswerOnRecord): MissedReview | undefined {
  const prompt = prompts.at(-1);
  // An answer before the last prompt was judged when that prompt came.
  if ((prompt?.at ?? "") >= answer.at || !isSupervised(answer, prompt)) return undefined;
  const stop = stops.findLast(({ at }) => at >= answer.at);
  if (stop === undefined) return "not run";
  const isKilled = stop.endedAt === undefined && !stop.isRunning;
  return isKilled || stop.why === INTERRUPTED ? "cut off" : undefined;
}

/** Whether the answer was supervised: the session may have been resumed without supervision. */
function isSupervised(answer: LastAnswer, prompt: RecordedPrompt | undefined): boolean {
  if (answer.stopHooks.includes(STOP_STATUS)) return true;
  if (answer.promptId !== undefined) return answer.promptId === prompt?.prompt_id;
  return prompt !== undefined && answer.prompt?.trim() === prompt.text.trim();
}

/**
 * A session in which Claude Code has answered since a supervised launch, without running any of ccc's hooks. A launch
 * that no hook reported is not enough: it may have ended before there was a session.
 */
export async function sessionWithoutHooks(
  world: Pick<World, "files" | "env" | "platform">,
  paths: Paths,
  { cwd, waiting_since: since }: LaunchRecord,
): Promise<string | undefined> {
  if (since === undefined) return undefined;
  const from = Date.parse(since);
  for (const { id, transcript } of transcriptsSince(world.files, world, from)) {
    const { launch, prompts, stops } = openSession(world.files, paths, id);
    const isHeard = [launch, prompts, stops].some(({ modified }) => (modified() ?? 0) >= from);
    const answer = isHeard ? undefined : await readLastAnswer(transcript);
    if (answer !== undefined && answer.at > since && isWithin(answer.cwd ?? "", cwd)) return id;
  }
  return undefined;
}

/** The agent may have changed folders since. */
function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`);
}

/** Whether a reviewer has given a verdict since then. */
export function wasReviewed(record: SessionRecord, since: string): boolean {
  return readStops(record, () => false).some(
    ({ at, outcome, check }) => at >= since && recordedOutcome(outcome)?.hasVerdict === true && check === undefined,
  );
}
