import type { ApiFailureKind } from "../claude/failures.ts";
import type { Usage } from "../claude/stream.ts";
import { MOST_NUDGES } from "../config/defaults.ts";
import { EXIT, type ExitCode } from "../errors.ts";
import { oneLine } from "../text/shown.ts";
import { counted, grouped, shortDuration, shortTokens } from "../text/words.ts";
import { type Criterion, tally, unmet } from "./criteria.ts";

// How a stop ends, and everything that depends on that. The status line loads this file: nothing heavy is imported here.

/** How a stop ends. A review that failed has used tokens, too. */
export type Outcome<Kind extends OutcomeKind = OutcomeKind> = {
  [Each in Kind]: { readonly kind: Each } & OutcomeFields[Each];
}[Kind];

type OutcomeKind = keyof OutcomeFields;

interface OutcomeFields {
  readonly done: { readonly rounds: number; readonly feedback: string } & Reviewed;
  readonly rework: {
    readonly round: number;
    readonly feedback: string;
    /** The check that failed, as "npm test (exit 1)", if it was not a reviewer who said no. */
    readonly check?: string;
  } & Reviewed;
  /** Only the user can continue. The feedback says what they have to decide or to do. */
  readonly needs_user: { readonly rounds: number; readonly feedback: string } & Reviewed;
  readonly limit: {
    readonly criteria: readonly Criterion[];
    readonly total: ReviewCost;
    /** What the last review, or the last check, asked for. */
    readonly feedback?: string | undefined;
  };
  /** The same criterion remains unmet, or the same check keeps failing. */
  readonly stalemate: {
    readonly rounds: number;
    readonly feedback: string;
    /** The check, as "npm test (exit 1)", and why it will not pass by itself. */
    readonly check?: string;
    readonly why?: string;
  } & Reviewed;
  /** The prompt has used as many tokens as it may. */
  readonly budget: { readonly spent: number; readonly feedback: string } & Reviewed;
  /** The agent stopped by accident: it is sent back at once, without a review. */
  readonly nudged: {
    readonly why: NudgeReason;
    /** Counts the nudges since the last review. */
    readonly number: number;
    readonly feedback: string;
  };
  readonly skipped: { readonly why: SkipReason };
  readonly unreviewed: {
    readonly why: string;
    /** Why the reviewer's API gave no answer, if that is the reason. */
    readonly cause?: ApiFailureKind | undefined;
  } & Looked;
}

export interface Looked {
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
  /** A line about what the checks said in copies: "proof: 1 point". */
  readonly proof?: string | undefined;
  /** The fresh review of a "done" that a reviewer with the conversation gave. Its time and tokens are part of the above. */
  readonly confirmation?: Confirmation | undefined;
}

export interface Confirmation extends Pick<Looked, "usage" | "seconds" | "instead" | "looked"> {
  readonly reviewer: string;
  readonly verdict: OutcomeFacts<OutcomeKind>["verdict"];
  /** What its answers lacked, each time it was asked again. */
  readonly questions: readonly string[];
}

interface Reviewed extends Looked {
  /** What must be true, and whether it is. Empty if no review has named anything. */
  readonly criteria: readonly Criterion[];
}

/** What reviews took. */
export interface ReviewCost {
  readonly seconds: number;
  readonly tokens: number;
}

export const NO_COST: ReviewCost = { seconds: 0, tokens: 0 };

export function addCost(one: ReviewCost, other: ReviewCost): ReviewCost {
  return { seconds: one.seconds + other.seconds, tokens: one.tokens + other.tokens };
}

/** All tokens that went in and came out, cached ones included. */
export function totalTokens({ inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens }: Usage): number {
  return inputTokens + cacheReadTokens + cacheWriteTokens + outputTokens;
}

/** What it means to the user. "open": the agent continues. "warn": it is the user's turn. */
export type Tone = "good" | "open" | "warn" | "bad" | "quiet";

/** How a supervised run can end. */
export const ENDINGS = {
  done: { title: "Done", exitCode: EXIT.ok, tone: "good" },
  "not done": { title: "NOT done", exitCode: EXIT.notDone, tone: "bad" },
  "over budget": { title: "NOT done, over budget", exitCode: EXIT.budget, tone: "bad" },
  "needs you": { title: "Needs you", exitCode: EXIT.needsUser, tone: "warn" },
  "not reviewed": { title: "NOT reviewed", exitCode: EXIT.notReviewed, tone: "bad" },
  /**
   * No review was wanted: plan mode, or `supervisor.when`. The loop engine, which works until it is done, does not end
   * like this.
   */
  "no review": { title: "No review", exitCode: EXIT.ok, tone: "quiet" },
  /** The agent could not work. */
  failed: { title: "Failed", exitCode: EXIT.failure, tone: "bad" },
  /** The user ended the loop engine. */
  interrupted: { title: "Interrupted", exitCode: EXIT.interrupted, tone: "warn" },
} as const satisfies Readonly<
  Record<string, { readonly title: string; readonly exitCode: ExitCode; readonly tone: Tone }>
>;

export type EndingName = keyof typeof ENDINGS;

/** Everything that depends on the kind of outcome. */
interface OutcomeFacts<Kind extends OutcomeKind> {
  /** In the status line, in reports, and in the session's status. */
  readonly word: string;
  readonly tone: Tone;
  /** How the prompt ends with it; undefined if the agent continues, or if a review may follow. */
  readonly ending: EndingName | undefined;
  /** The verdict in `ccc review` and in the report of the loop engine. */
  readonly verdict: "done" | "not done" | "needs you" | "not reviewed";
  /** The verdict of a round in `ccc report`. */
  readonly reported: ReportedOutcome;
  /** Whether the agent is sent back to work, with feedback. */
  readonly sendsBack: boolean;
  /** Whether it takes one of the prompt's reviews. */
  readonly isReview: boolean;
  /** Whether a reviewer has certainly given a verdict. */
  readonly hasVerdict: boolean;
  /** Why the work is not done, if nobody gave a reason. */
  readonly reason: string;
  /** Why this outcome is not "done". */
  readonly why: (outcome: Outcome<Kind>, reason: string) => string;
  /** One line: about a review while the agent continues, about the whole prompt at its end. */
  readonly line: (outcome: Outcome<Kind>, about: { readonly limit: number; readonly log: string }) => string;
}

export type ReportedOutcome =
  | OutcomeFacts<OutcomeKind>["verdict"]
  | "limit"
  | "stalemate"
  | "over budget"
  | "nudged"
  | "skipped";

type OutcomeTable = { readonly [Kind in OutcomeKind]: OutcomeFacts<Kind> };

export const OUTCOMES: OutcomeTable = {
  done: {
    word: "done",
    tone: "good",
    ending: "done",
    verdict: "done",
    reported: "done",
    sendsBack: false,
    isReview: true,
    hasVerdict: true,
    reason: "",
    why: () => "",
    line: (outcome, { limit }) => {
      const { rounds, total } = outcome;
      const cost = spent(total).map((each, index, all) =>
        rounds > 1 && index === all.length - 1 ? `${each} in all` : each,
      );
      const feedback = firstSentence(outcome.feedback);
      const figures = `${tallied(outcome)}${confirmedBy(outcome)}${inBrackets(cost)}`;
      return `Review ${rounds} of ${limit}: done${figures}${feedback === "" ? "" : `. ${feedback}`}`;
    },
  },
  rework: {
    word: "not done",
    tone: "open",
    ending: undefined,
    verdict: "not done",
    reported: "not done",
    sendsBack: true,
    isReview: true,
    hasVerdict: true,
    reason: "",
    why: ({ feedback }) => feedback,
    line: (outcome, { limit }) => {
      const which = `Review ${outcome.round} of ${limit}`;
      if (outcome.check !== undefined) return `${which}: check failed: ${oneLine(outcome.check, LONGEST_SENTENCE)}`;
      const { seconds, usage } = outcome;
      const cost = spent({ seconds, tokens: totalTokens(usage) });
      return `${which}: not done${tallied(outcome)}${confirmedBy(outcome)}${inBrackets(cost)}`;
    },
  },
  needs_user: {
    word: "needs you",
    tone: "warn",
    ending: "needs you",
    verdict: "needs you",
    reported: "needs you",
    sendsBack: false,
    isReview: true,
    hasVerdict: true,
    reason: "",
    why: ({ feedback }) => feedback,
    line: (outcome) => {
      const figures = [metAfter(outcome), ...spent(outcome.total)];
      return `Needs you: ${oneLine(outcome.feedback, LONGEST_QUESTION)}${inBrackets(figures)}`;
    },
  },
  limit: {
    word: "NOT done",
    tone: "bad",
    ending: "not done",
    verdict: "not done",
    reported: "limit",
    sendsBack: false,
    isReview: false,
    hasVerdict: false,
    reason: "the review limit was reached; the last changes were not reviewed",
    why: ({ criteria, feedback }, reason) => withOpen(reason, criteria, feedback),
    line: (outcome, { limit }) => {
      const sentence = notDoneAfter(reviews(limit), outcome, spent(outcome.total));
      return withOpen(`${sentence} The last changes were not reviewed.`, outcome.criteria, outcome.feedback);
    },
  },
  stalemate: {
    word: "NOT done",
    tone: "bad",
    ending: "not done",
    verdict: "not done",
    reported: "stalemate",
    sendsBack: false,
    isReview: true,
    hasVerdict: true,
    reason: "the last reviews brought no progress",
    why: ({ criteria, why }, reason) => withOpen(why ?? reason, criteria),
    line: (outcome) => {
      const sentence = notDoneAfter(reviews(outcome.rounds), outcome, spent(outcome.total));
      const why = oneLine(outcome.why ?? "The last reviews brought no progress", LONGEST_REASON);
      return withOpen(`${sentence} ${why}.`, outcome.criteria);
    },
  },
  budget: {
    word: "NOT done",
    tone: "bad",
    ending: "over budget",
    verdict: "not done",
    reported: "over budget",
    sendsBack: false,
    isReview: true,
    // There may have been no tokens left for a review.
    hasVerdict: false,
    reason: "the tokens for this prompt are used up (supervisor.budget_tokens)",
    why: ({ criteria, feedback }, reason) => withOpen(reason, criteria, feedback),
    line: (outcome) => {
      const tokens = `${grouped(outcome.spent)} tokens for this prompt (supervisor.budget_tokens)`;
      return withOpen(notDoneAfter(tokens, outcome, []), outcome.criteria, outcome.feedback);
    },
  },
  nudged: {
    word: "nudged",
    tone: "open",
    ending: undefined,
    verdict: "not reviewed",
    reported: "nudged",
    sendsBack: true,
    isReview: false,
    hasVerdict: false,
    reason: "",
    why: ({ why }) => NUDGES[why].text,
    line: ({ why, number }) => `Nudge ${number} of ${MOST_NUDGES}: ${NUDGES[why].text}`,
  },
  skipped: {
    word: "no review",
    tone: "quiet",
    ending: undefined,
    verdict: "not reviewed",
    reported: "skipped",
    sendsBack: false,
    isReview: false,
    hasVerdict: false,
    reason: "",
    why: ({ why }) => SKIPS[why].text,
    line: ({ why }) => `No review: ${SKIPS[why].text}`,
  },
  unreviewed: {
    word: "not reviewed",
    tone: "bad",
    ending: "not reviewed",
    verdict: "not reviewed",
    reported: "not reviewed",
    sendsBack: false,
    isReview: true,
    hasVerdict: false,
    reason: "",
    why: ({ why }) => why,
    line: ({ why }, { log }) =>
      `NOT reviewed: ${oneLine(why, LONGEST_REASON).replace(/\.$/, "")}. The agent was allowed to stop; see ${log}`,
  },
};

export const OUTCOME_KINDS = Object.keys(OUTCOMES) as OutcomeKind[];

/** The outcome in one line. `log` is where the user finds the log. */
export function announcement<Kind extends OutcomeKind>(outcome: Outcome<Kind>, limit: number, log: string): string {
  const { line }: OutcomeTable[Kind] = OUTCOMES[outcome.kind];
  return line(outcome, { limit, log });
}

/** What an outcome means to those who wait for it. */
export interface OutcomeMeaning {
  readonly verdict: StopVerdict;
  /** Why the work is not done; empty for "done". */
  readonly why: string;
  /** Why the agent is sent back to work, for people; undefined if it may stop. */
  readonly feedback: string | undefined;
  /** The same for the agent, after what it may not do without asking the user. */
  readonly message: string | undefined;
  /** The exit code of a run whose last stop ended like this; undefined if the agent continues. */
  readonly exitCode: ExitCode | undefined;
}

/** What a stop led to: the verdict of its review, or that a check failed before anybody was asked. */
export type StopVerdict = (typeof STOP_VERDICTS)[number];

export const STOP_VERDICTS = ["done", "not done", "check failed", "needs you", "not reviewed"] as const;

export function meaningOf<Kind extends OutcomeKind>(outcome: Outcome<Kind>): OutcomeMeaning {
  const { verdict, why, reason, sendsBack }: OutcomeTable[Kind] = OUTCOMES[outcome.kind];
  const { ending } = recordedOutcome(outcome.kind, "why" in outcome ? outcome.why : undefined);
  const feedback = sendsBack && "feedback" in outcome ? outcome.feedback : undefined;
  return {
    verdict: "check" in outcome && outcome.check !== undefined ? "check failed" : verdict,
    why: why(outcome, reason),
    feedback,
    message: feedback && `${NO_APPROVAL}\n\n${feedback}`,
    exitCode: ending && ENDINGS[ending].exitCode,
  };
}

/** What an outcome's kind and reason on record say about it. */
interface RecordedOutcome
  extends Pick<OutcomeFacts<OutcomeKind>, "word" | "tone" | "reason" | "isReview" | "hasVerdict"> {
  /** How a run ends whose last stop ended like this. */
  readonly ending: EndingName | undefined;
  /** Whether the agent continues by itself, and a review follows then. */
  readonly isPostponed: boolean;
  readonly why: string | undefined;
}

/** An outcome on record; undefined if another version of ccc recorded it. */
export function recordedOutcome(kind: OutcomeKind, why?: string): RecordedOutcome;
export function recordedOutcome(kind: string | undefined, why?: string): RecordedOutcome | undefined;
export function recordedOutcome(kind: string | undefined, why?: string): RecordedOutcome | undefined {
  if (kind === undefined || !Object.hasOwn(OUTCOMES, kind)) return undefined;
  const facts = OUTCOMES[kind as OutcomeKind];
  if (kind === "nudged" && why !== undefined && Object.hasOwn(NUDGES, why))
    return { ...facts, isPostponed: false, why: NUDGES[why as NudgeReason].text };
  if (kind !== "skipped") return { ...facts, reason: why ?? facts.reason, isPostponed: false, why };
  const isKnown = why !== undefined && Object.hasOwn(SKIPS, why);
  const { text, ending, isPostponed }: Skip = isKnown ? SKIPS[why as SkipReason] : { ...LEFT_OUT, text: why ?? "" };
  return { ...facts, ending, isPostponed, why: text };
}

const LEFT_OUT = { ending: "not reviewed", isPostponed: false, mayNudge: false } as const;
const POSTPONED = { ...LEFT_OUT, isPostponed: true } as const;

export type NudgeReason = keyof typeof NUDGES;

/** How an agent stops by accident: the text for the user, and the feedback for the agent. */
export const NUDGES = {
  tool_call: {
    text: "the agent wrote a tool call as text, so nothing ran",
    feedback: "Your last message has a tool call as text, so nothing ran. Make the call with the tool itself.",
  },
  empty: {
    text: "the agent's answer was empty",
    feedback: "Your last answer was empty. Continue with the task, or say what is done and what is not.",
  },
  cut_off: {
    text: "the agent's answer was cut off by the token limit",
    feedback: "Your last answer was cut off by the token limit. Continue where it ends, in smaller steps.",
  },
  announcement: {
    text: "the agent announced a step and did not take it",
    feedback: "You announced a step and stopped before it. If it is part of the task, take it now.",
  },
} as const satisfies Readonly<Record<string, { readonly text: string; readonly feedback: string }>>;

/**
 * Comes first in every message from ccc to the agent, which might take it for the user's. Short, because each one costs
 * tokens.
 */
export const NO_APPROVAL =
  "What follows comes from ccc's supervisor, not from the user, and approves nothing. Unless the user asked for it, do not push, publish, deploy, delete data, spend money, change credentials or act on the systems of others: ask first.";

export type SkipReason = keyof typeof SKIPS;

interface Skip {
  readonly text: string;
  /** How a run ends whose last stop was skipped. */
  readonly ending: EndingName;
  /** Whether the agent continues by itself, and a review follows then. */
  readonly isPostponed: boolean;
  /** Whether the agent may still be nudged: it was supposed to work, and neither waits nor is done. */
  readonly mayNudge: boolean;
}

/** Why there is no review. */
export const SKIPS = {
  delegated: { text: "a delegated agent is still working; the review starts when it finishes", ...POSTPONED },
  plan: { text: "the session is in plan mode", ending: "no review", isPostponed: false, mayNudge: true },
  scheduled: { text: "the agent has scheduled a wake-up; the review starts when it stops after that", ...POSTPONED },
  // The last review still holds.
  unchanged: {
    text: "nothing has happened since the last review, which said done",
    ending: "done",
    isPostponed: false,
    mayNudge: false,
  },
  off: { text: "supervision was switched off in this session", ...LEFT_OUT },
  talk: {
    text: 'no tool ran since your last prompt, and supervisor.when is "changes"',
    ending: "no review",
    isPostponed: false,
    mayNudge: true,
  },
} as const satisfies Readonly<Record<string, Skip>>;

/** "Stopped after 3 reviews: NOT done, 1 of 2 met (2m10s, 9k tokens)." */
function notDoneAfter(
  what: string,
  { criteria }: { readonly criteria: readonly Criterion[] },
  took: readonly string[],
): string {
  return `Stopped after ${what}: NOT done${tallied({ criteria })}${inBrackets(took)}.`;
}

/** Adds what is still to do: the open criteria and the last feedback, such as a check that must pass. */
function withOpen(message: string, criteria: readonly Criterion[], asked = ""): string {
  const missing = unmet(criteria).map(({ id, text }) => `${id} ${oneLine(text, LONGEST_SENTENCE)}`);
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

/** ", confirmed by kimi" */
function confirmedBy({ confirmation: by }: Pick<Looked, "confirmation">): string {
  return by === undefined ? "" : `, ${by.verdict === "done" ? "" : "not "}confirmed by ${by.reviewer}`;
}

/** "41 s", "3.1k tokens". A provider that reports no tokens has none to show. */
function spent({ seconds, tokens }: ReviewCost): string[] {
  return [...(seconds > 0 ? [shortDuration(seconds)] : []), ...(tokens > 0 ? [shortTokens(tokens)] : [])];
}

function inBrackets(parts: readonly string[]): string {
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function firstSentence(text: string): string {
  // The "!" of a command such as `test ! -f a` ends no sentence.
  const [sentence = ""] = text.trim().split(/(?<=\S[.!?])\s|(?<=。)|\n/);
  return oneLine(sentence, LONGEST_SENTENCE);
}

const LONGEST_SENTENCE = 200;
const LONGEST_QUESTION = 600;
const LONGEST_REASON = 2_000;
