/** The settings of supervisor mode and their defaults. */
import { usageError } from "../errors.ts";
import type { Env } from "../world.ts";
import type { Config } from "./schema.ts";

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
  max_iterations: 10,
  timeout_seconds: 600,
  when: "always",
  context: "auto",
  sandbox: "auto",
  check_timeout_seconds: 600,
  proof: true,
  confirm: true,
  budget_tokens: 0,
  stalemate: 3,
  nudge: true,
  agent_timeout_seconds: 0,
  limit_wait_seconds: 21_600,
  completion_marker: "[TASK_COMPLETED]",
  notify: true,
} as const;

/** How many checks a session may have. The time limit of the Stop hook has room for all of them. */
export const MOST_CHECKS = 20;

/** How many stops in a row may be sent back without a review. */
export const MOST_NUDGES = 3;

/** `supervisor` as written in ccc.json. */
type Written = {
  readonly [K in keyof NonNullable<Config["supervisor"]>]?: NonNullable<NonNullable<Config["supervisor"]>[K]>;
};

/** Settings without a fixed default. */
type Open = "provider" | "model" | "fallback" | "confirm" | "limit_wait_seconds";

/**
 * `supervisor` in ccc.json with the defaults filled in, under the same names. It has this shape from the launch to the
 * review; a command line may override single settings.
 */
export interface SupervisorSettings extends Required<Omit<Written, Open>> {
  /** Undefined: the agent's. */
  readonly provider: string | undefined;
  /** Undefined: that of the provider. */
  readonly model: string | undefined;
  readonly fallback: readonly ReviewerName[];
  /** Who confirms the "done" of a reviewer that has the conversation. true: the same reviewers, without the conversation. */
  readonly confirm: boolean | ReviewerName;
  /** Undefined: see `limitWait`. */
  readonly limit_wait_seconds: number | undefined;
}

export function supervisorSettings({ supervisor }: Pick<Config, "supervisor">): SupervisorSettings {
  const written = (supervisor ?? {}) as Written;
  return {
    checks: [],
    ...SUPERVISOR_DEFAULTS,
    ...written,
    provider: written.provider || undefined,
    model: written.model || undefined,
    fallback: (written.fallback ?? []).map(readReviewerName),
    confirm: readConfirm(written.confirm ?? SUPERVISOR_DEFAULTS.confirm),
    completion_marker: written.completion_marker || SUPERVISOR_DEFAULTS.completion_marker,
    limit_wait_seconds: written.limit_wait_seconds,
  };
}

/** How long a session waits for a usage limit, in seconds. Without a terminal nobody sees that it waits. */
export function limitWait({ limit_wait_seconds: seconds }: SupervisorSettings, isTerminal = true): number {
  return seconds ?? (isTerminal ? SUPERVISOR_DEFAULTS.limit_wait_seconds : 0);
}

/** A reviewer, as `supervisor.fallback` names it: "provider" or "provider:model". */
export interface ReviewerName {
  readonly provider: string;
  /** Undefined: that of the provider. */
  readonly model: string | undefined;
}

/** Model names may contain a colon; provider names cannot. */
export function readReviewerName(text: string): ReviewerName {
  const [provider = "", ...rest] = text.split(":");
  return { provider: provider.trim(), model: rest.join(":").trim() || undefined };
}

function readConfirm(value: boolean | string): boolean | ReviewerName {
  return typeof value === "string" ? readReviewerName(value) : value;
}

export function reviewerLabel({ provider, model }: ReviewerName): string {
  return model === undefined ? provider : `${provider}:${model}`;
}

/** What CCC_SUPERVISOR says; undefined if it is not set. */
export function supervisorVariable({ CCC_SUPERVISOR: value = "" }: Env): boolean | undefined {
  const word = value.trim().toLowerCase();
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
