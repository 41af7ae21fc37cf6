import { type BackgroundTask, isDelegated, type StopEvent } from "../../claude/events.ts";
import { reportsFailure } from "../../claude/prompts.ts";
import { toolWatch } from "../../claude/transcript.ts";
import type { When } from "../../config/defaults.ts";
import type { SkipReason } from "../outcome.ts";
import type { RecordedPrompt } from "../record/prompts.ts";
import type { DoneMark } from "../record/state.ts";
import { awaitTranscript, readTranscriptEnd } from "../record/transcript.ts";
import type { Stop } from "./session.ts";

/** Why a stop of Claude Code's needs no review. The transcript is read only if it can make a difference. */
export async function nothingToReview(question: SkipQuestion): Promise<SkipReason | undefined> {
  const { stop, event, hasWakeUp } = question;
  const { when } = stop.options;
  const facts = {
    tasks: event.background_tasks,
    // The agent may have entered plan mode on its own, after its work.
    isPlanning: event.permission_mode === "plan" && lastOfUser(question)?.mode === "plan",
    hasWakeUp,
    changedSinceDone: undefined,
    usedTools: undefined,
    when,
  };
  return (
    whySkipped(facts) ??
    whySkipped({
      ...facts,
      changedSinceDone: await changedSinceDone(question),
      usedTools: when === "changes" ? await usedTools(question) : undefined,
    })
  );
}

export interface SkipQuestion {
  readonly event: StopEvent;
  readonly stop: Pick<Stop, "recorded" | "changes"> & { readonly options: Pick<Stop["options"], "when"> };
  /** The state at a review of the user's last prompt that said done, if that was the last review. */
  readonly done: DoneMark | undefined;
  readonly hasWakeUp: boolean;
}

async function changedSinceDone({ event, stop, done }: SkipQuestion): Promise<boolean | undefined> {
  const later = done === undefined ? [] : (stop.recorded ?? []).slice(done.prompts);
  if (later.some(({ by_user, text }) => by_user || reportsFailure(text))) return true;
  // The stop must follow one of them. Otherwise a hook of the user's made the agent go on.
  if (!later.some(({ prompt_id }) => prompt_id === event.prompt_id)) return undefined;
  const usedTools = await toolsSince(later[0], event);
  if (usedTools !== false || done === undefined || done.files === null) return usedTools;
  // A background task can change files without a tool.
  const now = await stop.changes();
  return "tree" in now ? now.tree !== done.files : undefined;
}

async function usedTools(question: SkipQuestion): Promise<boolean | undefined> {
  // After a block the agent's last message may be the same as before it, so it would prove nothing.
  return question.event.stop_hook_active === true ? undefined : toolsSince(lastOfUser(question), question.event);
}

function lastOfUser({ stop: { recorded } }: SkipQuestion): RecordedPrompt | undefined {
  return recorded?.findLast((prompt) => prompt.by_user);
}

async function toolsSince(prompt: RecordedPrompt | undefined, event: StopEvent): Promise<boolean | undefined> {
  const { transcript_path, prompt_id: current, last_assistant_message: lastMessage } = event;
  const since = prompt?.prompt_id ?? undefined;
  if (since === undefined || current === undefined || lastMessage === undefined) return undefined;
  if (transcript_path === undefined) return undefined;
  const newWatch = () => toolWatch({ since, current, lastMessage });
  const usedTools = async (transcript: string) =>
    (await readTranscriptEnd(transcript, newWatch, (watch) => watch.hasWholeTurns())).reader.usedTools();
  return awaitTranscript(transcript_path, usedTools, (used) => used !== undefined);
}

/** What decides whether there is anything to review. */
export interface SkipFacts {
  readonly tasks: readonly BackgroundTask[];
  /** Whether the user gave the prompt in plan mode, and the session is still in it. */
  readonly isPlanning: boolean;
  /** Whether the agent, working on this prompt, has scheduled a time to go on. */
  readonly hasWakeUp: boolean;
  /** Whether a tool ran, or something else happened, since a review of this prompt said done. Undefined: not known. */
  readonly changedSinceDone: boolean | undefined;
  /** Whether a tool ran since the user's last prompt. Undefined: not known. */
  readonly usedTools: boolean | undefined;
  readonly when: When;
}

/** Why a stop needs no review; undefined if it does. What is not known for certain is no reason. */
export function whySkipped(facts: SkipFacts): SkipReason | undefined {
  if (facts.tasks.some(isDelegated)) return "delegated";
  if (facts.isPlanning) return "plan";
  if (facts.hasWakeUp) return "scheduled";
  if (facts.changedSinceDone === false) return "unchanged";
  if (facts.when === "changes" && facts.usedTools === false) return "talk";
  return undefined;
}
