/** How stops are reviewed: by a Stop hook inside Claude Code, or by ccc, which runs agent and reviewer in turn. */
export const ENGINES = ["hook", "loop"] as const;

export type Engine = (typeof ENGINES)[number];

/** What holds where `supervisor` in ccc.json says nothing. The code, ccc.schema.json and the reference take it from here. */
export const SUPERVISOR_DEFAULTS = {
  enabled: false,
  engine: "hook",
  maxIterations: 10,
  timeoutSeconds: 600,
  completionMarker: "[TASK_COMPLETED]",
} as const;
