import * as v from "valibot";
import { NO_USAGE } from "../../claude/token-usage.ts";
import { EXIT, type ExitCode } from "../../errors.ts";
import { CriterionSchema } from "../../supervisor/ledger/criterion.ts";
import { UsageFieldsSchema, usageFields } from "../../supervisor/record/usage-fields.ts";
import { exitCodeFor } from "../../supervisor/review/outcome.ts";
import type { SessionReview } from "./review-session.ts";

/** What `ccc review --json` prints. */
export const ReviewResultSchema = v.object({
  session: v.string(),
  folder: v.string(),
  verdict: v.picklist(["done", "not done", "check failed", "needs you", "not reviewed"]),
  exit_code: v.number(),
  /** In the reviewer's words: what is missing, what only the user can do, or what was checked. */
  feedback: v.string(),
  /** Why there is no verdict; empty if there is one. */
  reason: v.string(),
  criteria: v.array(v.pick(CriterionSchema, ["id", "text", "status", "evidence"])),
  /** The last one has failed if the verdict is "check failed"; the others passed. */
  checks: v.array(
    v.object({ command: v.string(), passed: v.boolean(), ending: v.string(), seconds: v.number(), output: v.string() }),
  ),
  /** What ccc noticed. */
  findings: v.array(v.string()),
  /** "provider" or "provider:model"; null if nobody was asked. */
  reviewer: v.nullable(v.string()),
  /** Why those before could not review. */
  instead: v.nullable(v.string()),
  /** What the reviewer saw; null if nobody was asked. */
  context: v.nullable(v.picklist(["session", "fresh"])),
  /** What the reviewer opened and ran. */
  looked: v.array(v.string()),
  seconds: v.number(),
  ...UsageFieldsSchema.entries,
});

export type ReviewResult = v.InferOutput<typeof ReviewResultSchema>;

export function reviewResult(session: string, folder: string, review: SessionReview): ReviewResult {
  const { outcome, notes, findings } = review;
  const isChecked = outcome.kind === "rework" && outcome.check !== undefined;
  const reviewer = ("reviewer" in outcome && outcome.reviewer) || null;
  return {
    session,
    folder,
    verdict: isChecked ? "check failed" : VERDICTS[outcome.kind],
    exit_code: reviewExitCode(review),
    feedback: isChecked || outcome.kind === "unreviewed" ? "" : (notes.feedback ?? ""),
    reason: outcome.kind === "unreviewed" ? outcome.why : "",
    criteria: criteriaOf(outcome).map(({ id, text, status, evidence }) => ({ id, text, status, evidence })),
    checks: (notes.checks ?? []).map(({ isPassed: passed, isReused: _, ...check }) => ({ ...check, passed })),
    findings: [...findings],
    reviewer,
    instead: ("instead" in outcome && outcome.instead) || null,
    context: notes.way === undefined ? null : notes.way === "fresh" ? "fresh" : "session",
    looked: "looked" in outcome ? [...outcome.looked] : [],
    seconds: "seconds" in outcome ? outcome.seconds : 0,
    ...usageFields("usage" in outcome ? outcome.usage : NO_USAGE),
  };
}

/** A check that failed rules on nothing. */
function criteriaOf(outcome: SessionReview["outcome"]) {
  if (!("criteria" in outcome) || (outcome.kind === "rework" && outcome.check !== undefined)) return [];
  return outcome.criteria;
}

/** Nobody goes on after this review: not done is the end. */
function reviewExitCode({ outcome, signal }: SessionReview): ExitCode {
  if (signal !== undefined) return signal === "SIGINT" ? EXIT.interrupted : EXIT.terminated;
  return exitCodeFor(outcome) ?? EXIT.notDone;
}

const VERDICTS = {
  done: "done",
  rework: "not done",
  needs_user: "needs you",
  limit: "not done",
  stalemate: "not done",
  budget: "not done",
  skipped: "not reviewed",
  unreviewed: "not reviewed",
} as const;
