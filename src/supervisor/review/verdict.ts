import { toJsonSchema } from "@valibot/to-json-schema";
import { parseTree } from "jsonc-parser";
import * as v from "valibot";
import { isObject } from "../../text/json.ts";
import { type LastBlock, readEnding } from "./last-block.ts";

/** Sent to the reviewer as a JSON schema, and used to check the answer. */
const VerdictSchema = v.object({
  completed: v.pipe(v.boolean(), v.description("Whether the agent may stop")),
  feedback: v.pipe(v.string(), v.description("What is missing, concretely; or what was checked")),
});

export type Verdict = v.InferOutput<typeof VerdictSchema>;

export function verdictJsonSchema(): object {
  const { type, properties, required } = toJsonSchema(VerdictSchema);
  return { type, properties, required };
}

/**
 * The verdict of a review: the structured output, else the text. If the structured output says done and the text says
 * not done, there is no verdict.
 */
export function decideVerdict(structured: unknown, answer: unknown, marker: string): Verdict | undefined {
  const inText = readVerdict(answer, marker);
  if (structured === undefined || structured === null) return inText;
  const inSchema = asVerdict(structured);
  return inSchema?.completed && inText?.completed === false ? undefined : inSchema;
}

/**
 * The verdict in an answer: an object, or a text that ends in its JSON or in the marker. The reviewer may quote what the
 * agent wrote, so nothing else in a text counts, and contradicting verdicts count as none.
 */
export function readVerdict(answer: unknown, marker: string): Verdict | undefined {
  if (typeof answer !== "string") return asVerdict(answer);
  const { block, line } = readEnding(answer);
  if (block === undefined) return withoutContradiction(readMarker(line, marker), answer);
  return withoutContradiction(verdictIn(block), block.before);
}

const DEFAULT_FEEDBACK =
  "The work is not done yet, and the review gives no details. Go through the request point by point, check each result, and finish what is missing.";

/** `{"completed":true}` is enough; "not done" always comes with feedback. */
function asVerdict(value: unknown): Verdict | undefined {
  const found = v.safeParse(v.object({ ...VerdictSchema.entries, feedback: v.optional(v.string(), "") }), value);
  if (!found.success) return undefined;
  const { completed, feedback } = found.output;
  return { completed, feedback: !completed && feedback.trim() === "" ? DEFAULT_FEEDBACK : feedback };
}

/** After other text the block must have both fields: a bare `{"completed":true}` may be a quote. */
function verdictIn({ json, value, before }: LastBlock): Verdict | undefined {
  if (!isObject(value) || saysTwice(json)) return undefined;
  if (before.trim() !== "" && typeof value.feedback !== "string") return undefined;
  return asVerdict(value);
}

/** Whether "completed" occurs twice: JSON.parse would silently drop the first. */
function saysTwice(json: string): boolean {
  try {
    const keys = parseTree(json)?.children?.map(({ children }) => children?.[0]?.value) ?? [];
    return keys.filter((key) => key === "completed").length > 1;
  } catch {
    // Nested too deeply to be a real verdict.
    return true;
  }
}

/** `[TASK_COMPLETED]`, or with a message: `[TASK_COMPLETED: all tests pass]`. */
function readMarker(line: string, marker: string): Verdict | undefined {
  if (line === marker) return { completed: true, feedback: "" };
  const opening = marker.endsWith("]") ? marker.slice(0, -1) : marker;
  if (opening === marker || !line.startsWith(`${opening}:`) || !line.endsWith("]")) return undefined;
  return { completed: true, feedback: line.slice(opening.length + 1, -1).trim() };
}

const MENTION = /(["'])?completed(?:\\*["'])?\s*[:=]\s*\\*["']?(true|false)/gi;

/** Any "not done" elsewhere cancels a "done". Only a quoted field, not prose, cancels a "not done". */
function withoutContradiction(verdict: Verdict | undefined, rest: string): Verdict | undefined {
  if (verdict === undefined) return undefined;
  for (const [, quote, value] of rest.matchAll(MENTION)) {
    const isOther = (value?.toLowerCase() === "true") !== verdict.completed;
    if (isOther && (verdict.completed || quote !== undefined)) return undefined;
  }
  return verdict;
}
