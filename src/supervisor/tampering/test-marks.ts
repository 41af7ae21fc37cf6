import { isTestFile, languageOf } from "./test-files.ts";
import type { TestLanguage } from "./test-languages.ts";

/** What a file of tests contains, line by line. */
export interface TestMarks {
  readonly assertions: number;
  readonly skipped: readonly TestMark[];
  readonly focused: readonly TestMark[];
}

export interface TestMark {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** The same mark on the same test has the same key, on whatever line. */
  readonly key: string;
}

/** Counts assertions and finds the tests that are skipped or focused. */
export function testMarks(path: string, text: string): TestMarks {
  const language = languageOf(path);
  if (language === undefined) return { assertions: 0, skipped: [], focused: [] };
  const code = codeLines(text, language);
  const lines = isTestFile(path) ? code : testModule(code);
  const bare = lines.map(withoutStrings);
  const marks = (pattern: RegExp | undefined) =>
    pattern === undefined
      ? []
      : bare.flatMap((line, index) =>
          pattern.test(line) ? [{ line: index + 1, text: lines[index]?.trim() ?? "", key: keyOf(lines, index) }] : [],
        );
  return {
    assertions: bare.reduce((count, line) => count + [...line.matchAll(language.assertion)].length, 0),
    skipped: marks(language.skipped),
    focused: marks(language.focused),
  };
}

/** The lines, with those that are comments emptied. A block comment counts if it begins a line. */
function codeLines(text: string, { comment }: TestLanguage): string[] {
  const hasBlocks = comment.test("//");
  let isInBlock = false;
  return text.split(/\r\n|[\n\r]/).map((line) => {
    if (hasBlocks && /^\s*\/\*/.test(line)) isInBlock = true;
    if (!isInBlock) return comment.test(line) ? "" : line;
    const end = line.indexOf("*/");
    if (end === -1) return "";
    isInBlock = false;
    return line.slice(end + 2);
  });
}

/** Strings on one line, emptied: they may be about tests. `it["skip"]` is code. */
function withoutStrings(line: string): string {
  return line
    .replaceAll(/"(?!(?:skip|only|todo)"\])(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/(?<=[\s(,[=:{+]|^)'(?!(?:skip|only|todo)'\])(?:[^'\\]|\\.)*'(?=[\s),\]:;}+.]|$)/g, "''")
    .replaceAll(/`[^`]*`/g, "``");
}

/** Rust's tests are at the end of a file. Before them, an `assert!` belongs to the program. */
function testModule(lines: readonly string[]): string[] {
  const at = lines.findIndex((line) => /#\[cfg\(.*\btest\b/.test(line));
  return lines.map((line, index) => (at === -1 || index < at ? "" : line));
}

/** A decorator belongs to the test after it, a call to the test that it is in. */
function keyOf(lines: readonly string[], index: number): string {
  const line = lines[index]?.trim() ?? "";
  if (DECLARATION.test(line)) return line;
  const isAbove = DECORATOR.test(line);
  const isOwner = (each: string) => (isAbove ? each.trim() !== "" && !DECORATOR.test(each) : DECLARATION.test(each));
  for (let distance = 1; distance <= FARTHEST_OWNER; distance++) {
    const each = lines[isAbove ? index + distance : index - distance];
    if (each === undefined) break;
    if (isOwner(each)) return `${line}\n${each.trim()}`;
  }
  return line;
}

const FARTHEST_OWNER = 100;
const DECORATOR = /^\s*(?:@|#\[|\[\w)/;
const DECLARATION =
  /^\s*(?:(?:export|async|pub|public|private|static|void)\s+)*[xf]?(?:func|def|fn|fun|function|sub|it|test|describe|suite|context|class)\b/;
