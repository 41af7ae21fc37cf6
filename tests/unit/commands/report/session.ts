import type { RecordedStop, SupervisedSession } from "../../../../src/supervisor/record/stops.ts";

export const USAGE = {
  input_tokens: 10,
  cache_read_tokens: 90,
  cache_write_tokens: 0,
  output_tokens: 5,
  cost_usd: null,
};

/** A minute of 2026-01-01. */
export const at = (minute: number, second = 0) => new Date(Date.UTC(2026, 0, 1, 12, minute, second)).toISOString();

export function stop(minute: number, more: Partial<RecordedStop> = {}): RecordedStop {
  const ended = more.outcome === undefined ? undefined : at(minute, 30);
  return {
    at: at(minute),
    endedAt: ended,
    isRunning: false,
    promptId: "p",
    usage: undefined,
    ...(ended === undefined ? {} : { seconds: 30 }),
    ...more,
  } as RecordedStop;
}

export function prompt(minute: number, text: string, by_user = true) {
  return { at: at(minute), prompt_id: "p", by_user, text, mode: null };
}

export function criterion(id: string, status: "met" | "unmet" | "dropped", evidence = "") {
  return { id, text: `text of ${id}`, status, evidence, unmet_reviews: 0, unmet_files: null };
}

/** Two rounds after a failing check, in the second of which all is met. */
export const SESSION: SupervisedSession = {
  id: "3f2a",
  launch: {
    cwd: "/home/u/shop",
    provider: "glm",
    reviewer: "kimi",
    version: "2.1.325",
    engine: "hook",
    checks: { commands: ["npm test"], left_out: [] },
  },
  prompts: [prompt(0, "fix the cart"), prompt(1, "a task has ended", false)],
  stops: [
    stop(2, {
      outcome: "rework",
      round: 1,
      limit: 10,
      check: "npm test (exit 1)",
      feedback: "A check failed",
      checks: [{ command: "npm test", ending: "exit 1", passed: false, reused: false, seconds: 3, output: "1 failed" }],
    }),
    stop(4, {
      outcome: "rework",
      round: 2,
      limit: 10,
      feedback: "C2 is open",
      reviewer: "kimi",
      context: "fresh",
      usage: USAGE,
      looked: ["Read: cart.ts"],
      asked_again: ["it has no evidence"],
      criteria: [criterion("C1", "met"), criterion("C2", "unmet")],
    }),
    stop(6, {
      outcome: "done",
      round: 3,
      limit: 10,
      feedback: "All there.",
      reviewer: "kimi",
      context: "shared",
      usage: USAGE,
      criteria: [criterion("C1", "met"), criterion("C2", "met", "cart.ts:3"), criterion("T1", "met")],
      changes: {
        since: at(0),
        files: [
          { path: "cart.ts", kind: "modified", added: 3, deleted: 1 },
          { path: "old.test.ts", kind: "deleted", added: 0, deleted: 9 },
          { path: "b.ts", from: "a.ts", kind: "renamed" },
        ],
        more: 2,
        suspicious: [{ id: "T1", kind: "deleted test", path: "old.test.ts", text: "old.test.ts was deleted" }],
      },
    }),
  ],
};

/** Two prompts: one whose work was rejected, with suspicious changes, and one without a verdict. */
export const OPEN: SupervisedSession = {
  ...SESSION,
  prompts: [prompt(0, "write it"), prompt(5, "")],
  stops: [
    stop(2, {
      outcome: "rework",
      round: 1,
      limit: 10,
      feedback: "Not yet.",
      reviewer: "glm",
      context: "schema",
      instead: "kimi: no credit",
      agent_tokens: 5_000,
      criteria: [criterion("C1", "unmet", "nothing there")],
      usage: { ...USAGE, input_tokens: 94, cache_read_tokens: 1 },
      checks: [
        { command: "make", ending: "exit 0", passed: true, reused: true, seconds: 9, output: "built" },
        { command: "npm test", ending: "exit 0", passed: true, reused: false, seconds: 3, output: "" },
      ],
      changes: {
        since: at(0),
        files: [{ path: "a.test.ts", kind: "modified", added: 1, deleted: 0 }],
        more: 1,
        suspicious: [
          { kind: "skipped test", path: "a.test.ts", text: "a test is skipped" },
          { id: "C1", kind: "lost assertions", path: "b.test.ts", text: "2 assertions are gone" },
        ],
      },
    }),
    stop(6, { outcome: "skipped", why: "plan" }),
    stop(7, { outcome: "unreviewed", why: "no verdict", changes: { why: "not a git repository" } }),
  ],
};

/** A session whose launch and prompts are not on record. */
export const UNKNOWN: SupervisedSession = {
  id: "a",
  launch: undefined,
  prompts: [],
  stops: [stop(1, { outcome: "done", changes: { since: at(0), files: [], more: 0, suspicious: [] } })],
};
