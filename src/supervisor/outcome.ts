import * as v from "valibot";
import type { ApiFailureKind } from "../claude/failures.ts";
import { NO_USAGE, totalTokens, type Usage } from "../claude/stream.ts";
import { CccError, EXIT, type ExitCode, messageOf } from "../errors.ts";
import { counted, exact, grouped, shortDuration, shortLine, shortTokens } from "../text/words.ts";
import { type Criterion, tally, unmet } from "./ledger.ts";

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

/** What reviews took. */
export interface ReviewCost {
  readonly seconds: number;
  readonly tokens: number;
}

export const NO_COST: ReviewCost = { seconds: 0, tokens: 0 };

export function addCost(one: ReviewCost, other: ReviewCost): ReviewCost {
  return { seconds: one.seconds + other.seconds, tokens: one.tokens + other.tokens };
}

/** Usage in ccc's files. */
export const UsageFieldsSchema = v.object({
  input_tokens: v.number(),
  cache_read_tokens: v.number(),
  cache_write_tokens: v.number(),
  output_tokens: v.number(),
  /** null if it is not known. */
  cost_usd: v.nullable(v.number()),
});

export type UsageFields = v.InferOutput<typeof UsageFieldsSchema>;

export function usageFields(usage: Usage): UsageFields {
  return {
    input_tokens: usage.inputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
    cost_usd: usage.costUsd === undefined ? null : exact(usage.costUsd),
  };
}

/** The outcome in one line: of a review while the agent goes on, of the whole prompt at its end. */
export function announcement(outcome: Outcome, limit: number, log: string): string {
  switch (outcome.kind) {
    case "done": {
      const figures = `${metAfter(outcome)}${inBrackets(spent(outcome.total))}`;
      return `Done${figures.startsWith("after") ? "" : ":"} ${figures}${lastWords(outcome.feedback)}`;
    }
    case "rework": {
      const which = `Review ${outcome.round} of ${limit}`;
      if (outcome.check !== undefined) return `${which}: check failed: ${shortLine(outcome.check, LONGEST_SENTENCE)}`;
      const { seconds, usage } = outcome;
      return `${which}: not done${tallied(outcome)}${inBrackets(spent({ seconds, tokens: totalTokens(usage) }))}`;
    }
    case "needs_user": {
      const figures = [metAfter(outcome), ...spent(outcome.total)];
      return `Needs you: ${shortLine(outcome.feedback, LONGEST_QUESTION)}${inBrackets(figures)}`;
    }
    case "limit":
      return withOpen(
        `NOT done: ${limitReached(limit)}${tallied(outcome)}${inBrackets(spent(outcome.total))}. ${UNREVIEWED_CHANGES}`,
        outcome.criteria,
        outcome.feedback,
      );
    case "stalemate": {
      const stopped = `stopped after ${reviews(outcome.rounds)}${tallied(outcome)}${inBrackets(spent(outcome.total))}`;
      return withOpen(`NOT done: ${stopped}. The last reviews brought no progress.`, outcome.criteria);
    }
    case "budget": {
      const stopped = `stopped after ${grouped(outcome.spent)} tokens for this prompt (supervisor.budget_tokens)`;
      return withOpen(`NOT done: ${stopped}${tallied(outcome)}.`, outcome.criteria, outcome.feedback);
    }
    case "skipped":
      return `No review: ${SKIPPED[outcome.why]}`;
    case "unreviewed":
      return `NOT reviewed: ${shortLine(outcome.why, LONGEST_REASON).replace(/\.$/, "")}. The agent was allowed to stop; see ${log}`;
  }
}

/** Who reviewed, if it was not the first reviewer. */
export function reviewedInstead(outcome: Outcome): string | undefined {
  if (!("instead" in outcome) || outcome.instead === undefined) return undefined;
  return `Reviewed by ${outcome.reviewer}, because others could not. ${outcome.instead}`;
}

export function limitReached(limit: number): string {
  return `stopped after ${reviews(limit)}`;
}

const UNREVIEWED_CHANGES = "The last changes were not reviewed.";

/** Adds what is still to do: the open criteria and, if given, what was asked for last, such as a check that must pass. */
export function withOpen(message: string, criteria: readonly Criterion[], asked = ""): string {
  const missing = unmet(criteria).map(({ id, text }) => `${id} ${shortLine(text, LONGEST_SENTENCE)}`);
  const open = missing.length === 0 ? message : `${message.replace(/\.$/, "")}. Not met: ${missing.join("; ")}`;
  const last = firstSentence(asked);
  return last === "" ? open : `${open.replace(/\.$/, "")}. Last feedback: ${last}`;
}

/** "5 of 5 met after 3 reviews", "after 1 review". */
function metAfter({ criteria, rounds }: { readonly criteria: readonly Criterion[]; readonly rounds: number }): string {
  const met = tally(criteria);
  return `${met === undefined ? "" : `${met} `}after ${reviews(rounds)}`;
}

function reviews(count: number): string {
  return counted(count, "review");
}

function tallied({ criteria }: { readonly criteria: readonly Criterion[] }): string {
  const met = tally(criteria);
  return met === undefined ? "" : `, ${met}`;
}

/** "41 s", "3.1k tokens". A provider that reports no tokens has none to show. */
function spent({ seconds, tokens }: ReviewCost): string[] {
  return [...(seconds > 0 ? [shortDuration(seconds)] : []), ...(tokens > 0 ? [shortTokens(tokens)] : [])];
}

function inBrackets(parts: readonly string[]): string {
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function lastWords(feedback: string): string {
  const sentence = firstSentence(feedback);
  return sentence === "" ? "" : `. ${sentence}`;
}

function firstSentence(text: string): string {
  // The "!" of a command such as `test ! -f a` ends no sentence.
  const [sentence = ""] = text.trim().split(/(?<=\S[.!?])\s|(?<=。)|\n/);
  return shortLine(sentence, LONGEST_SENTENCE);
}

const LONGEST_SENTENCE = 200;

const LONGEST_QUESTION = 600;
const LONGEST_REASON = 2_000;

/** How a stop ends. A review that failed has used tokens, too. */
export type Outcome =
  | ({ readonly kind: "done"; readonly rounds: number; readonly feedback: string } & Reviewed)
  | ({
      readonly kind: "rework";
      readonly round: number;
      readonly feedback: string;
      /** The check that failed, as "npm test (exit 1)", if it was not a reviewer who said no. */
      readonly check?: string;
    } & Reviewed)
  /** Only the user can go on. The feedback says what they have to decide or to do. */
  | ({ readonly kind: "needs_user"; readonly rounds: number; readonly feedback: string } & Reviewed)
  | {
      readonly kind: "limit";
      readonly criteria: readonly Criterion[];
      readonly total: ReviewCost;
      /** What the last review, or the last check, asked for. */
      readonly feedback?: string | undefined;
    }
  /** The same criterion remains unmet. */
  | ({ readonly kind: "stalemate"; readonly rounds: number; readonly feedback: string } & Reviewed)
  /** The prompt has used as many tokens as it may. */
  | ({ readonly kind: "budget"; readonly spent: number; readonly feedback: string } & Reviewed)
  | { readonly kind: "skipped"; readonly why: SkipReason }
  | ({
      readonly kind: "unreviewed";
      readonly why: string;
      /** Why the reviewer's API gave no answer, if that is the reason. */
      readonly cause?: ApiFailureKind | undefined;
    } & Looked);

interface Looked {
  readonly usage: Usage;
  /** How long it took, checks included. */
  readonly seconds: number;
  /** What all reviews since the user's prompt took, this one included. */
  readonly total: ReviewCost;
  /** Who reviewed: "provider" or "provider:model". */
  readonly reviewer?: string | undefined;
  /** Why the reviewers before could not review. */
  readonly instead?: string | undefined;
  /** What the reviewer opened and ran. */
  readonly looked: readonly string[];
}

/** Nobody was asked. */
export const NOT_LOOKED: Looked = { usage: NO_USAGE, seconds: 0, total: NO_COST, looked: [] };

interface Reviewed extends Looked {
  /** What must be true, and whether it is. Empty if no review has named anything. */
  readonly criteria: readonly Criterion[];
}

/** The outcome of a stop whose review ended with an error of ccc itself. */
export function notReviewed(error: unknown): Outcome {
  const advice = error instanceof CccError && error.advice !== undefined ? `. ${error.advice}` : "";
  return { kind: "unreviewed", why: `${messageOf(error)}${advice}`, ...NOT_LOOKED };
}

export type SkipReason = keyof typeof SKIPPED;

/** Why there is no review. */
export const SKIPPED = {
  delegated: "a delegated agent is still working; the review starts when it finishes",
  plan: "the session is in plan mode",
  scheduled: "the agent has scheduled a wake-up; the review starts when it stops after that",
  unchanged: "nothing has happened since the last review, which said done",
  off: "supervision was switched off in this session",
  talk: 'no tool ran since your last prompt, and supervisor.when is "changes"',
} as const;

/** A reason on record in words; as it is, if another version recorded it. */
export function skippedBecause(why: string): string {
  return isSkipReason(why) ? SKIPPED[why] : why;
}

function isSkipReason(why: string): why is SkipReason {
  return Object.hasOwn(SKIPPED, why);
}

/** The exit code of a run whose last stop ended like this; undefined if the agent goes on. */
export function exitCodeFor(
  outcome: Pick<Outcome, "kind"> & { readonly why?: string | undefined },
): ExitCode | undefined {
  if (outcome.kind === "skipped") return outcome.why === UNCHANGED ? EXIT.ok : EXIT.notReviewed;
  return EXIT_CODES[outcome.kind];
}

/** Then the last review, which said done, still holds. */
const UNCHANGED: SkipReason = "unchanged";

const EXIT_CODES = {
  done: EXIT.ok,
  rework: undefined,
  needs_user: EXIT.needsUser,
  limit: EXIT.notDone,
  stalemate: EXIT.notDone,
  budget: EXIT.budget,
  unreviewed: EXIT.notReviewed,
} as const;
