import type { LoopEnd } from "../../supervisor/record/loop-end.ts";
import type { SessionStop } from "../../supervisor/record/read-session.ts";
import { SKIPPED, skippedBecause } from "../../supervisor/review/outcome.ts";
import { counted } from "../../text/counts.ts";
import type { ReportedPrompt, ReportedRound, RoundVerdict, SessionOutcome, SessionReport } from "./report-schema.ts";

const VERDICT_OF = {
  done: "done",
  rework: "not done",
  needs_user: "needs you",
  limit: "limit",
  stalemate: "stalemate",
  budget: "over budget",
  skipped: "skipped",
  unreviewed: "not reviewed",
} as const satisfies Record<NonNullable<SessionStop["outcome"]>, RoundVerdict>;

export function verdictOf({ outcome, check, isRunning }: SessionStop): RoundVerdict {
  if (outcome === undefined) return isRunning ? "running" : "not reviewed";
  return outcome === "rework" && check !== undefined ? "check failed" : VERDICT_OF[outcome];
}

/** Why there was no review, or which check failed. */
export function whyOf({ outcome, why, check, isRunning }: SessionStop): string | null {
  if (outcome === undefined) return isRunning ? null : "ccc was killed before the review finished";
  if (check !== undefined) return check;
  if (outcome === "limit") return "the last changes were not reviewed";
  if (outcome === "skipped" && why !== undefined) return skippedBecause(why);
  return why ?? null;
}

/** How the session ended, by its last stop, and why. */
export function endOf(prompts: readonly ReportedPrompt[]): { outcome: SessionOutcome; reason: string } {
  const last = prompts.at(-1)?.rounds.at(-1);
  if (last === undefined) return { outcome: "unfinished", reason: "the agent has not stopped since the last prompt" };
  return { outcome: outcomeAfter(last), reason: reasonAfter(last) };
}

/** An end of the loop engine outside a review, unless the session went on since. */
export function endOfLoop(
  end: LoopEnd | undefined,
  lastAt = "",
): Pick<SessionReport, "outcome" | "reason" | "usage_limit"> | undefined {
  if (end === undefined || end.at < lastAt) return undefined;
  const { outcome, reason, usage_limit } = end;
  return outcome === "failed" || outcome === "interrupted" ? { outcome, reason, usage_limit } : undefined;
}

function outcomeAfter({ verdict, why }: ReportedRound): SessionOutcome {
  switch (verdict) {
    case "done":
    case "needs you":
    case "over budget":
    case "not reviewed":
      return verdict;
    case "running":
      return "reviewing";
    case "stalemate":
    case "limit":
      return "not done";
    case "not done":
    case "check failed":
      return "unfinished";
    case "skipped":
      if (why === SKIPPED.unchanged) return "done";
      return why === SKIPPED.delegated || why === SKIPPED.scheduled ? "unfinished" : "not reviewed";
  }
}

function reasonAfter({ verdict, why, limit, number, feedback }: ReportedRound): string {
  switch (verdict) {
    case "done":
      return "";
    case "running":
      return "a review is running";
    case "needs you":
      return feedback;
    case "stalemate":
      return "the last reviews brought no progress";
    case "limit":
      return limit === null
        ? `the limit of reviews was reached; ${why}`
        : `the limit of ${counted(limit, "review")} was reached; ${why}`;
    case "over budget":
      return "the tokens for this prompt are used up (supervisor.budget_tokens)";
    case "not done":
    case "check failed":
      return `the record ends after review ${number}: the agent is still working, or was killed before it stopped again`;
    case "skipped":
      return why === SKIPPED.unchanged ? "" : (why ?? "");
    case "not reviewed":
      return why ?? "";
  }
}
