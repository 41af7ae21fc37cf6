import { parseTree } from "jsonc-parser/lib/esm/impl/parser.js";
import { isObject, type Json, parseJson } from "../../text/json.ts";
import { oneLine, printable } from "../../text/shown.ts";
import { CRITERION_STATUSES, LONGEST_CRITERION } from "../criteria.ts";
import type { Ruling } from "../ledger.ts";
import {
  type AnswerBlock,
  introducedAs,
  isCourtesy,
  MENTION,
  readAnswer,
  readJsonAt,
  says,
  UNFINISHED,
} from "./answer.ts";

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

/**
 * The schema that Claude Code makes a reviewer's answer follow. It refuses an answer that does not fit, so what a verdict can do
 * without is as loose as what is read here.
 */
export function verdictJsonSchema(): object {
  const anyOf = (description: string, ...schemas: readonly object[]) => ({ anyOf: schemas, description });
  const [text, none] = [{ type: "string" }, { type: "null" }];
  const ruling = {
    type: "object",
    properties: {
      id: anyOf("C1, C2, …; the ids that were given, if any", text, { type: "number" }),
      text: anyOf("What must be true; of an id that was given, its text", text, none),
      status: anyOf(`${CRITERION_STATUSES.join(", ")}; dropped: the user no longer wants it`, text, {
        type: "boolean",
      }),
      evidence: anyOf("What you saw, and in which file or command", text, { type: "array", items: text }, none),
    },
    required: ["status"],
  };
  return {
    type: "object",
    properties: {
      completed: { type: "boolean", description: "Whether the work is done" },
      feedback: { ...text, description: "What is missing, concretely; or what was checked" },
      needs_user: anyOf(
        "Whether only the user can go on. Then feedback says what they have to decide or to do",
        { type: "boolean" },
        text,
        none,
      ),
      criteria: anyOf(
        "A list of at most seven, and one for each point that ccc noticed",
        { type: "array", items: ruling },
        { type: "object" },
        text,
        none,
      ),
    },
    required: ["completed", "feedback"],
  };
}

/** What a reviewer answers that follows it. */
export interface VerdictAnswer {
  readonly completed: boolean;
  readonly feedback: string;
  readonly needs_user?: boolean | string | null | undefined;
  readonly criteria?: readonly RulingAnswer[] | Readonly<Record<string, unknown>> | string | null | undefined;
}

interface RulingAnswer {
  readonly id?: string | number | undefined;
  readonly text?: string | null | undefined;
  readonly status: string | boolean;
  readonly evidence?: string | readonly string[] | null | undefined;
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

/** The verdict in an answer: an object, or a text. */
function readVerdict(answer: unknown, marker: string): Verdict | undefined {
  const text = typeof answer === "string" ? answer : joinedTexts(answer);
  return text === undefined ? asVerdict(answer) : verdictInText(text, marker);
}

/** The text of content blocks. */
function joinedTexts(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const texts = value.flatMap((each) => (isObject(each) && typeof each.text === "string" ? [each.text] : []));
  return texts.length < value.length ? undefined : texts.join("\n");
}

/**
 * "Not done" counts in any form that is clear. "Done" must be the reviewer's own last word: not a quote, not in a
 * sentence, and nothing else in the answer may contradict it.
 */
function verdictInText(written: string, marker: string): Verdict | undefined {
  const { text, line, blocks } = readAnswer(written);
  const marked = readMarker(line, marker);
  if (marked !== undefined) {
    const before = text.slice(0, text.lastIndexOf(line));
    return introducedAs(before) !== "own" || says(before, false) ? undefined : marked;
  }
  for (const block of blocks) {
    if (saysTwice(block.json)) return undefined;
    const verdict = asVerdict(block.value);
    if (verdict === undefined) continue;
    return (verdict.completed ? isOwnDone(block) : isClearRefusal(block)) ? verdict : undefined;
  }
  return refusalInProse(text);
}

function isClearRefusal({ before, after }: AnswerBlock): boolean {
  if (says(before, true) || says(after, true)) return false;
  return after.trim() === "" || introducedAs(before) !== "quote";
}

function isOwnDone(block: AnswerBlock): boolean {
  const { value, before, after, isInPlace, isRepaired } = block;
  if (!isInPlace || !isCourtesy(after) || introducedAs(before) !== "own" || says(before, false)) return false;
  const { feedback } = fieldsOf(unwrapped(value));
  if (typeof feedback === "string" && PLACEHOLDER.test(feedback.trim())) return false;
  if ([value, unwrapped(value)].some((each) => isObject(each) && Object.keys(each).some((key) => FOREIGN.test(key))))
    return false;
  // After other text the block must have both fields: a bare `{"completed":true}` may be a quote.
  if (before.trim() !== "" && feedback === undefined) return false;
  return !isRepaired || isPlainDone(block);
}

/** Of the example in SUPERVISOR.md, which some models repeat, or of one that they made up. */
const PLACEHOLDER =
  /^(?:what you checked and found|\.{3}|…|<\w+[ _][^<>]*>|your (?:feedback|text|comments?)(?: here)?|string|todo)$/i;

/** Keys that say that the verdict is not the reviewer's own, or no longer. */
const FOREIGN = /quote|source|example|template|previous|hypothe|draft|retract/i;

/** A repair may guess wrongly where a text ends, so a repaired "done" must have both fields where one would write them. */
function isPlainDone({ value, source, isWhole }: AnswerBlock): boolean {
  if (!isWhole || !isObject(value)) return false;
  const inner = unwrapped(value);
  const { feedback } = fieldsOf(inner);
  const hasKnownKeys = [value, inner].every((each) => Object.keys(each).every((key) => KNOWN.has(nameOf(key))));
  if (feedback === undefined || !hasKnownKeys || [...source.matchAll(MENTION)].length !== 1) return false;
  return PLAIN_TRUE.test(source) && PLAIN_FEEDBACK.test(source);
}

const PLAIN_TRUE =
  /(?:^|[{,\n])\s*["'“‘]?(?:is[_ ]?)?(?:completed?|done|finished)["'”’]?\s*:\s*["'“‘]?(?:true|yes|1)["'”’]?\s*(?:\/\/[^\n]*)?[,}\n]/i;

/** With quotes: otherwise "completed: true" may be a part of it. */
const PLAIN_FEEDBACK = /(?:feedbacks?|反馈|反馈意见)["'”’]?\s*:\s*(?:["'“‘[{]|null\b)/i;

const DEFAULT_FEEDBACK =
  "The work is not done yet, and the review gives no details. Go through the request point by point, check each result, and finish what is missing.";

/** `{"completed":true}` is enough; "not done" always comes with feedback. "Done" is no verdict if the feedback begins with "not done". */
function asVerdict(value: unknown): Verdict | undefined {
  const fields = fieldsOf(unwrapped(value));
  const completed = readCompleted(fields);
  if (completed === undefined) return undefined;
  const feedback = textOf(fields.feedback ?? fields.reason);
  if (completed && STATED.test(feedback)) return undefined;
  return {
    completed,
    feedback: !completed && feedback.trim() === "" ? DEFAULT_FEEDBACK : feedback,
    needsUser: readFlag(fields.needsUser) === true || isForUser(fields.completed) || isForUser(fields.ruling),
    rulings: rulingsIn(fields.criteria).slice(0, MOST_RULINGS),
  };
}

/** The fields of a verdict, by whatever names. */
interface Fields {
  readonly isNamed: boolean;
  readonly completed: unknown;
  /** A word instead of a boolean: `"verdict": "not done"`. */
  readonly ruling: unknown;
  readonly feedback: unknown;
  readonly reason: unknown;
  readonly needsUser: unknown;
  readonly criteria: unknown;
}

const NAMES = {
  completed:
    "completed complete iscompleted iscomplete done isdone finished isfinished taskcompleted taskcomplete workcompleted workdone 完成 已完成 是否完成 任务完成 完成状态",
  ruling: "verdict decision conclusion status result 结论 裁决 判定 状态 结果",
  feedback: "feedback feedbacks 反馈 反馈意见",
  reason: "reason reasons message comment comments explanation details summary missing issues 原因 说明 意见 总结",
  needsUser: "needsuser needuser requiresuser userneeded needsuserinput needsuseraction 需要用户 需要用户输入",
  criteria: "criteria criterion criterias rulings 标准 验收标准 准则",
} as const;

const WRAPPERS =
  "verdict result review output response answer data arguments args input parameters params properties structuredoutput json final finalverdict evaluation assessment message content 结论 评审 评审结果 审查结果 结果".split(
    " ",
  );

const FIELD_NAMES = Object.entries(NAMES).map(([field, names]) => [field, names.split(" ")] as const);
const COMPLETED = NAMES.completed.split(" ");

/** What a verdict may hold, wrapped or not. */
const KNOWN = new Set([
  ...FIELD_NAMES.flatMap(([, names]) => names),
  ...WRAPPERS,
  ..."name tool type id confidence evidence notes note round thought analysis".split(" "),
]);

function nameOf(key: string): string {
  return key.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

function fieldsOf(value: unknown): Fields {
  const entries = isObject(value) ? Object.entries(value).map(([key, each]) => [nameOf(key), each] as const) : [];
  const found = FIELD_NAMES.map(([field, names]) => {
    const values = names.flatMap((name) => entries.filter(([key]) => key === name).map(([, each]) => each));
    return [field, values.find((each) => each !== null && each !== undefined) ?? values[0]];
  });
  const isNamed = isObject(value) && Object.hasOwn(value, "completed");
  return { ...Object.fromEntries(found), isNamed };
}

/** The object with the verdict: itself, the only one in a list, or what a wrapper holds. */
function unwrapped(value: unknown, depth = 0): Json {
  const read = typeof value === "string" && /^\s*[{[]/.test(value) ? parseJson(value) : value;
  const only = Array.isArray(read) && read.length === 1 ? read[0] : read;
  if (!isObject(only)) return {};
  if (depth > DEEPEST_WRAPPER || Object.keys(only).some((key) => COMPLETED.includes(nameOf(key)))) return only;
  for (const [key, inner] of Object.entries(only)) {
    if (!WRAPPERS.includes(nameOf(key))) continue;
    const found = unwrapped(inner, depth + 1);
    if (readCompleted(fieldsOf(found)) !== undefined) return { ...only, [key]: undefined, ...found };
  }
  return only;
}

const DEEPEST_WRAPPER = 3;

/** Any other name than "completed" counts only with feedback: `{"done":true}` may be anything. */
function readCompleted({ isNamed, completed, ruling, feedback }: Fields): boolean | undefined {
  if (!isNamed && feedback === undefined) return undefined;
  return isForUser(completed) || isForUser(ruling) ? false : readFlag(completed ?? ruling);
}

function isForUser(value: unknown): boolean {
  return typeof value === "string" && /^needs?_?\W?(?:the )?user$/i.test(value.trim());
}

/** A boolean as models write it; undefined if it is neither yes nor no. */
function readFlag(value: unknown): boolean | undefined {
  if (typeof value === "boolean") return value;
  if (value === 1 || value === 0) return value === 1;
  if (typeof value !== "string") return undefined;
  if (/[❌✗✘]/u.test(value)) return false;
  const word = nameOf(value);
  if (NO.test(word) || /^\s*(?:no|not yet|false)\s*[,，.。;:—-]/i.test(value)) return false;
  return YES.test(word) || (word === "" && /[✅✓✔]/u.test(value)) ? true : undefined;
}

const YES = /^(?:true|yes|1|done|completed?|finished|是|完成|已完成|全部完成)$/;
const NO =
  /^(?:false|no|0|not(?:yet)?(?:done|completed?|finished|met)|notyet|incomplete|unfinished|unmet|fail(?:ed)?|partial(?:ly)?(?:done|completed?|met)?|rejected|否|未完成|尚未完成|没有完成|未通过|不通过|未满足|部分完成)$/;

/** A text, a list of texts, or an object of texts. */
function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return String(value);
  if (Array.isArray(value)) return value.map(textOf).filter(Boolean).join("\n");
  if (!isObject(value)) return "";
  return Object.entries(value)
    .flatMap(([key, each]) => (textOf(each) === "" ? [] : [`${key}: ${textOf(each)}`]))
    .join("\n");
}

/** Rulings as a list, as a map by id, as a single one, or as a text with one on each line. */
function rulingsIn(criteria: unknown): Ruling[] {
  if (typeof criteria === "string") return criteria.split(/[\n;；]/).flatMap((each) => rulingOf(each) ?? []);
  if (Array.isArray(criteria)) return criteria.flatMap((each) => rulingOf(each) ?? []);
  if (!isObject(criteria)) return [];
  const single = rulingOf(criteria);
  if (single !== undefined) return [single];
  return Object.entries(criteria).flatMap(
    ([id, each]) => rulingOf(isObject(each) ? { ...each, id: each.id ?? id } : mapped(id, each)) ?? [],
  );
}

function mapped(id: string, value: unknown): unknown {
  return typeof value === "string" ? `${id}: ${value}` : { id, status: value };
}

const RULING_NAMES = {
  id: "id criterionid key no number 编号 序号",
  status: "status result verdict state met ismet satisfied passed ruling 状态 结果 是否满足",
  text: "text criterion description name requirement 标准 内容 描述",
  evidence: "evidence evidences proof reason notes note detail details 证据 依据 说明",
} as const;

/** Small models write `2`, "C2:" or "[C2]" for C2, "not met" for unmet, and several pieces of evidence as a list. */
function rulingOf(value: unknown): Ruling | undefined {
  if (typeof value === "string") return rulingInLine(value);
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).map(([key, each]) => [nameOf(key), each] as const);
  const field = (names: string) =>
    names
      .split(" ")
      .map((name) => entries.find(([key]) => key === name)?.[1])
      .find((each) => each !== undefined && each !== null);
  const status = readStatus(field(RULING_NAMES.status));
  if (status === undefined) return undefined;
  const id = field(RULING_NAMES.id);
  const evidence = field(RULING_NAMES.evidence);
  return ruling(
    typeof id === "string" || typeof id === "number" ? idOf(id) : "",
    textOf(field(RULING_NAMES.text)),
    status,
    Array.isArray(evidence) ? evidence.map(textOf).join("; ") : textOf(evidence),
  );
}

/** "C1: met - src/a.ts". */
function rulingInLine(line: string): Ruling | undefined {
  const [, id = "", rest = ""] = line.match(/^\W*([CT]\d+)\b\W*?[\s:：=.)\]-]+(\S.*)$/i) ?? [];
  const [, word = "", evidence = ""] = rest.match(/^([^-—–:：,，(（]+)[-—–:：,，(（]*\s*(.*?)[)）]?\s*$/) ?? [];
  const status = readStatus(word);
  return id === "" || status === undefined ? undefined : ruling(idOf(id), "", status, evidence);
}

function ruling(id: string, text: string, status: Ruling["status"], evidence: string): Ruling {
  return {
    id: id.slice(0, LONGEST_ID),
    text: oneLine(printable(text)).slice(0, LONGEST_CRITERION),
    status,
    evidence: oneLine(printable(evidence)).slice(0, LONGEST_EVIDENCE),
  };
}

function idOf(given: string | number): string {
  const id = String(given).replaceAll(/[^\p{L}\p{N}]/gu, "");
  return /^\d+$/.test(id) ? `C${id}` : id;
}

/** An unknown word does not count as "met". */
function readStatus(value: unknown): Ruling["status"] | undefined {
  if (typeof value === "boolean") return value ? "met" : "unmet";
  if (typeof value !== "string") return undefined;
  const word = nameOf(value);
  if (/[❌✗✘]/u.test(value)) return "unmet";
  if (/^(?:dropped|已放弃|已取消|不再需要)$/.test(word)) return "dropped";
  return MEANS_MET.test(word) || (word === "" && /[✅✓✔☑]/u.test(value)) ? "met" : "unmet";
}

const MEANS_MET =
  /^(?:met|satisfied|fulfilled|pass|passed|done|yes|true|ok|completed?|achieved|verified|满足|已满足|通过|已通过|完成|已完成|达成|已达成|达标|符合|是)$/;

const MOST_RULINGS = 60;
const LONGEST_ID = 20;
const LONGEST_EVIDENCE = 1_000;

/** Whether one object says both done and not done: JSON.parse would silently drop the first. */
function saysTwice(json: string): boolean {
  try {
    return contradictsItself(parseTree(json));
  } catch {
    // Nested too deeply to be a real verdict.
    return true;
  }
}

function contradictsItself(node: ReturnType<typeof parseTree>): boolean {
  if (node?.type === "array") return node.children?.some(contradictsItself) === true;
  if (node?.type !== "object") return false;
  const properties = node.children?.map(({ children }) => children ?? []) ?? [];
  const values = properties.flatMap(([key, value]) =>
    COMPLETED.includes(nameOf(String(key?.value))) ? [readFlag(value?.value)] : [],
  );
  return new Set(values).size > 1 || properties.some(([, value]) => contradictsItself(value));
}

/** `[TASK_COMPLETED]`, or with a message: `[TASK_COMPLETED: all tests pass]`. */
function readMarker(line: string, marker: string): Verdict | undefined {
  if (line === marker) return markedDone("");
  const opening = marker.endsWith("]") ? marker.slice(0, -1) : marker;
  if (opening === marker || !line.startsWith(`${opening}:`) || !line.endsWith("]")) return undefined;
  const message = line.slice(opening.length + 1, -1).trim();
  return /^(?:false|not?)\b/i.test(message) || STATED.test(message) ? undefined : markedDone(message);
}

function markedDone(feedback: string): Verdict {
  return { completed: true, feedback, needsUser: false, rulings: [] };
}

/** "Not done" without a block: JSON in a line, YAML, XML, or a sentence that begins the answer. */
function refusalInProse(text: string): Verdict | undefined {
  if (text.length > LONGEST_PROSE || says(text, true)) return undefined;
  const broken = text.match(BROKEN)?.[1];
  const inline = [...text.matchAll(INLINE)].at(-1);
  if (broken === undefined && inline !== undefined) {
    const [, line = ""] = inline;
    const found = readJsonAt(text.slice(inline.index + inline[0].length));
    if (
      introducedAs(line) === "quote" ||
      line.trimStart().startsWith(">") ||
      found === undefined ||
      saysTwice(found.json)
    ) {
      return undefined;
    }
    const verdict = asVerdict(found.value);
    return verdict?.completed === false && fieldsOf(unwrapped(found.value)).feedback !== undefined
      ? verdict
      : undefined;
  }
  const said = STATED.test(text) ? text : undefined;
  const feedback = broken ?? text.match(LISTED)?.[1] ?? text.match(TAGGED)?.[1] ?? said;
  return feedback === undefined ? undefined : asVerdict({ completed: false, feedback: feedback.trim() });
}

const LONGEST_PROSE = 50_000;
const INLINE = /^([^\n{]*)(?=\{[^{}]*\\*["'“‘]?(?:completed|feedback)\b)/gim;
const LISTED =
  /^[-+•*_# ]*"?(?:is_?)?completed"?[*_]*\s*[:：=]\s*[*_`"]*(?:false|no|否)\b[^\n]*\n+[-+•*_# ]*"?feedback"?[*_]*\s*[:：=][*_]*\s*(\S[\s\S]*)$/im;
const TAGGED = /<completed>\s*(?:false|no)\s*<\/completed>\s*<feedback>([\s\S]+?)<\/feedback>/i;
/** JSON that cannot be repaired, and begins with both fields. */
const BROKEN =
  /^(?:`{3}\w*\s*)?\{\s*["'“]?completed["'”]?\s*[:：]\s*["'“]?(?:false|no)["'”]?\s*[,，]\s*["'“]?feedback["'”]?\s*[:：]\s*["'“]?([\s\S]*?\w[\s\S]*?)["'”\s}`]*$/i;
const STATED = new RegExp(
  `^[#*_\\s❌]*(?:(?:my |the )?(?:final )?(?:verdict|decision|conclusion)|最终结论|结论|裁决|判定)?[*_\\s]*[:：]?[*_\\s❌]*${UNFINISHED}`,
  "i",
);
