import { MOST_CHECKS } from "./defaults.ts";

/** Time for the hook beyond the checks and the review. */
export const HOOK_MARGIN_SECONDS = 60;
/** A longer time would overflow Claude Code's timer. */
const LONGEST_HOOK_SECONDS = 2_100_000;

/**
 * Enough for all checks and for every reviewer to use its time. It does not depend on the checks of one launch: other
 * launches of the provider use the same settings file.
 */
export function hookSeconds(timeoutSeconds: number, checkTimeoutSeconds: number, reviewers: number): number {
  const seconds = reviewers * timeoutSeconds + MOST_CHECKS * checkTimeoutSeconds + HOOK_MARGIN_SECONDS;
  return Math.min(seconds, LONGEST_HOOK_SECONDS);
}

/** How many blocks in a row Claude Code has to accept. Other Stop hooks may block too, so it is well above ccc's limit. */
export function blockCap(reviews: number): string {
  return String(reviews + 10);
}
