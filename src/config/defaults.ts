import { usageError } from "../errors.ts";
import type { Env } from "../world.ts";

/** How stops are reviewed: by a Stop hook inside Claude Code, or by ccc, which runs agent and reviewer in turn. */
export const ENGINES = ["hook", "loop"] as const;

export type Engine = (typeof ENGINES)[number];

/** Which stops are reviewed: all, or only those of turns in which the agent used a tool. */
export const WHENS = ["always", "changes"] as const;

export type When = (typeof WHENS)[number];

/** What the reviewer sees: a fork of the session, a new session with a digest, or whichever is cheaper. */
export const REVIEW_CONTEXTS = ["auto", "session", "fresh"] as const;

export type ReviewContext = (typeof REVIEW_CONTEXTS)[number];

/** The defaults of `supervisor` in ccc.json, for the code, ccc.schema.json and docs/configuration.md. */
export const SUPERVISOR_DEFAULTS = {
  enabled: false,
  engine: "hook",
  maxIterations: 10,
  timeoutSeconds: 600,
  when: "always",
  context: "auto",
  checkTimeoutSeconds: 600,
  budgetTokens: 0,
  stalemate: 3,
  agentTimeoutSeconds: 0,
  limitWaitSeconds: 21_600,
  completionMarker: "[TASK_COMPLETED]",
  notify: true,
} as const;

/** How many checks a session may have. The time limit of the Stop hook has room for all of them. */
export const MOST_CHECKS = 20;

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

/** A reviewer, as `supervisor.fallback` names it: "provider" or "provider:model". */
export interface ReviewerName {
  readonly provider: string;
  /** Undefined: that of the provider. */
  readonly model: string | undefined;
}

/** Names of providers have no colon; those of models may. */
export function readReviewerName(text: string): ReviewerName {
  const [provider = "", ...rest] = text.split(":");
  return { provider: provider.trim(), model: rest.join(":").trim() || undefined };
}

export function reviewerLabel({ provider, model }: ReviewerName): string {
  return model === undefined ? provider : `${provider}:${model}`;
}

/** What CCC_SUPERVISOR says; undefined if it is not set. */
export function supervisorVariable({ CCC_SUPERVISOR: given = "" }: Env): boolean | undefined {
  const word = given.trim().toLowerCase();
  if (word === "") return undefined;
  if (ON.includes(word)) return true;
  if (OFF.includes(word)) return false;
  throw usageError(
    "CCC_SUPERVISOR is neither on nor off",
    `It takes ${ON.join(", ")}, or ${OFF.join(", ")}. To unset it: unset CCC_SUPERVISOR`,
  );
}

const ON: readonly string[] = ["1", "true", "yes", "on"];
const OFF: readonly string[] = ["0", "false", "no", "off"];
