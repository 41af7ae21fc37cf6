import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { parseJson } from "../io/json.ts";

/** What a reviewer decides. The one definition: it is sent as JSON schema and checks the answer. */
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
 * The verdict in a reviewer's answer: an object, its JSON text, JSON in a fence or between prose, or the marker alone on
 * a line. Undefined where there is none: that is not a verdict of any kind.
 */
export function readVerdict(answer: unknown, marker: string): Verdict | undefined {
  if (typeof answer !== "string") return asVerdict(answer);
  for (const candidate of jsonIn(answer)) {
    const verdict = asVerdict(candidate);
    if (verdict !== undefined) return verdict;
  }
  return readMarker(answer, marker);
}

const DEFAULT_FEEDBACK =
  "The work is not done yet, and the review gives no details. Go through the request point by point, check each result, and finish what is missing.";

/** `{"completed":true}` alone is enough; a refusal always has a reason. */
function asVerdict(value: unknown): Verdict | undefined {
  const found = v.safeParse(v.object({ ...VerdictSchema.entries, feedback: v.optional(v.string(), "") }), value);
  if (!found.success) return undefined;
  const { completed, feedback } = found.output;
  return { completed, feedback: !completed && feedback.trim() === "" ? DEFAULT_FEEDBACK : feedback };
}

/** `[TASK_COMPLETED]`, or with a message: `[TASK_COMPLETED: all tests pass]`. */
function readMarker(text: string, marker: string): Verdict | undefined {
  const opening = marker.endsWith("]") ? marker.slice(0, -1) : marker;
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === marker) return { completed: true, feedback: "" };
    if (opening !== marker && line.startsWith(`${opening}:`) && line.endsWith("]")) {
      return { completed: true, feedback: line.slice(opening.length + 1, -1).trim() };
    }
  }
  return undefined;
}

/** The JSON objects in a text, the last one first: a reviewer may quote others before its own. */
function jsonIn(text: string): unknown[] {
  const found: unknown[] = [];
  for (let start = text.indexOf("{"); start !== -1; start = text.indexOf("{", start)) {
    if (text.indexOf("}", start) === -1) break;
    const object = objectAt(text, start);
    if (object !== undefined) found.unshift(object.value);
    start = object?.end ?? start + 1;
  }
  return found;
}

function objectAt(text: string, start: number): { value: unknown; end: number } | undefined {
  let end = start;
  for (let tries = 0; tries < MOST_BRACES; tries++) {
    end = text.indexOf("}", end) + 1;
    if (end === 0) return undefined;
    const value = parseJson(text.slice(start, end));
    if (value !== undefined) return { value, end };
  }
  return undefined;
}

/** How many closing braces may stand inside a verdict; a bound for texts that are full of them. */
const MOST_BRACES = 50;
