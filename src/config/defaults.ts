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
