import { parseJson } from "../../text/json.ts";

export interface Ending {
  /** The JSON at the end of the answer, on its own lines or in its own fence. */
  readonly block: LastBlock | undefined;
  /** The last line, unless it is in a fence or indented as code. */
  readonly line: string;
}

export interface LastBlock {
  readonly json: string;
  readonly value: unknown;
  /** The text before it. */
  readonly before: string;
}

/**
 * Reads the end of an answer as Markdown. JSON in a sentence, a list, a block quote or a fence of another language does
 * not count, and only whitespace may follow the block.
 */
export function readEnding(answer: string): Ending {
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
