import { NO_USAGE, type Usage } from "../../claude/token-usage.ts";
import { wholeSeconds } from "../../text/duration.ts";
import { usageFields } from "../record/usage-fields.ts";
import type { Report } from "./report.ts";

/** How a loop ended. */
export type LoopResult = Pick<
  Report,
  | "session_id"
  | "outcome"
  | "reason"
  | "usage_limit"
  | "prompts"
  | "rounds"
  | "agent"
  | "reviews"
  | "waited_seconds"
  | "answer"
>;

/** What has happened so far. */
export type LoopProgress = Pick<LoopResult, "session_id" | "prompts" | "rounds" | "waited_seconds" | "answer"> & {
  agent: { phases: number; seconds: number; usage: Usage };
  reviews: { count: number; seconds: number; usage: Usage };
};

export function newProgress(firstPrompt: string): LoopProgress {
  return {
    session_id: null,
    prompts: [firstPrompt],
    rounds: [],
    agent: { phases: 0, seconds: 0, usage: NO_USAGE },
    reviews: { count: 0, seconds: 0, usage: NO_USAGE },
    waited_seconds: 0,
    answer: "",
  };
}

export function ended(
  progress: LoopProgress,
  outcome: Report["outcome"],
  reason: string,
  usage_limit: Report["usage_limit"] = null,
): LoopResult {
  const { agent, reviews } = progress;
  return {
    ...progress,
    agent: { phases: agent.phases, seconds: wholeSeconds(agent.seconds), ...usageFields(agent.usage) },
    reviews: { count: reviews.count, seconds: wholeSeconds(reviews.seconds), ...usageFields(reviews.usage) },
    waited_seconds: Math.round(progress.waited_seconds),
    outcome,
    reason,
    usage_limit,
  };
}

/** The end of a loop whose user interrupted before there was anything to do. */
export function withoutTask(interruptedBy: string): LoopResult {
  const nothing = { ...newProgress(""), prompts: [] };
  return ended(nothing, "interrupted", interruptedReason(interruptedBy, BEFORE_START));
}

export function interruptedReason(by: string, when: string): string {
  return `interrupted by ${by} ${when}`;
}

export const BEFORE_START = "before the agent had started";
