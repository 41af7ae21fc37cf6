/** How stops are reviewed: by a Stop hook inside Claude Code, or by ccc, which runs agent and reviewer in turn. */
export const ENGINES = ["hook", "loop"] as const;

export type Engine = (typeof ENGINES)[number];

/** The defaults of `supervisor` in ccc.json, for the code, ccc.schema.json and docs/configuration.md. */
export const SUPERVISOR_DEFAULTS = {
  enabled: false,
  engine: "hook",
  maxIterations: 10,
  timeoutSeconds: 600,
  completionMarker: "[TASK_COMPLETED]",
} as const;
