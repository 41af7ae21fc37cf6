import * as v from "valibot";
import { ENGINES } from "../../config/defaults.ts";
import { CRITERION_STATUSES } from "../../supervisor/ledger/criterion.ts";
import { UsageLimitSchema } from "../../supervisor/record/loop-end.ts";
import { ChangeFieldsSchema, CheckFieldsSchema } from "../../supervisor/record/stop-entry.ts";
import { UsageFieldsSchema } from "../../supervisor/record/usage-fields.ts";

/** How a supervised session ended, or where it is. */
export const SESSION_OUTCOMES = [
  "done",
  "not done",
  "needs you",
  "over budget",
  "not reviewed",
  /** The agent could not work, or the user ended the loop engine. */
  "failed",
  "interrupted",
  /** A review is running. */
  "reviewing",
  /** The record ends while the agent was at work. */
  "unfinished",
] as const;

/** What a stop of the agent led to. */
export const VERDICTS = [
  "done",
  "not done",
  "check failed",
  "needs you",
  "stalemate",
  "over budget",
  /** The limit of reviews was reached before. */
  "limit",
  "skipped",
  "not reviewed",
  "running",
] as const;

const RoundSchema = v.strictObject({
  /** Counts the reviews of the prompt; null for a stop without one. */
  number: v.nullable(v.number()),
  limit: v.nullable(v.number()),
  at: v.string(),
  verdict: v.picklist(VERDICTS),
  /** Why there was no review, or which check failed. */
  why: v.nullable(v.string()),
  feedback: v.string(),
  reviewer: v.nullable(v.string()),
  /** Why the reviewers before could not review. */
  instead: v.nullable(v.string()),
  context: v.nullable(v.picklist(["shared", "schema", "fresh"])),
  /** How long the agent worked before the stop, and the checks and the review took. */
  agent_seconds: v.nullable(v.number()),
  seconds: v.nullable(v.number()),
  usage: v.nullable(UsageFieldsSchema),
  /** Known with the loop engine only. */
  agent_tokens: v.nullable(v.number()),
  criteria: v.array(
    v.strictObject({
      id: v.string(),
      text: v.string(),
      status: v.picklist(CRITERION_STATUSES),
      evidence: v.string(),
    }),
  ),
  checks: v.array(CheckFieldsSchema),
  looked: v.array(v.string()),
});

/** What `ccc report --json` prints. docs/report.md explains it. */
export const SessionReportSchema = v.strictObject({
  version: v.literal(1),
  session: v.string(),
  /** What the launch decided; null if the record does not say. */
  folder: v.nullable(v.string()),
  engine: v.nullable(v.picklist(ENGINES)),
  provider: v.nullable(v.string()),
  reviewer: v.nullable(v.string()),
  claude_version: v.nullable(v.string()),
  outcome: v.picklist(SESSION_OUTCOMES),
  /** Why it is not done. */
  reason: v.string(),
  /** The limit of the agent's provider that ended the loop engine. */
  usage_limit: UsageLimitSchema,
  started_at: v.nullable(v.string()),
  /** The last thing on record. */
  ended_at: v.nullable(v.string()),
  totals: v.strictObject({
    /** Failing checks included. */
    reviews: v.number(),
    agent_seconds: v.number(),
    review_seconds: v.number(),
    ...UsageFieldsSchema.entries,
    agent_tokens: v.nullable(v.number()),
  }),
  prompts: v.array(
    v.strictObject({
      at: v.string(),
      text: v.string(),
      rounds: v.array(RoundSchema),
      /** Since the prompt, as the last stop saw it; null if no stop looked. */
      changes: v.nullable(ChangeFieldsSchema),
    }),
  ),
});

export type SessionReport = v.InferOutput<typeof SessionReportSchema>;
export type SessionOutcome = SessionReport["outcome"];
export type ReportedPrompt = SessionReport["prompts"][number];
export type ReportedRound = ReportedPrompt["rounds"][number];
export type RoundVerdict = ReportedRound["verdict"];
export type ReportedChanges = Exclude<NonNullable<ReportedPrompt["changes"]>, { readonly why: string }>;
