import * as v from "valibot";
import { CriterionSchema } from "../ledger/criterion.ts";
import { UsageFieldsSchema } from "./usage-fields.ts";

/** The kinds of outcomes on record. */
const OUTCOMES = ["done", "rework", "needs_user", "limit", "stalemate", "budget", "skipped", "unreviewed"] as const;

export const CheckFieldsSchema = v.object({
  command: v.string(),
  /** "exit 1", "timed out after 600 seconds", "killed by a signal". */
  ending: v.string(),
  passed: v.boolean(),
  /** Whether it ran at an earlier stop, with the same files. */
  reused: v.boolean(),
  seconds: v.number(),
  /** The last lines. */
  output: v.string(),
});

const FileSchema = v.object({
  path: v.string(),
  kind: v.picklist(["added", "modified", "deleted", "renamed"]),
  /** The former path of a renamed file. */
  from: v.optional(v.string()),
  /** Lines; missing where they cannot be counted. */
  added: v.optional(v.number()),
  deleted: v.optional(v.number()),
});

const SuspicionSchema = v.object({
  /** "T1", once a review had to rule on it. */
  id: v.optional(v.string()),
  kind: v.string(),
  /** Empty for something that is not about one file. */
  path: v.string(),
  text: v.string(),
});

export const ChangeFieldsSchema = v.union([
  v.object({
    /** When the baseline was recorded. */
    since: v.string(),
    files: v.array(FileSchema),
    /** How many more files changed. */
    more: v.number(),
    suspicious: v.array(SuspicionSchema),
  }),
  /** Why they are not known. */
  v.object({ why: v.string() }),
]);

/** A field that is invalid is treated as missing, so that the rest can be read. */
function known<Schema extends v.GenericSchema>(schema: Schema) {
  return v.fallback(v.optional(schema), undefined);
}

/** A line of stops.jsonl: the start of a stop, or its end. What older versions did not record is missing. */
export const StopEntrySchema = v.object({
  stop: v.string(),
  at: v.string(),
  pid: known(v.number()),
  prompt_id: known(v.nullable(v.string())),
  outcome: known(v.picklist(OUTCOMES)),
  /** Why there was no review. */
  why: known(v.string()),
  round: known(v.number()),
  limit: known(v.number()),
  seconds: known(v.number()),
  feedback: known(v.string()),
  /** The check that failed, as "npm test (exit 1)". */
  check: known(v.string()),
  criteria: known(v.array(CriterionSchema)),
  reviewer: known(v.string()),
  instead: known(v.string()),
  looked: known(v.array(v.string())),
  context: known(v.picklist(["shared", "schema", "fresh"])),
  ...v.partial(UsageFieldsSchema).entries,
  agent_tokens: known(v.number()),
  checks: known(v.array(CheckFieldsSchema)),
  changes: known(ChangeFieldsSchema),
});

export type StopEntry = v.InferOutput<typeof StopEntrySchema>;
