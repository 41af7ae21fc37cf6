import { type ApiFailure, type ApiFailureKind, classifyFailure, serverWords } from "../../claude/api-failure.ts";
import type { Retry } from "../../claude/stream.ts";
import { readReviewerName } from "../../config/reviewer-name.ts";
import { shownTime } from "../../text/duration.ts";

/** A review without a verdict. */
export interface ReviewFailure {
  readonly failure: string;
  /** Whether the reviewer could not be had at all, so that another one may be asked. */
  readonly isUnavailable: boolean;
  /** Why its API gave no answer, if that is the reason. */
  readonly cause?: ApiFailureKind;
}

export function unavailable(failure: string): ReviewFailure {
  return { failure, isUnavailable: true };
}

/** There was a review, and it failed: another reviewer would be a second opinion, and nobody asked for one. */
export function failedReview(failure: string): ReviewFailure {
  return { failure, isUnavailable: false };
}

/** An API that gave no answer: what happened, in its own words, and what to do. */
export function apiUnavailable(
  { status: given, type = "", text }: FailedAnswer,
  { reviewer, now, clean }: { readonly reviewer: string; readonly now: Date; readonly clean: (text: string) => string },
): ReviewFailure {
  const found = classifyFailure({ status: given, text: `${type}\n${text}` }, now);
  // Before it is cut: half a key would not be recognized.
  const words = clean(serverWords(text)).slice(0, LONGEST_WORDS);
  const status = found.status === undefined ? "" : ` (HTTP ${found.status})`;
  const what = `${MEANINGS[found.kind]}${status}${words === "" ? "" : `: ${words.replace(/[.。]$/, "")}`}`;
  return { ...unavailable([what, advice(found, reviewer)].filter(Boolean).join("; ")), cause: found.kind };
}

/** A failed request that claude sends again. */
export function retrying({ status, attempt, most }: Retry, reviewer: string): string {
  const what = status === undefined ? "the API cannot be reached" : `the API answers HTTP ${status}`;
  const count = attempt === undefined || most === undefined ? "" : ` (${attempt} of ${most})`;
  return `${reviewer === "" ? "" : `${reviewer}: `}${what}; claude is retrying${count}`;
}

interface FailedAnswer {
  readonly status: number | undefined;
  /** The type of the error. */
  readonly type?: string | undefined;
  /** The message, as Claude Code shows it. */
  readonly text: string;
}

const LONGEST_WORDS = 500;

const MEANINGS: Readonly<Record<ApiFailureKind, string>> = {
  refused: "the API refused the reviewer's key",
  "usage limit": "the reviewer's usage limit is reached",
  "no credit": "the reviewer's account is out of credit",
  "rate limit": "the API gets too many requests from the reviewer's account",
  "server error": "the reviewer's API has a server error",
  unreachable: "the reviewer's API cannot be reached",
  other: "claude reports an error",
};

function advice({ kind, resetAt }: ApiFailure, reviewer: string): string {
  const { provider } = readReviewerName(reviewer);
  switch (kind) {
    case "refused":
    case "unreachable":
      return provider === "" ? "check its provider" : `check it with \`ccc validate ${provider}\``;
    case "usage limit":
    case "rate limit":
      return resetAt === undefined ? "try again later" : `it resets at ${shownTime(resetAt.getTime() / 1000)}`;
    case "no credit":
      return "add credit at its provider";
    case "server error":
      return "try again later";
    case "other":
      return "";
  }
}
