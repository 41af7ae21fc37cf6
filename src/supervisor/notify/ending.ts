import type { Outcome } from "../review/outcome.ts";

/** How a supervised run ended, as the user's command is told. */
export type EndingName = "done" | "not done" | "over budget" | "needs you" | "not reviewed" | "failed";

/** Undefined if the agent goes on, or if there was nothing to review. */
export function endingName({ kind }: Pick<Outcome, "kind">): EndingName | undefined {
  return NAMES[kind];
}

const NAMES = {
  done: "done",
  rework: undefined,
  needs_user: "needs you",
  limit: "not done",
  stalemate: "not done",
  budget: "over budget",
  skipped: undefined,
  unreviewed: "not reviewed",
} as const;

/** Whether the user has probably turned to something else. A question is always worth a notification. */
export function isWorthTelling(ending: EndingName, secondsSincePrompt: number): boolean {
  return ending === "needs you" || secondsSincePrompt > LONG_SECONDS;
}

const LONG_SECONDS = 60;
