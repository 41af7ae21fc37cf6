import { totalTokens } from "../../claude/token-usage.ts";
import { counted, grouped, shortTokens } from "../../text/counts.ts";
import { shortDuration } from "../../text/duration.ts";
import { shortLine } from "../../text/one-line.ts";
import { type Criterion, tally, unmet } from "../ledger/criterion.ts";
import type { ReviewCost } from "../record/review-cost.ts";
import { type Outcome, SKIPPED } from "./outcome.ts";

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
