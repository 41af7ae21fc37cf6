import { parseTree } from "jsonc-parser/lib/esm/impl/parser.js";
import { isObject, type Json, parseJson } from "../../text/json.ts";
import { oneLine, printable } from "../../text/shown.ts";
import { LONGEST_CRITERION } from "../criteria.ts";
import type { Ruling } from "../ledger.ts";
import { type AnswerBlock, readAnswer } from "./answer.ts";

export interface Verdict {
  readonly completed: boolean;
  readonly feedback: string;
  readonly needsUser: boolean;
  readonly rulings: readonly Ruling[];
}

/** How a reviewer was told to answer. */
export interface AnswerTerms {
  /** A line that means "done". */
  readonly marker: string;
  /** Random, and only in the message that asks for the review: JSON with it is the reviewer's own, and no quote. */
  readonly code: string;
  /** Whether its instructions may have it answer with the marker or with feedback, and nothing else. */
  readonly isInWords?: boolean;
}

/** What the reviewer was asked about its last answer, if it gave one without a verdict. */
export type AskedAbout = "marker" | "anything" | undefined;

/** Why an answer has no verdict, and what to ask about it. */
export function whyUnread(answer: unknown, { marker, code }: AnswerTerms): { why: string; about: AskedAbout } {
  const { text, line, blocks } = readAnswer(textIn(answer) ?? "");
  if (endsInMarker(text, line, marker))
    return {
      why: `it ends with ${marker} behind other text, where it may be a quote: if that is your verdict, answer with ${marker} alone`,
      about: "marker",
    };
  const last = blocks.flatMap((block) => readBlock(block, code) ?? [])[0];
  if (last?.verdict.completed && last.sender === "unknown" && !last.isAlone)
    return { why: UNSIGNED, about: "anything" };
  return { why: "it has no verdict that ccc can read", about: "anything" };
}

const UNSIGNED = "it says done between other text and without the code, where it may be a quote";

/**
 * The verdict of a review: the structured output, else the text. If the structured output says done and the text says
 * not done, there is no verdict.
 */
export function decideVerdict(
  structured: unknown,
  answer: unknown,
  terms: AnswerTerms,
  asked?: AskedAbout,
): Verdict | undefined {
  const inText = readVerdict(answer, terms, asked);
  if (structured === undefined || structured === null) return inText;
  const inSchema = asVerdict(structured);
  return inSchema?.completed && inText?.completed === false ? undefined : inSchema;
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
function readVerdict(answer: unknown, terms: AnswerTerms, asked: AskedAbout): Verdict | undefined {
  const text = textIn(answer);
  return text === undefined ? asVerdict(answer) : verdictInText(text, terms, asked);
}

function textIn(answer: unknown): string | undefined {
  return typeof answer === "string" ? answer : joinedTexts(answer);
}

/** The text of content blocks. */
function joinedTexts(value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const texts = value.flatMap((each) => (isObject(each) && typeof each.text === "string" ? [each.text] : []));
  return texts.length < value.length ? undefined : texts.join("\n");
}

/**
 * "Done" counts if it is the whole answer, or if it has the code and nothing takes it back: any other may be a quote. "Not done"
 * counts in any form that is clear. Once the reviewer was asked, the marker counts as the last line, and other words are
 * feedback where its instructions have it so.
 */
function verdictInText(
  written: string,
  { marker, code, isInWords = false }: AnswerTerms,
  asked: AskedAbout,
): Verdict | undefined {
  const { text, line, blocks } = readAnswer(written);
  const marked = readMarker(line, marker);
  if (marked !== undefined && line === text) return marked;
  const found = blocks.flatMap((block) => readBlock(block, code) ?? []);
  const own = found.filter(({ sender }) => sender === "reviewer");
  const candidates = own.length > 0 ? own : found;
  const [last] = candidates;
  if (last === undefined && marked !== undefined)
    return asked === "marker" && endsInMarker(text, line, marker) ? marked : undefined;
  if (last === undefined) {
    const isFeedback = isInWords && asked !== undefined && blocks.length === 0 && text !== "";
    return refusalInProse(text) ?? (isFeedback ? asVerdict({ completed: false, feedback: text }) : undefined);
  }
  if (candidates.some(({ verdict, block }) => verdict.completed !== last.verdict.completed || saysTwice(block.json)))
    return undefined;
  if (last.verdict.completed) return isDone(last, marker) ? last.verdict : undefined;
  const isClear = own.length > 0 || last.block.isInPlace || isNothing(last.block.after);
  return isClear && marked === undefined ? last.verdict : undefined;
}

interface GivenVerdict {
  readonly verdict: Verdict;
  readonly block: AnswerBlock;
  /** By the code: a quoted verdict has another one. */
  readonly sender: "reviewer" | "other" | "unknown";
  /** Whether the answer is nothing else. */
  readonly isAlone: boolean;
}

/** Between other text, `{"completed":false}` without details may be anything, such as an item of a todo list. */
function readBlock(block: AnswerBlock, code: string): GivenVerdict | undefined {
  const verdict = asVerdict(block.value);
  const fields = fieldsOf(unwrapped(block.value));
  const written = textOf(fields.code).toLowerCase();
  const sender = written.includes(code.toLowerCase()) ? "reviewer" : written.trim() === "" ? "unknown" : "other";
  const isLast = block.isInPlace && isNothing(block.after);
  const isDetailed = [fields.feedback, fields.reason, fields.criteria].some((each) => each !== undefined);
  if (verdict === undefined || !(isLast || isDetailed || sender === "reviewer")) return undefined;
  return { verdict, block, sender, isAlone: isLast && block.before.trim() === "" };
}

function isDone({ block, sender, isAlone, verdict }: GivenVerdict, marker: string): boolean {
  if (PLACEHOLDER.test(verdict.feedback.trim()) || (block.isRepaired && !isPlainDone(block))) return false;
  if (sender === "reviewer") return isRepeated(block.after.replace(marker, "")) && !NOT_DONE.test(block.before);
  return isAlone && sender === "unknown" && hasKnownKeys(block.value);
}

/** The feedback in the example of SUPERVISOR.md, which some models repeat, or in one that they made up. */
const PLACEHOLDER =
  /^(?:what you checked and found|\.{3}|…|<\w+[ _][^<>]*>|your (?:feedback|text|comments?)(?: here)?|string|todo)$/i;

/** Whether nothing follows but the end of a fence, or an ornament. */
function isNothing(after: string): boolean {
  return after.replaceAll(ORNAMENTS, "") === "";
}

const ORNAMENTS = /(?:[\s`*_#.,:;!。，；！：-]|(?:✅|✔|🎉|👍)\uFE0F?)+/gu;

/** Whether a text after "done" only repeats it. Words that cannot take it back are few; any other may. */
function isRepeated(after: string): boolean {
  const words = after
    .toLowerCase()
    .replaceAll("’", "'")
    .replaceAll(PHRASES, " ")
    .replaceAll(ORNAMENTS, " ")
    .split(/[\s()（）}\]]+/);
  return words.every((word) => word === "" || WORDS.has(word) || CHINESE.test(word));
}

const PHRASES =
  /\blet me know if (?:you (?:need|want|have)|you'd like|you would like)(?: me to (?:check|look at|review|verify))? (?:(?:any )?(?:other |further )?questions|anything else)\b|\bthe agent (?:may|can) (?:now )?stop\b|\bno (?:further|other|more|additional) (?:action|work|changes?|steps?|comments?|issues?|feedback)(?: (?:is|are|were) (?:needed|required|necessary|found))?\b/g;
const WORDS = new Set(
  "summary verdict review overall everything all every each of the this that that's concludes my final is are was were has have been i am i'm check checks checked criteria criterion requirement requirements points test tests file files work works working task request user user's asked expected as for and both now pass passes passed passing met satisfied fulfilled verified confirmed complete completed done finished correct correctly implemented implementation in confident successfully fully end thank thanks you above below given delivered result".split(
    " ",
  ),
);
const CHINESE = /^[以上是我的为本次最终评审查核裁决结论果所有验收标准全部均都已满足达成通过任务工作完毕束测试]+$/u;

/** A repair may guess wrongly where a text ends, so a repaired "done" must have both fields where one would write them. */
function isPlainDone({ value, source, isWhole }: AnswerBlock): boolean {
  if (!isWhole || !isObject(value)) return false;
  const { feedback } = fieldsOf(unwrapped(value));
  if (feedback === undefined || !hasKnownKeys(value) || [...source.matchAll(MENTION)].length !== 1) return false;
  return PLAIN_TRUE.test(source) && PLAIN_FEEDBACK.test(source);
}

function hasKnownKeys(value: unknown): boolean {
  const entries = [value, unwrapped(value)].flatMap((each) => (isObject(each) ? Object.entries(each) : []));
  return entries.every(([key, each]) => KNOWN.has(nameOf(key)) || ENVELOPE[nameOf(key)]?.test(textOf(each)) === true);
}

/** The keys around a reviewer's answer, as opposed to another message or call. A call in a text is read without its name. */
const ENVELOPE: Readonly<Record<string, RegExp>> = {
  name: /^(?:(?:functions\.)?StructuredOutput)?$/,
  tool: /^(?:(?:functions\.)?StructuredOutput)?$/,
  type: /^(?:object|json|function|(?:function|tool)_call|tool_use)$/,
  role: /^assistant$/,
};

const MENTION =
  /\b(?:is_?)?(?:completed?|done|finished)\\*["'”’*_`]*\s*[:：=]\s*\\*["'“‘*_`]*(true|yes|false|no|✅|❌)(?![\w|/])/giu;

const PLAIN_TRUE =
  /(?:^|[{,\n])\s*["'“‘]?(?:is[_ ]?)?(?:completed?|done|finished)["'”’]?\s*:\s*["'“‘]?(?:true|yes|1)["'”’]?\s*(?:\/\/[^\n]*)?[,}\n]/i;

/** With quotes: otherwise "completed: true" may be a part of it. */
const PLAIN_FEEDBACK = /(?:feedbacks?|反馈|反馈意见)["'”’]?\s*:\s*(?:["'“‘[{]|null\b)/i;

const DEFAULT_FEEDBACK =
  "The work is not done yet, and the review gives no details. Go through the request point by point, check each result, and finish what is missing.";

const DEFAULT_QUESTION = "The reviewer says that only you can continue, but not why.";

/** `{"completed":true}` is enough; "not done" and "needs you" get feedback if they have none. Feedback that begins with "not done" refutes a "done". */
function asVerdict(value: unknown): Verdict | undefined {
  const fields = fieldsOf(unwrapped(value));
  const completed = readCompleted(fields);
  if (completed === undefined) return undefined;
  const feedback = textOf(fields.feedback ?? fields.reason);
  if (completed && STATED.test(feedback)) return undefined;
  const needsUser = readFlag(fields.needsUser) === true || isForUser(fields.completed) || isForUser(fields.ruling);
  const ownWords = needsUser ? DEFAULT_QUESTION : completed ? "" : DEFAULT_FEEDBACK;
  return {
    completed,
    feedback: feedback.trim() === "" ? ownWords : feedback,
    needsUser,
    rulings: rulingsIn(fields.criteria).slice(0, MOST_RULINGS),
  };
}

/** The fields of a verdict, under whatever names. */
interface Fields {
  readonly isNamed: boolean;
  readonly completed: unknown;
  /** A word instead of a boolean: `"verdict": "not done"`. */
  readonly ruling: unknown;
  readonly feedback: unknown;
  readonly reason: unknown;
  readonly needsUser: unknown;
  readonly criteria: unknown;
  readonly code: unknown;
}

const NAMES = {
  completed:
    "completed complete iscompleted iscomplete done isdone finished isfinished taskcompleted taskcomplete workcompleted workdone 完成 已完成 是否完成 任务完成 完成状态",
  ruling: "verdict decision conclusion status result 结论 裁决 判定 状态 结果",
  feedback: "feedback feedbacks 反馈 反馈意见",
  reason: "reason reasons message comment comments explanation details summary missing issues 原因 说明 意见 总结",
  needsUser: "needsuser needuser requiresuser userneeded needsuserinput needsuseraction 需要用户 需要用户输入",
  criteria: "criteria criterion criterias rulings 标准 验收标准 准则",
  code: "code reviewcode",
} as const;

const WRAPPERS =
  "verdict result review summary output response answer data arguments args input parameters params properties structuredoutput json final finalverdict evaluation assessment message content 结论 评审 评审结果 审查结果 结果".split(
    " ",
  );

const FIELD_NAMES = Object.entries(NAMES).map(([field, names]) => [field, names.split(" ")] as const);
const COMPLETED = NAMES.completed.split(" ");

/** The keys that a verdict may have, wrapped or not. */
const KNOWN = new Set([
  ...FIELD_NAMES.flatMap(([, names]) => names),
  ...WRAPPERS,
  ..."id confidence evidence notes note round thought analysis".split(" "),
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

function idOf(written: string | number): string {
  const id = String(written).replaceAll(/[^\p{L}\p{N}]/gu, "");
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

/** Whether the marker is the last line behind other text that neither introduces it nor says not done. */
function endsInMarker(text: string, line: string, marker: string): boolean {
  const before = text.slice(0, text.length - line.length).trimEnd();
  return readMarker(line, marker) !== undefined && !/[:：]$/.test(before) && !NOT_DONE.test(before);
}

function markedDone(feedback: string): Verdict {
  return { completed: true, feedback, needsUser: false, rulings: [] };
}

/** "Not done" without a block: broken JSON, YAML, XML, or a sentence that begins the answer. */
function refusalInProse(text: string): Verdict | undefined {
  if (text.length > LONGEST_PROSE) return undefined;
  const said = STATED.test(text) ? text : undefined;
  const listed = text.match(LISTED)?.[1];
  const feedback = text.match(BROKEN)?.[1] ?? listed ?? text.match(TAGGED)?.[1] ?? said;
  const needs_user = listed !== undefined && LISTED_NEED.test(text);
  return feedback === undefined ? undefined : asVerdict({ completed: false, needs_user, feedback: feedback.trim() });
}

const LONGEST_PROSE = 50_000;
/** A line for each field. */
const LISTED =
  /^[-+•*_# ]*"?(?:is_?)?completed"?[*_]*\s*[:：=][*_`"\s]*(?:false|no|否)\b[^\n]*\n+(?:[-+•*_# ]*"?[a-z]\w{0,19}"?[*_]*[ \t]*[:：=][^\n]*\n+){0,4}?[-+•*_# ]*"?feedback"?[*_]*\s*[:：=][*_]*\s*(\S[\s\S]*?)(?=\n[-+•*_# ]*"?(?:criteria|needs_?user|code)"?[*_]*[ \t]*[:：=]|$(?![\s\S]))/im;
const LISTED_NEED = /^[-+•*_# ]*"?needs_?user"?[*_]*\s*[:：=][*_`"\s]*(?:true|yes|是)/im;
const TAGGED = /<completed>\s*(?:false|no)\s*<\/completed>\s*<feedback>([\s\S]+?)<\/feedback>/i;
/** JSON that cannot be repaired, and begins with both fields. */
const BROKEN =
  /^(?:`{3}\w*\s*)?\{\s*["'“]?completed["'”]?\s*[:：]\s*["'“]?(?:false|no)["'”]?\s*[,，]\s*["'“]?feedback["'”]?\s*[:：]\s*["'“]?([\s\S]*?\w[\s\S]*?)["'”\s}`]*$/i;
/** A sentence that says not done, from its subject on. */
const UNFINISHED =
  "(?:(?:(?:the |this )?(?:work|task|request|job) (?:is|has) |(?:this|it) is |it['’]s )(?:still )?)?(?:not (?:yet )?(?:been )?(?:done|completed?|finished|fulfilled)|incomplete|unfinished|(?:(?:任务|工作|请求)(?:目前|仍然?|还)?)?(?:尚?未|还?没有?)(?:全部)?完成)(?: yet)?(?=[*_\"”\\s]{0,10}(?:$|[.,:;!?。，：；！(（—–\\n]| - )| (?:because|since|as|until)\\b)";
const LABEL =
  "(?:(?:my |the )?(?:final )?(?:verdict|decision|conclusion|result)|最终结论|结论|裁决|判定)?[*_\\s]{0,10}[:：]?[*_\\s❌]{0,10}";
/** At the beginning of a text, and of any of its sentences. */
const STATED = new RegExp(`^[#*_\\s❌]*${LABEL}${UNFINISHED}`, "i");
const NOT_DONE = new RegExp(`(?:^|[.!?。！？\\n])[\\s#*_❌因此所以，]{0,40}${LABEL}${UNFINISHED}`, "i");
