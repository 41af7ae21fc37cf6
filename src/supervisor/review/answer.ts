import { parseJson } from "../../text/json.ts";

/** What a reviewer wrote, without its thinking and the tokens of its model. */
interface ReviewerAnswer {
  readonly text: string;
  /** The last line, unless it is in a fence or indented as code. */
  readonly line: string;
  /** The JSON in it, the last first. */
  readonly blocks: readonly AnswerBlock[];
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
  /** Whether it is where a reviewer would put its answer: not in a sentence, nor in a fence of another language. */
  readonly isInPlace: boolean;
  readonly before: string;
  readonly after: string;
}

/** Reads an answer as Markdown. JSON in a block quote or indented code is no block: it is quoted. */
export function readAnswer(answer: string): ReviewerAnswer {
  const text = withoutTags(withoutTokens(withoutThinking(answer.trim())));
  const lines = text.split(/\r?\n/);
  const fences = readFences(lines);
  const last = fences.at(-1);
  const isOpen = last !== undefined && last.end === undefined;
  const line = lines.at(-1) ?? "";
  return {
    text,
    line: isOpen || /^( {4}| {0,3}\t)/.test(line) ? "" : line.trim(),
    blocks: [...blocksIn(text, lines, fences)],
  };
}

type ReadJson = Omit<AnswerBlock, "isInPlace" | "before">;

/** The first JSON object or list at the start of a text, repaired if it is broken, and what follows it. */
function readJsonAt(text: string): ReadJson | undefined {
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

/** A thought that is not empty. */
const THOUGHT = /[>▷\]]\s*[^\s<◁[]/;

/**
 * Removes thoughts. One after a verdict may take it back, so it leaves an ellipsis. Some servers swallow the opening tag; then
 * the thoughts stay as prose, since a closing tag alone may be a quote.
 */
function withoutThinking(text: string): string {
  const channel = /^<\|(?:channel|start)\|>/.test(text) ? text.lastIndexOf("<|message|>") : -1;
  const said = channel === -1 ? text : text.slice(channel + "<|message|>".length);
  const spoken = THINKING.reduce((rest, pattern) => {
    const [first, last] = [rest.indexOf("{"), rest.lastIndexOf("{")];
    return rest.replaceAll(pattern, (thought, ...found) => {
      const at = Number(found.findLast((each) => typeof each === "number"));
      const isBehind = first !== -1 && first < at && last < at + thought.length;
      return isBehind && THOUGHT.test(thought) ? "\n…\n" : "\n";
    });
  }, said);
  return spoken.replaceAll(new RegExp(`</${NAME}>|◁/think▷|\\[/THINK\\]`, "gi"), "\n").trim();
}

const TOKEN = String.raw`(?:<[|｜][^<>|｜\s]{1,40}[|｜]>|</s>|<eos>|<end_of_turn>|(?:data: *)?\[DONE\]|\[EOS\]|\[e~\[)`;

function withoutTokens(text: string): string {
  const boxed = text.replaceAll(/<\|(?:begin|end)_of_box\|>/g, "\n").trim();
  // The tokens around a tool call are read with the call.
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
  const inner = typeof whole === "string" ? parseJson(whole) : undefined;
  if (typeof inner === "object" && inner !== null) {
    // Encoded twice, as a program prints it: alone it may be a quote.
    yield { ...WHOLE, isInPlace: false, value: inner, json: String(whole), source: text, before: "", after: "" };
    return;
  }
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
/** For answers full of braces. */
const MOST_TRIES = 50;
const LONGEST_BLOCK = 100_000;
const LONGEST_REPAIRED = 20_000;

interface Bare {
  readonly start: number;
  readonly column: number;
  /** The line of the next fence, or the end. */
  readonly until: number;
}

/** A line that begins with JSON, or in which words precede an object. A line that begins with a quote is inside JSON. */
const OPENING = /^ {0,3}(?:(?=[{[｛])|(?!["'“>\s])[^\n{}"“”]*?(?=[{｛]))/;

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
  const opening = joined(lines, start, until);
  const [words, text] = [opening.slice(0, column), opening.slice(column)];
  const found = readJsonAt(text.slice(0, LONGEST_BLOCK));
  if (found === undefined) return undefined;
  const after = `${found.after}${text.slice(LONGEST_BLOCK)}\n${joined(lines, until, lines.length)}`;
  const isInPlace = /^\s*(?:\S.*[:：][*_\s]*)?$/.test(words);
  return { ...found, isInPlace, before: `${joined(lines, 0, start)}\n${words}`, after };
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
    // Without an end it may be another fence.
    isInPlace: end === undefined ? /^json\w?$/i.test(language) && found.after === "" : /^(?:json\w?)?$/i.test(language),
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

/** Full-width punctuation may also be part of a text. */
function repaired(source: string, after: string): ReadJson | undefined {
  return repairedAs(withAsciiPunctuation(source), after) ?? repairedAs(source, after);
}

function repairedAs(text: string, after: string): ReadJson | undefined {
  // Most reviews need no repair, and hooks start faster without it.
  const { jsonrepair }: typeof import("jsonrepair") = require("jsonrepair");
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
const LAST_VALUE = /(?:["'”’}\]]|\b(?:true|false|null|none)|\d|\bcode["'”’]?\s*:\s*\w+)[\s,]*[}\]]\s*$/i;

function count(text: string, part: string): number {
  return text.split(part).length - 1;
}

/** Only between values: in a text, full-width characters stay. */
function withAsciiPunctuation(json: string): string {
  return json
    .replaceAll(/｛(?=\s*["'“‘])|^｛/g, "{")
    .replaceAll(/(?<=(?:["'”’}\]｝]|\b(?:true|false|null|none|\d+))\s*)｝/gi, "}")
    .replaceAll(/(["'“”’\w])\s*：\s*(?=["'“‘\w[{-])/g, "$1: ")
    .replaceAll(/(["'”’}\]]|\b(?:true|false|null|none|\d+))\s*[，、]\s*(?=["'“‘}\]{\n])/gi, "$1, ");
}

/** The beginning of a tool call that a model wrote as text, in the dialects of several families of models. */
const CALL =
  /^[ \t]*(?:<tool_call>|<\|tool_calls?_section_begin\|>|<\|tool_call_begin\|>|<｜tool▁calls?▁begin｜>|<minimax:tool_call>|<(?:｜DSML｜|antml:)?function_calls>|<invoke name=|<function=|(?:functions\.)?StructuredOutput\s*\()/m;
const CALL_TAG =
  /<\/?(?:tool_call|minimax:tool_call|(?:｜DSML｜|antml:)?(?:function_calls|invoke)|function)(?:[\s=][^<>]*)?>|<[|｜][^<>|｜]{1,40}[|｜]>/g;
const CALL_NAME = /\b(?:functions?\.)?StructuredOutput\b(?::\d+)?/;
const ARGUMENT =
  /<(?:｜DSML｜|antml:)?parameter(?: name=|=)"?(\w+)"?[^<>]*>([\s\S]*?)<\/(?:｜DSML｜|antml:)?parameter>|<arg_key>\s*(\w+)\s*<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g;

/** A call of the tool for answers in a schema, if it ends the text. */
function callIn(text: string): AnswerBlock | undefined {
  const start = text.match(CALL)?.index;
  if (start === undefined || !CALL_NAME.test(text.slice(start)) || text.length - start > LONGEST_REPAIRED)
    return undefined;
  const body = text.slice(start);
  const before = text.slice(0, start);
  const pairs = [...body.matchAll(ARGUMENT)].map(([, name, value, key, other]) => [name ?? key, value ?? other ?? ""]);
  const rest = body.replaceAll(ARGUMENT, "").replaceAll(CALL_TAG, "\n").replace(CALL_NAME, "").trim();
  if (pairs.length > 0) {
    const names = pairs.map(([name]) => name);
    const value = Object.fromEntries(pairs.map(([name, each]) => [name, argumentOf(each ?? "")]));
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
