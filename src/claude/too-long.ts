import * as v from "valibot";
import type { StreamResult } from "./stream.ts";

/** Whether a run ended because its session is longer than the model allows. Providers word it in their own ways. */
export function isTooLong({ isError, answer, errors, status }: StreamResult): boolean {
  if (!isError || (status !== undefined && status !== 400 && status !== 413)) return false;
  const text = [typeof answer === "string" ? answer : "", ...errors].join("\n");
  return status === 413 || (TOO_LONG.test(text) && !OTHER_LIMIT.test(text));
}

const TOO_LONG = new RegExp(
  [
    "prompt is too long",
    "(context|token|length|input)[^.\\n]{0,60}(exceed|too long|too large|limit)",
    "(exceed|too long|over)[^.\\n]{0,60}(context|tokens?\\b|length)",
    "maximum context",
    "上下文|最大长度|超出.{0,20}(长度|限制)",
  ].join("|"),
  "i",
);

const OTHER_LIMIT = /output tokens|rate.?limit|per minute|quota/i;

/** Whether a line of the stream says that Claude Code summarizes the session, to make it shorter. */
export function isCompaction(line: unknown): boolean {
  return v.is(CompactionSchema, line);
}

const CompactionSchema = v.variant("subtype", [
  v.object({ type: v.literal("system"), subtype: v.literal("compact_boundary") }),
  v.object({ type: v.literal("system"), subtype: v.literal("status"), status: v.literal("compacting") }),
]);
