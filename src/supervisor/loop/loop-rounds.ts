import { grouped } from "../../text/counts.ts";
import { usageFields } from "../record/usage-fields.ts";
import { withOpen } from "../review/announcement.ts";
import { type Outcome, SKIPPED } from "../review/outcome.ts";
import type { Report } from "./report.ts";

/** How the loop ends after the last review, and why. */
export function ending(outcome: Exclude<Outcome, { kind: "rework" }>): [Report["outcome"], string] {
  switch (outcome.kind) {
    case "done":
      return ["done", ""];
    case "needs_user":
      return ["needs you", outcome.feedback];
    case "limit":
      return [
        "not done",
        withOpen("review limit reached; the last changes were not reviewed", outcome.criteria, outcome.feedback),
      ];
    case "stalemate":
      return ["not done", withOpen("the last reviews brought no progress", outcome.criteria)];
    case "budget":
      return [
        "over budget",
        withOpen(`NOT done after ${grouped(outcome.spent)} tokens`, outcome.criteria, outcome.feedback),
      ];
    case "unreviewed":
      return ["not reviewed", outcome.why];
    case "skipped":
      // Only a review can say done.
      return ["not reviewed", SKIPPED[outcome.why]];
  }
}

/** Then nobody reviewed anything. */
export function isFailedCheck(outcome: Outcome): boolean {
  return outcome.kind === "rework" && outcome.check !== undefined;
}

const VERDICTS = {
  done: "done",
  rework: "not done",
  needs_user: "needs you",
  stalemate: "not done",
  budget: "not done",
  unreviewed: "not reviewed",
} as const;

/** A review, or a failed check, as the report has it. */
export function roundOf(outcome: Outcome, seconds: number): Report["rounds"][number] | undefined {
  if (!("usage" in outcome)) return undefined;
  const feedback = outcome.kind === "unreviewed" ? "" : outcome.feedback;
  const verdict = isFailedCheck(outcome) ? "check failed" : VERDICTS[outcome.kind];
  return { verdict, feedback, seconds, reviewer: outcome.reviewer, ...usageFields(outcome.usage) };
}
