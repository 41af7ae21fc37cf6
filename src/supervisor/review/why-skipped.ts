import { type BackgroundTask, isDelegated } from "../../claude/stop-event.ts";
import type { When } from "../../config/defaults.ts";
import type { SkipReason } from "./outcome.ts";

/** What decides whether there is anything to review. */
export interface StopFacts {
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
export function whySkipped(facts: StopFacts): SkipReason | undefined {
  if (facts.tasks.some(isDelegated)) return "delegated";
  if (facts.isPlanning) return "plan";
  if (facts.hasWakeUp) return "scheduled";
  if (facts.changedSinceDone === false) return "unchanged";
  if (facts.when === "changes" && facts.usedTools === false) return "talk";
  return undefined;
}
