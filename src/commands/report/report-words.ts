import { tally } from "../../supervisor/ledger/criterion.ts";
import type { UsageFields } from "../../supervisor/record/usage-fields.ts";
import { counted, shortTokens } from "../../text/counts.ts";
import { shortDuration } from "../../text/duration.ts";
import { type CriterionHistory, criteriaByRound, numberedRounds } from "./criteria-by-round.ts";
import type {
  ReportedChanges,
  ReportedPrompt,
  ReportedRound,
  RoundVerdict,
  SessionOutcome,
  SessionReport,
} from "./report-schema.ts";

/** How it ended, in a word. */
export const ENDINGS: Record<SessionOutcome, string> = {
  done: "Done",
  "not done": "Not done",
  "needs you": "Needs you",
  "over budget": "Not done: over budget",
  "not reviewed": "Not reviewed",
  failed: "Failed",
  interrupted: "Interrupted",
  reviewing: "Being reviewed",
  unfinished: "Unfinished",
};

/** What a round led to, in a word. */
const ROUND_ENDINGS: Record<RoundVerdict, string> = {
  done: "done",
  "not done": "not done",
  "check failed": "check failed",
  "needs you": "needs you",
  stalemate: "not done, no progress",
  "over budget": "not done, over budget",
  limit: "limit of reviews reached",
  skipped: "no review",
  "not reviewed": "not reviewed",
  running: "under review",
};

/** Of the last prompt that was worked on: "4 of 5 criteria met after 2 reviews". */
export function achievement({ prompts }: SessionReport): string {
  const last = lastWorkedOn(prompts);
  const met = tally(criteriaByRound(last))?.replace("met", "criteria met ") ?? "";
  const { length } = numberedRounds(last).filter(({ verdict }) => verdict !== "running");
  return length === 0 ? "no review yet" : `${met}after ${counted(length, "review")}`;
}

/** "Done: 4 of 4 criteria met after 2 reviews", "Done after 1 review" */
export function headline(report: SessionReport): string {
  const what = achievement(report);
  return `${ENDINGS[report.outcome]}${what.startsWith("after") ? "" : ":"} ${what}`;
}

/** What is still to do, unless the session is done. */
export function openCriteria({ prompts, outcome }: SessionReport): CriterionHistory[] {
  if (outcome === "done") return [];
  return criteriaByRound(lastWorkedOn(prompts)).filter(({ status }) => status === "unmet");
}

function lastWorkedOn(prompts: readonly ReportedPrompt[]): Pick<ReportedPrompt, "rounds"> {
  return prompts.findLast(({ rounds }) => rounds.length > 0) ?? { rounds: [] };
}

/** "a review is running" → "A review is running." */
export function sentence(text: string): string {
  const whole = capitalized(text).trimEnd();
  return /[.!?。…]$/.test(whole) ? whole : `${whole}.`;
}

export function capitalized(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** "Review 2 of 10: not done, 3 of 5 met" */
export function roundTitle(round: ReportedRound): string {
  const { number, limit, verdict } = round;
  const name = number === null ? "Stop" : `Review ${number}${limit === null ? "" : ` of ${limit}`}`;
  const met = verdict === "check failed" ? undefined : tally(round.criteria);
  return `${name}: ${ROUND_ENDINGS[verdict]}${met === undefined ? "" : `, ${met}`}`;
}

/** "41 s", "3.1k tokens, 80 % from the cache", "by glm", "with the conversation" */
export function roundFacts({ seconds, usage, reviewer, context }: ReportedRound): string[] {
  return [
    ...(seconds === null || seconds === 0 ? [] : [shortDuration(seconds)]),
    ...(usage === null ? [] : [tokensWithCache(usage)]),
    ...(reviewer === null ? [] : [`by ${reviewer}`]),
    ...(context === null ? [] : [CONTEXTS[context]]),
  ];
}

const CONTEXTS = {
  shared: "with the conversation",
  schema: "with the conversation",
  fresh: "without the conversation",
} as const;

export function allTokens(usage: Omit<UsageFields, "cost_usd">): number {
  return usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
}

/** "12k tokens, 80 % from the cache" */
export function tokensWithCache(usage: Omit<UsageFields, "cost_usd">): string {
  const all = allTokens(usage);
  const share = all === 0 ? 0 : Math.round((usage.cache_read_tokens / all) * 100);
  return `${shortTokens(all)}${share === 0 ? "" : `, ${share} % from the cache`}`;
}

export function knownChanges({ changes }: ReportedPrompt): ReportedChanges | undefined {
  return changes === null || "why" in changes ? undefined : changes;
}

/** "3 changed files (+12 -4), 1 suspicious change" */
export function changesTitle({ files, more, suspicious }: ReportedChanges): string {
  const sum = (numbers: readonly (number | undefined)[]) => numbers.reduce<number>((all, each) => all + (each ?? 0), 0);
  const lines = `+${sum(files.map(({ added }) => added))} -${sum(files.map(({ deleted }) => deleted))}`;
  const marked = suspicious.length === 0 ? "" : `, ${counted(suspicious.length, "suspicious change")}`;
  return `${counted(files.length + more, "changed file")} (${lines})${marked}`;
}
