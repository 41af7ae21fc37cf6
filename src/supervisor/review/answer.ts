import { parseJson } from "../../text/json.ts";

/** What a reviewer wrote, without its thinking and the tokens of its model. */
export interface ReviewerAnswer {
  readonly text: string;
  /** The last line, unless it is in a fence or indented as code. */
  readonly line: string;
  /** JSON with lines or a fence of its own, the last first. */
  readonly blocks: Iterable<AnswerBlock>;
}

export interface AnswerBlock {
  readonly value: unknown;
  /** Valid JSON: as written, or repaired. */
  readonly json: string;
  /** As written. */
  readonly source: string;
  readonly isRepaired: boolean;
  /** Whether it has an end; otherwise it was cut off. */
  readonly isWhole: boolean;
  /** Whether it is where a reviewer puts its answer: not in a fence of another language. */
  readonly isInPlace: boolean;
  readonly before: string;
  readonly after: string;
}

/**
 * Reads an answer as Markdown. JSON in a sentence, a list, a block quote or indented code is no block: the reviewer may
 * quote what the agent wrote.
 */
export function readAnswer(answer: string): ReviewerAnswer {
  const text = withoutTags(withoutTokens(withoutThinking(answer.trim())));
  const lines = text.split(/\r?\n/);
  const fences = readFences(lines);
  const last = fences.at(-1);
  const isFenced = last !== undefined && (last.end === undefined || last.end === lines.length - 1);
  const line = lines.at(-1) ?? "";
  return {
    text,
    line: isFenced || /^( {4}| {0,3}\t)/.test(line) ? "" : line.trim(),
    blocks: blocksIn(text, lines, fences),
  };
}

/** The first JSON object or list at the start of a text, repaired if it is broken, and what follows it. */
export function readJsonAt(text: string): Omit<AnswerBlock, "isInPlace" | "before"> | undefined {
  const end = closingOf(text);
  if (end !== undefined) {
    const json = text.slice(0, end);
    const value = parseJson(json);
    const after = text.slice(end);
    if (value !== undefined) return { value, json, source: json, isRepaired: false, isWhole: true, after };
  }
  if (text.length > LONGEST_REPAIRED || !/complete|done|finish|完成|verdict|status/i.test(text)) return undefined;
  const found = endsOf(text).flatMap((at) => repaired(text.slice(0, at), text.slice(at)) ?? []);
  return found.find(({ isWhole }) => isWhole) ?? found.at(-1);
}

const NAME = "(?:antml:)?(?:seed:)?(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)";
const THINKING = [
  new RegExp(`^[ \\t]*<(${NAME})>[\\s\\S]*?(?:</\\1>|$(?![\\s\\S]))`, "gim"),
  /^[ \t]*◁think▷[\s\S]*?(?:◁\/think▷|$(?![\s\S]))/gm,
  /^[ \t]*\[THINK\][\s\S]*?(?:\[\/THINK\]|$(?![\s\S]))/gm,
  /^[ \t]*<\|begin_of_thought\|>[\s\S]*?(?:<\|end_of_thought\|>|$(?![\s\S]))/gm,
];

/** Some are empty. */
const THOUGHT = /[>▷\]]\s*[^\s<◁[]/;

/**
 * Without thoughts. Those behind a verdict may take it back, so an ellipsis stays in their place. Some servers swallow
 * the opening tag: then the thoughts stay, as prose, since the end alone may be quoted.
 */
function withoutThinking(text: string): string {
  const channel = /^<\|(?:channel|start)\|>/.test(text) ? text.lastIndexOf("<|message|>") : -1;
  const said = channel === -1 ? text : text.slice(channel + "<|message|>".length);
  const own = THINKING.reduce((rest, pattern) => {
    const [first, last] = [rest.indexOf("{"), rest.lastIndexOf("{")];
    return rest.replaceAll(pattern, (thought, ...found) => {
      const at = Number(found.findLast((each) => typeof each === "number"));
      const isBehind = first !== -1 && first < at && last < at + thought.length;
      return isBehind && THOUGHT.test(thought) ? "\n…\n" : "\n";
    });
  }, said);
  return own.replaceAll(new RegExp(`</${NAME}>|◁/think▷|\\[/THINK\\]`, "gi"), "\n").trim();
}

const TOKEN = String.raw`(?:<[|｜][^<>|｜\s]{1,40}[|｜]>|</s>|<eos>|<end_of_turn>|(?:data: *)?\[DONE\]|\[EOS\]|\[e~\[)`;

function withoutTokens(text: string): string {
  const boxed = text.replaceAll(/<\|(?:begin|end)_of_box\|>/g, "\n").trim();
  // What the tokens of a tool call enclose is read with them.
  if (CALL.test(text)) return withoutEnd(boxed, END_OF_CALL);
  return withoutEnd(boxed.replace(new RegExp(`^(?:${TOKEN}\\s*)+(?:assistant\\s*\\n)?`), ""), END_TOKEN);
}

const END_TOKEN = new RegExp(`${TOKEN}$`);
const END_OF_CALL = /(?:<\|im_end\|>|<\|endoftext\|>|<｜end▁of▁sentence｜>|<\/s>|\[e~\[)$/;

function withoutEnd(text: string, token: RegExp): string {
  let rest = text.trim();
  for (;;) {
    const found = token.exec(rest.slice(-LONGEST_TOKEN));
    if (found === null) return rest;
    rest = rest.slice(0, -found[0].length).trimEnd();
  }
}

const LONGEST_TOKEN = 60;

const TAGS = /^[ \t]*<(verdict|answer|final_answer|final|review|json)>\s*([\s\S]*?)\s*<\/\1>$/im;

function withoutTags(text: string): string {
  return text.replace(TAGS, (_all, _tag, inner: string) => inner).trim();
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

function* blocksIn(text: string, lines: readonly string[], fences: readonly Fence[]): Generator<AnswerBlock> {
  const whole = parseJson(text);
  if (typeof whole === "object" && whole !== null) {
    yield { ...WHOLE, value: whole, json: text, source: text, before: "", after: "" };
    return;
  }
  const call = callIn(text);
  if (call !== undefined) yield call;
  const places = [...bareStarts(lines, fences), ...fences].sort((one, other) => other.start - one.start);
  for (const place of places.slice(0, MOST_TRIES)) {
    const block = "language" in place ? fencedBlock(lines, place) : bareBlock(lines, place);
    if (block !== undefined) yield block;
  }
}

const WHOLE = { isRepaired: false, isWhole: true, isInPlace: true };
/** Bounds for answers full of braces. */
const MOST_TRIES = 50;
const LONGEST_BLOCK = 100_000;
const LONGEST_REPAIRED = 20_000;

interface Bare {
  readonly start: number;
  readonly column: number;
  /** The line after which a fence or nothing follows. */
  readonly until: number;
}

/** A line that begins with JSON, or with a word that introduces the reviewer's own answer. */
const OPENING =
  /^ {0,3}(?:[*_#\s]*(?:here is |this is )?(?:my |the )?(?:final )?(?:verdict|answer|review|conclusion|decision|judge?ment|最终结论|最终裁决|评审结论|审查结论|结论|裁决|判定|最终答案|答案)[*_\s]*[:：][*_\s]*)?(?=[{[｛])/i;

function* bareStarts(lines: readonly string[], fences: readonly Fence[]): Generator<Bare> {
  let next = 0;
  for (let start = 0; start < lines.length; start += 1) {
    const fence = fences[next];
    if (fence?.start === start) {
      start = fence.end ?? lines.length;
      next += 1;
      continue;
    }
    const opening = lines[start]?.match(OPENING);
    if (opening) yield { start, column: opening[0].length, until: fence?.start ?? lines.length };
  }
}

function bareBlock(lines: readonly string[], { start, column, until }: Bare): AnswerBlock | undefined {
  const text = joined(lines, start, until).slice(column);
  const found = readJsonAt(text.slice(0, LONGEST_BLOCK));
  if (found === undefined) return undefined;
  const after = `${found.after}${text.slice(LONGEST_BLOCK)}\n${joined(lines, until, lines.length)}`;
  return { ...found, isInPlace: true, before: joined(lines, 0, start), after };
}

function joined(lines: readonly string[], from: number, to: number): string {
  return lines.slice(from, to).join("\n");
}

function fencedBlock(lines: readonly string[], { language, start, end }: Fence): AnswerBlock | undefined {
  const text = joined(lines, start + 1, end ?? lines.length).trim();
  if (!/^[{[｛]/.test(text)) return undefined;
  const found = readJsonAt(text.slice(0, LONGEST_BLOCK));
  if (found === undefined) return undefined;
  const rest = end === undefined ? "" : joined(lines, end + 1, lines.length);
  return {
    ...found,
    isInPlace: end === undefined ? /^json\w?$/i.test(language) : /^(?:json\w?)?$/i.test(language),
    before: joined(lines, 0, start),
    after: `${found.after}${text.slice(LONGEST_BLOCK)}\n${rest}`,
  };
}

/** Where the brackets of valid JSON close. */
function closingOf(text: string): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (isString) {
      if (char === "\\") at += 1;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** Where broken JSON may end: with its first line, with a line of brackets, with the last bracket, or cut off. */
function endsOf(text: string): number[] {
  const first = text.match(/^[^\n]*[}\]｝]/)?.[0].length ?? 0;
  const closing = text.match(/\n {0,3}[}\]｝][}\]｝)\s]*?(?=[,;.。]?[ \t]*(?:\n|$))/);
  const line = closing?.index === undefined ? 0 : closing.index + closing[0].length;
  const last = Math.max(text.lastIndexOf("}"), text.lastIndexOf("]"), text.lastIndexOf("｝")) + 1;
  return [...new Set([first, line, last, text.length])].filter((end) => end > 0);
}

function repaired(source: string, after: string): Omit<AnswerBlock, "isInPlace" | "before"> | undefined {
  // Most reviews need no repair, and hooks start faster without it.
  const { jsonrepair }: typeof import("jsonrepair") = require("jsonrepair");
  const text = withAsciiPunctuation(source);
  // Many open brackets take the library seconds.
  if (count(text, "{") + count(text, "[") - count(text, "}") - count(text, "]") > MOST_OPEN) return undefined;
  try {
    const json = jsonrepair(text);
    const value = parseJson(json);
    if (typeof value !== "object" || value === null) return undefined;
    const isWhole = LAST_VALUE.test(text) && ["}", "]"].every((each) => count(json, each) <= count(text, each));
    return { value, json, source: text, isRepaired: true, isWhole, after };
  } catch {
    return undefined;
  }
}

const MOST_OPEN = 30;

/** A value that has an end, and the bracket after it. */
const LAST_VALUE = /(?:["'”’}\]]|\b(?:true|false|null|none)|\d)[\s,]*[}\]]\s*$/i;

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Only between values: in a text, full-width characters stay. */
function withAsciiPunctuation(json: string): string {
  return json
    .replace(/^｛/, "{")
    .replace(/｝$/, "}")
    .replaceAll(/(["'“”’\w])\s*：\s*(?=["'“‘\w[{-])/g, "$1: ")
    .replaceAll(/(["'”’}\]]|\b(?:true|false|null|none|\d+))\s*[，、]\s*(?=["'“‘}\]{\n])/gi, "$1, ");
}

/** The beginning of a tool call that a model wrote as text, in the dialects of the families. */
const CALL =
  /^[ \t]*(?:<tool_call>|<\|tool_calls?_section_begin\|>|<\|tool_call_begin\|>|<｜tool▁calls?▁begin｜>|<minimax:tool_call>|<(?:｜DSML｜|antml:)?function_calls>|<invoke name=|<function=|(?:functions\.)?StructuredOutput\s*\()/m;
const CALL_TAG =
  /<\/?(?:tool_call|minimax:tool_call|(?:｜DSML｜|antml:)?(?:function_calls|invoke)|function)(?:[\s=][^<>]*)?>|<[|｜][^<>|｜]{1,40}[|｜]>/g;
const CALL_NAME = /\b(?:functions?\.)?StructuredOutput\b(?::\d+)?/;
const ARGUMENT =
  /<(?:｜DSML｜|antml:)?parameter(?: name=|=)"?(\w+)"?[^<>]*>([\s\S]*?)<\/(?:｜DSML｜|antml:)?parameter>|<arg_key>\s*(\w+)\s*<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g;

/** A call of the tool for the answer in a schema, if it ends the text. */
function callIn(text: string): AnswerBlock | undefined {
  const start = text.match(CALL)?.index;
  if (start === undefined || !CALL_NAME.test(text.slice(start)) || text.length - start > LONGEST_REPAIRED)
    return undefined;
  const body = text.slice(start);
  const before = text.slice(0, start);
  const given = [...body.matchAll(ARGUMENT)].map(([, name, value, key, other]) => [name ?? key, value ?? other ?? ""]);
  const rest = body.replaceAll(ARGUMENT, "").replaceAll(CALL_TAG, "\n").replace(CALL_NAME, "").trim();
  if (given.length > 0) {
    const names = given.map(([name]) => name);
    const value = Object.fromEntries(given.map(([name, each]) => [name, argumentOf(each ?? "")]));
    const json = JSON.stringify(value);
    const isTwice = new Set(names).size < names.length;
    return isTwice ? undefined : { ...WHOLE, value, json, source: json, before, after: rest };
  }
  const inner = rest
    .replace(/^function\s*/, "")
    .replace(/^\(([\s\S]*)\);?$/, "$1")
    .replace(/^```(?:json)?\s*([\s\S]*?)\s*```$/, "$1")
    .trim();
  const named = /^\w+\s*=/.test(inner)
    ? `{${inner.replaceAll(/(^|,\s*)(\w+)\s*=\s*(?=["'[{TFtf\d])/g, '$1"$2": ')}}`
    : inner;
  const found = /^[{[]/.test(named) ? readJsonAt(named) : undefined;
  return found && { ...found, isInPlace: true, before };
}

function argumentOf(written: string): unknown {
  const text = written.trim();
  return parseJson(text) ?? (/^[{[]/.test(text) ? readJsonAt(text)?.value : undefined) ?? text;
}

/** A field that says whether the work is done, in JSON of any dialect, in YAML, or in a sentence. */
export const MENTION =
  /\b(?:is_?)?(?:completed?|done|finished)\\*["'”’*_`]*\s*[:：=]\s*\\*["'“‘*_`]*(true|yes|false|no|✅|❌)(?![\w|/])/giu;
const OTHER_FIELD = /(?:^|[\s{,\\"'“‘*_])(?:feedback|criteria|needs_?user|反馈)\\*["'”’*_]*\s*[:：=]/im;
const BARE_OBJECT =
  /^[\s>"'`\\]{0,20}\{\s*\\*["'“‘]?(?:completed?|done)\\*["'”’]?\s*[:：]\s*\\*["'“‘]?(true|yes|false|no)\\*["'”’]?\s*[}｝]/gim;
/** A sentence that says not done, from its subject on. */
export const UNFINISHED =
  "(?:(?:(?:the |this )?(?:work|task|request|job) (?:is|has) |(?:this|it) is |it['’]s )(?:still )?)?(?:not (?:yet )?(?:been )?(?:done|completed?|finished|fulfilled)|incomplete|unfinished|(?:(?:任务|工作|请求)(?:目前|仍然?|还)?)?(?:尚?未|还?没有?)(?:全部)?完成(?!的))(?![\\w-])";
const NOT_DONE = new RegExp(
  `(?:^|[.!?。！？\\n])[\\s#*_❌因此所以，]{0,40}(?:(?:(?:my |the )?(?:final )?(?:verdict|decision|conclusion|result)|最终结论|结论|裁决|判定)[*_\\s]*[:：][*_\\s❌]*)?${UNFINISHED}`,
  "i",
);

/** What nobody writes before "done": a criterion that is open, a refusal, a doubt, or whose turn it is in a transcript. */
const DOUBTS = new RegExp(
  [
    "[❌✗✘]",
    String.raw`(?<!\b(?:no|none|neither|nothing)\b[^.!?\n]{0,60})\b(?:is|are|remains?) (?:still )?(?:unmet|not met)\b`,
    String.raw`\b(?:work|task|request|job|this|it) (?:is|has)(?:n['’]t| not)(?: yet| been)* (?:done|completed?|finished)\b`,
    String.raw`\b(?:half|almost|nearly|partly|partially|mostly) (?:done|completed?|finished|implemented|ready)\b|\bdo(?: not|n['’]t) accept\b`,
    String.raw`["“*_]not (?:yet )?(?:done|completed?)["”*_]|\bverdict(?: is)?\W{1,6}not\b`,
    String.raw`\b(?:cannot|can['’]t|won['’]t|will not|could not|couldn['’]t) (?:approve|accept|sign off|mark|call (?:this|it)|run anything)\b`,
    String.raw`\b(?:but|though) i (?:did not|didn['’]t|could not|couldn['’]t|have not|haven['’]t) (?:see|seen|run|verif\w+|check\w*)\b`,
    String.raw`\bstill (?:fail(?:s|ing)?|missing|lacks?|open|broken)\b|\b(?:must|has to|needs to) (?:still )?(?:go on|continue|fix)\b`,
    String.raw`仍有[^。\n]{0,12}(?:失败|错误|问题)|[仍还](?:然)?缺少?|需要继续|(?<!没有[^。\n]{0,8})未满足`,
    String.raw`不能?(?:算|视为|认为|判定为?)[^。\n]{0,6}完成|但我?(?:没有?|未)(?:看到|见到|运行|验证|检查)`,
    String.raw`^\s*(?:human|user|system|assistant|用户|助手)\s*[:：]`,
  ].join("|"),
  "imu",
);

/**
 * Whether a text around a verdict holds another one that says done, or not done. A field alone is none, except as an
 * object on its own line: reviews of a todo list name many.
 */
export function says(text: string, completed: boolean): boolean {
  const isWanted = (value = "") => /true|yes|✅/i.test(value) === completed;
  if (!completed && (NOT_DONE.test(text) || DOUBTS.test(text))) return true;
  if ([...text.matchAll(BARE_OBJECT)].some(([, value]) => isWanted(value))) return true;
  return [...text.matchAll(MENTION)].some(
    ({ index, 1: value }) => isWanted(value) && OTHER_FIELD.test(paragraphAt(text, index)),
  );
}

function paragraphAt(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - NEARBY), at);
  const after = text.slice(at, at + NEARBY);
  return `${before.slice(before.lastIndexOf("\n\n") + 1)}${after.split("\n\n")[0]}`;
}

const NEARBY = 2_000;

/**
 * Whose answer the words before a block introduce. "The agent printed:" is a quote. The ways to introduce one are countless, so
 * what a colon introduces is the reviewer's own only where it is called so, and what a sentence without an end introduces only
 * if nothing is named where it could come from. A sentence with an end
 * introduces nothing, unless it points at what follows.
 */
export function introducedAs(before: string): "own" | "unclear" | "quote" {
  const line = before.trimEnd().split("\n").at(-1) ?? "";
  const sentence =
    line
      .split(/[.!?。！？]\s*(?=\S)(?<=[。！？\s])/)
      .at(-1)
      ?.slice(-LONGEST_INTRODUCTION) ?? "";
  if (OWN.test(sentence)) return "own";
  if (/[.!?。！？]["'”*_)]*\s*$/.test(sentence)) return pointsAhead(sentence) && !isLabel(sentence) ? "unclear" : "own";
  if (QUOTING.test(sentence)) return "quote";
  if (/[:：][*_\s]*$/.test(sentence)) return isLabel(sentence) ? "own" : "unclear";
  const isListed = /^\s*(?:[-*+•]\s|\||\d+[.)、])\s*\S/.test(line) && before.endsWith("\n");
  const isSourced = SOURCE.test(sentence) && !isLabel(sentence);
  return !isListed && (isSourced || BREAKS_OFF.test(sentence)) ? "unclear" : "own";
}

const LONGEST_INTRODUCTION = 1_000;

const OWN = new RegExp(
  [
    String.raw`(?:^|[,，])\s*(?:so,? |now,? |finally,? )?(?:here(?:['’]s| is)|this is|i(?:['’]ll| will)(?: now)? (?:write|give|provide|output|state)) (?:my|the) (?:final |overall |formal |structured |json )*(?:verdict|review|decision|answer)\b`,
    String.raw`(?:^|[,，])\s*(?:so,? |therefore,? )?my (?:final )?(?:verdict|review|decision|answer) is\s*[:：]?\s*$`,
    String.raw`^\W*results? of my (?:final )?(?:review|assessment|evaluation)\b`,
    // What is done, and nothing else.
    String.raw`^(?:(?:so|therefore|thus|hence|overall|based on (?:all |the )*(?:evidence|checks|above)(?: above)?|i (?:conclude|confirm|find)|i(?:['’]m| am) satisfied|that),?\s+)*(?:(?:the )?(?:work|task|request)|everything|all(?: of)?(?: the)? (?:criteria|checks|requirements|tests)) (?:is|are|has been|have been) (?:now |all |fully )?(?:done|completed?|satisfied|fulfilled|met|verified)\s*[:：]\s*$`,
    String.raw`(?:^|[，。])(?:任务|工作)已(?:全部)?完成[:：]\s*$|^(?:最终)?结果(?:如下)?[:：]\s*$`,
  ].join("|"),
  "i",
);

const QUOTING =
  /\b(?:print(?:s|ed|ing)?|wr(?:ites?|ote|itten)|says?|said|claim(?:s|ed)?|outputs|returns|returned|replie[sd]|answered|answers with|quot(?:e|es|ed|ing)|contains?|reads|shows|logs|logged|emits?|emitted|forged|fake|example|template|instead of|rather than|its (?:output|result|answer|verdict|reply)|agent['’]s|output of|would be)\b|打印|写道|写了|写着|声称|返回了|回复了|伪造|示例|例如|内容(?:是|为|如下)|它的(?:输出|回答)|智能体(?:的|说)/i;

/** Where a quote comes from: somebody else, a program, a file. */
const SOURCE =
  /^\s*[$>#%] ?\w|\b(?:agent|assistant|api|app|tools?|hook|file|log|command|script|program|terminal|console|std(?:out|err)|endpoint|body|diff|patch|commit|server|fixture|readme|outputs?|got|i(?:['’]ve| have)? found|found (?:the|this|that|in)|following|adds|added|gave|gives|received|has|had|i['’]d|asks?|wants|told|supposed|previous|last)\b|[\w-]+\.[a-z]\w{1,4}\b|\w\/\w|智能体|代理|应用|接口|工具|文件|日志|命令|脚本|程序|终端|控制台|运行|响应|上一?次|上一?轮|之前|测试(?:输出|结果)|要求我|得到|发现/i;
const BREAKS_OFF = /\b(?:is|are|was|were|be|with|as|to|that|this|in|from|by|of)\s*$|[是为]\s*$/i;

function pointsAhead(sentence: string): boolean {
  return POINTING.test(sentence) || (QUOTABLE.test(sentence) && (QUOTING.test(sentence) || SOURCE.test(sentence)));
}

/** What can be quoted, at the end of a sentence that names where it comes from. */
const QUOTABLE = /(?:\b(?:verdict|json|block|statement|transcript|answer|reply)|结论|裁决|回答|原文)[^\p{L}]*$/iu;

/** At what somebody else wrote, at what would be said, or at what is not final. */
const POINTING = new RegExp(
  [
    String.raw`\b(?:below|follow(?:s|ing)|like this|(?:with|as|to|in|by) this|this (?:one|line|text|shape|form|format|block|json|verdict|answer|message|way))\W*$`,
    String.raw`\b(?:this|here) is what\b|\bfor the record\b|^\W*(?:output|answer|response) format\b`,
    String.raw`\b(?:hypothetical\w*|quot(?:e|es|ed|ing)|disagree)\b|引用|原话|^\W*(?:from|per|according to|source:?) [^,]*$`,
    String.raw`\b(?:agent|assistant) (?:says|said|claims|claimed|reports|reported|states|stated)\b[^,;]*$|智能体(?:说|声称|报告)[^，；]*$`,
    String.raw`\b(?:wants?|ask(?:s|ed)|tells?|told|instruct(?:s|ed)) me\b|\bi was (?:told|asked|instructed)\b`,
    String.raw`\b(?:if|had|once|unless)\b.*\bi (?:would|will|shall)\b|^\W*(?:draft|tentative|provisional|preliminary)\b`,
    String.raw`以下(?:是|为|即)|(?:如下|以下|下面|这样的?)[^\p{L}]*$|这样(?:回答|输出|说|写)|(?:如果|假如|要是|若).*我(?:会|将|就)|暂定|待.{0,12}(?:确认|验证)`,
  ].join("|"),
  "iu",
);

/** Whether words call what follows the reviewer's answer, and nothing else. */
function isLabel(sentence: string): boolean {
  const words =
    sentence
      .toLowerCase()
      .replaceAll("’", "'")
      .match(/[\p{Script=Latin}\d']+/gu) ?? [];
  const isChinese = /\p{Script=Han}/u.test(sentence);
  if (isChinese && (SOURCE.test(sentence) || !CHINESE_LABEL.test(sentence))) return false;
  return words.every((word) => LABEL_WORDS.has(word)) && (isChinese || words.length > 0);
}

const LABEL_WORDS = new Set(
  "so therefore thus hence overall in short to sum up now finally based on the this above my i i'll i'm will give write provide state here here's is are follows below as final formal structured verdict review answer conclusion decision judgment judgement assessment evaluation ruling result summary json format object requested evidence complete completed all everything criteria checks met verified".split(
    " ",
  ),
);
const CHINESE_LABEL = /结论|裁决|判定|评审|审查|审核|评估|判断|总结|检查完成|最终|JSON|因此|综上/i;

/** Whether a text after "done" only rounds it off. Anything else may take it back. */
export function isCourtesy(after: string): boolean {
  const sentences = after
    .replaceAll(/[*_#]|(?:✅|✔|🎉|👍)\uFE0F?|^\s*-{3,}\s*$/gmu, "")
    .split(/[.!。！;；，\n]+/)
    .map((each) => each.trim());
  return sentences.every((each) => isHarmless(each) || COURTESIES.some((courtesy) => courtesy.test(each)));
}

/** Sentences of these words alone take nothing back. */
const HARMLESS = new Set(
  "summary verdict review overall everything all every each of the this that that's concludes my final is are was were has have been i am i'm check checks checked criteria criterion requirement requirements points test tests file files work works working task request user user's asked expected as for and both now pass passes passed passing met satisfied fulfilled verified confirmed complete completed done finished correct correctly implemented implementation in confident successfully fully end".split(
    " ",
  ),
);

const COURTESIES = [
  /^(?:please )?(?:let me know|feel free to|do not hesitate|don['’]t hesitate|happy to|i hope|hope this|thanks|thank you|if you (?:need|have|want|would like))(?:(?!\b(?:but|not|fail\w*|except|however|missing|unmet|incomplete)\b).)*$/i,
  /^(?:the agent|it) (?:may|can) (?:now )?stop(?: now| here)?$/i,
  /^(?:以上(?:是|为|即)?(?:我的|本次)?(?:最终)?(?:评审|审查|审核|判断|裁决)?(?:结论|结果|意见|判断|裁决)|(?:评审|审查|审核)(?:已)?(?:完成|结束|完毕)|(?:任务|工作|请求)(?:已(?:全部)?)?完成|(?:所有|全部)(?:标准|验收标准|条件|要求|测试)(?:均|都)?已?(?:满足|达成|通过)|(?:智能体|Agent)?可以(?:停止|结束)了?|如有(?:任何)?(?:问题|疑问|需要)[^但却未不没]*|希望[^但却未不没]*|谢谢)$/i,
];

function isHarmless(sentence: string): boolean {
  const words = sentence
    .toLowerCase()
    .replaceAll("’", "'")
    .split(/[\s,:]+/);
  return words.every((word) => word === "" || HARMLESS.has(word) || /^\d+$/.test(word));
}
