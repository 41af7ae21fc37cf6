import { toJsonSchema } from "@valibot/to-json-schema";
import { parseTree } from "jsonc-parser/lib/esm/impl/parser.js";
import * as v from "valibot";
import { isObject, parseJson } from "../../text/json.ts";
import { oneLine, printable } from "../../text/shown.ts";
import { CRITERION_STATUSES, LONGEST_CRITERION } from "../criteria.ts";
import type { Ruling } from "../ledger.ts";

export interface Verdict {
  readonly completed: boolean;
  readonly feedback: string;
  readonly needsUser: boolean;
  readonly rulings: readonly Ruling[];
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

/** The schema that Claude Code makes a reviewer's answer follow. */
export function verdictJsonSchema(): object {
  const { type, properties, required } = toJsonSchema(VerdictSchema);
  return { type, properties, required };
}

/** The verdict with secrets masked in all its texts. */
export function cleanVerdict(verdict: Verdict, clean: (text: string) => string): Verdict {
  const rulings = verdict.rulings.map(({ id, text, status, evidence }) => ({
    id: clean(id),
    text: clean(text),
    status,
    evidence: clean(evidence),
  }));
  return { ...verdict, feedback: clean(verdict.feedback), rulings };
}

/** Sent to the reviewer as a JSON schema, and used to check the answer. */
const VerdictSchema = v.object({
  completed: v.pipe(v.boolean(), v.description("Whether the work is done")),
  feedback: v.pipe(v.string(), v.description("What is missing, concretely; or what was checked")),
  needs_user: v.pipe(
    v.optional(v.boolean()),
    v.description("Whether only the user can go on. Then feedback says what they have to decide or to do"),
  ),
  criteria: v.pipe(
    v.optional(
      v.array(
        v.object({
          id: v.pipe(v.string(), v.description("C1, C2, …; the ids that were given, if any")),
          text: v.pipe(v.string(), v.description("What must be true; of an id that was given, its text")),
          status: v.pipe(v.picklist(CRITERION_STATUSES), v.description("dropped: the user no longer wants it")),
          evidence: v.pipe(v.string(), v.description("What you saw, and in which file or command")),
        }),
      ),
    ),
    v.description("At most seven, and one for each point that ccc noticed"),
  ),
});

/** What a reviewer answers. */
export type VerdictAnswer = v.InferOutput<typeof VerdictSchema>;

/**
 * The verdict in an answer: an object, or a text that ends in its JSON or in the marker. The reviewer may quote what the
 * agent wrote, so nothing else in a text counts, and contradicting verdicts count as none.
 */
function readVerdict(answer: unknown, marker: string): Verdict | undefined {
  if (typeof answer !== "string") return asVerdict(answer);
  const { block, line } = readEnding(answer);
  if (block === undefined) return withoutContradiction(readMarker(line, marker), answer);
  return withoutContradiction(verdictIn(block), block.before);
}

const DEFAULT_FEEDBACK =
  "The work is not done yet, and the review gives no details. Go through the request point by point, check each result, and finish what is missing.";

/** `{"completed":true}` is enough; "not done" always comes with feedback. */
function asVerdict(value: unknown): Verdict | undefined {
  const found = v.safeParse(LenientSchema, value);
  if (!found.success) return undefined;
  const { completed, feedback, needs_user: needsUser, criteria } = found.output;
  const rulings = criteria.flatMap((each) => rulingOf(each) ?? []).slice(0, MOST_RULINGS);
  return {
    completed,
    feedback: !completed && feedback.trim() === "" ? DEFAULT_FEEDBACK : feedback,
    needsUser,
    rulings,
  };
}

const YesSchema = v.pipe(
  v.string(),
  v.transform((text) => /^\s*(?:true|yes)\s*$/i.test(text)),
);

/** Mistakes in the optional parts must not cost the verdict. */
const LenientSchema = v.object({
  completed: VerdictSchema.entries.completed,
  feedback: v.optional(v.string(), ""),
  needs_user: v.fallback(v.optional(v.union([v.boolean(), YesSchema]), false), false),
  criteria: v.fallback(v.optional(v.array(v.unknown()), []), []),
});

const PiecesSchema = v.pipe(
  v.array(v.string()),
  v.transform((pieces) => pieces.join("; ")),
);

/** Small models write `2`, "C2:" or "[C2]" for C2, "not met" for unmet, and several pieces of evidence as a list. */
const RulingSchema = v.object({
  id: v.fallback(v.pipe(v.union([v.string(), v.number()]), v.transform(idOf)), ""),
  text: v.fallback(v.optional(v.string(), ""), ""),
  status: v.pipe(
    v.string(),
    v.transform((status) => status.toLowerCase().replaceAll(/[^a-z]/g, "")),
    // An unknown word does not count as "met".
    v.transform(
      (status) => CRITERION_STATUSES.find((each) => each === status) ?? (MEANS_MET.test(status) ? "met" : "unmet"),
    ),
  ),
  evidence: v.fallback(v.optional(v.union([v.string(), PiecesSchema]), ""), ""),
});

function idOf(given: string | number): string {
  const id = String(given).replaceAll(/[^\p{L}\p{N}]/gu, "");
  return /^\d+$/.test(id) ? `C${id}` : id;
}

const MEANS_MET = /^(?:satisfied|fulfilled|pass|passed|done)$/;

function rulingOf(value: unknown): Ruling | undefined {
  const found = v.safeParse(RulingSchema, value);
  if (!found.success) return undefined;
  const { id, text, status, evidence } = found.output;
  return {
    id: id.slice(0, LONGEST_ID),
    text: oneLine(printable(text)).slice(0, LONGEST_CRITERION),
    status,
    evidence: oneLine(printable(evidence)).slice(0, LONGEST_EVIDENCE),
  };
}

const MOST_RULINGS = 60;
const LONGEST_ID = 20;
const LONGEST_EVIDENCE = 1_000;

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
  if (line === marker) return markedDone("");
  const opening = marker.endsWith("]") ? marker.slice(0, -1) : marker;
  if (opening === marker || !line.startsWith(`${opening}:`) || !line.endsWith("]")) return undefined;
  return markedDone(line.slice(opening.length + 1, -1).trim());
}

function markedDone(feedback: string): Verdict {
  return { completed: true, feedback, needsUser: false, rulings: [] };
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

interface Ending {
  /** The JSON at the end of the answer, on its own lines or in its own fence. */
  readonly block: LastBlock | undefined;
  /** The last line, unless it is in a fence or indented as code. */
  readonly line: string;
}

interface LastBlock {
  readonly json: string;
  readonly value: unknown;
  /** The text before it. */
  readonly before: string;
}

/**
 * Reads the end of an answer as Markdown. JSON in a sentence, a list, a block quote or a fence of another language does
 * not count, and only whitespace may follow the block.
 */
function readEnding(answer: string): Ending {
  const lines = answer.trim().split(/\r?\n/);
  const fences = readFences(lines);
  const last = fences.at(-1);
  if (last !== undefined && last.end === undefined) return { block: undefined, line: "" };
  if (last?.end === lines.length - 1) {
    const block = /^(json)?$/i.test(last.language) ? blockOf(lines, last.start, last.start + 1, last.end) : undefined;
    return { block, line: "" };
  }
  const line = lines.at(-1) ?? "";
  return { block: bareBlock(lines), line: isIndentedCode(line) ? "" : line.trim() };
}

/** A JSON object that starts at the beginning of a line and ends with the answer. None starts in a fence: its end is not JSON. */
function bareBlock(lines: readonly string[]): LastBlock | undefined {
  const starts = lines.flatMap((line, at) => (/^ {0,3}\{/.test(line) ? [at] : []));
  for (const start of starts.slice(-MOST_TRIES).toReversed()) {
    const block = blockOf(lines, start, start, lines.length);
    if (block !== undefined) return block;
  }
  return undefined;
}

/** A bound for answers full of braces. */
const MOST_TRIES = 50;

function blockOf(lines: readonly string[], begin: number, from: number, to: number): LastBlock | undefined {
  const json = lines.slice(from, to).join("\n");
  const value = parseJson(json);
  return value === undefined ? undefined : { json, value, before: lines.slice(0, begin).join("\n") };
}

interface Fence {
  readonly language: string;
  readonly start: number;
  /** The closing line; undefined if the fence is not closed. */
  end: number | undefined;
}

function readFences(lines: readonly string[]): Fence[] {
  const fences: Fence[] = [];
  let open: { mark: string; fence: Fence } | undefined;
  for (const [start, line] of lines.entries()) {
    const [, mark = "", language = ""] = line.match(/^ {0,3}(`{3,}|~{3,})([^`]*)$/) ?? [];
    if (mark === "") continue;
    if (open === undefined) {
      open = { mark, fence: { language: language.trim(), start, end: undefined } };
      fences.push(open.fence);
    } else if (mark.startsWith(open.mark) && language.trim() === "") {
      open.fence.end = start;
      open = undefined;
    }
  }
  return fences;
}

function isIndentedCode(line: string): boolean {
  return /^( {4}| {0,3}\t)/.test(line);
}
