import { shownName } from "../../text/file-names.ts";
import type { Suspicion, TextChange } from "./changes.ts";
import { isNamedTest, isTestFile, languageOf, mayContainTests, type TestLanguage } from "./test-languages.ts";

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

/** What happened to tests: deleted, newly skipped or focused, fewer assertions. */
export function testSuspicions(changes: readonly TextChange[]): Suspicion[] {
  const seen = changes.flatMap(compareMarks);
  const moved = movedMarks(seen);
  const gained = seen.reduce((sum, { before, after }) => sum + Math.max(0, after.assertions - before.assertions), 0);
  return [
    ...changes.flatMap((change) => deletedTest(change)),
    ...seen.flatMap(({ path, added }) => [
      ...newMarks("skipped", path, moved(added.skipped)),
      ...newMarks("focused", path, moved(added.focused)),
    ]),
    ...seen.flatMap((file) => lostAssertions(file, gained)),
    ...changes.filter(isUnknown).map(({ path }): Suspicion => {
      return {
        kind: "not compared",
        path,
        text: `${shownName(path)} changed, but could not be read to compare its tests`,
      };
    }),
  ];
}

/** A renamed test that is still one is not deleted. */
function deletedTest({ path, kind, from }: TextChange): Suspicion[] {
  const old = from ?? path;
  if (!isTestFile(old) || (kind !== "deleted" && kind !== "renamed")) return [];
  if (kind === "deleted") return [{ kind: "deleted test", path, text: `${shownName(path)} was deleted` }];
  if (!isLost(old, path)) return [];
  const text = `${shownName(old)} was renamed to ${shownName(path)}, which is not the name of a test`;
  return [{ kind: "deleted test", path: old, text }];
}

/** Whether a rename makes a test something else. In Rust every file in the folder is a test. */
function isLost(from: string, path: string): boolean {
  if (isNamedTest(from) && !from.endsWith(".rs")) return !isNamedTest(path);
  return isTestFile(from) && !isTestFile(path);
}

interface ComparedMarks {
  readonly path: string;
  readonly isDeleted: boolean;
  readonly before: TestMarks;
  readonly after: TestMarks;
  /** Those that are only in the file now, or were only in it before. */
  readonly added: Pick<TestMarks, "skipped" | "focused">;
  readonly removed: Pick<TestMarks, "skipped" | "focused">;
}

function compareMarks(change: TextChange): ComparedMarks[] {
  const { path, from = path, kind, before: old, after: now } = change;
  if (old === undefined || now === undefined || !(mayContainTests(path) || mayContainTests(from))) return [];
  const [before, after] = [testMarks(from, old), testMarks(path, now)];
  const difference = (some: TestMarks, others: TestMarks) => ({
    skipped: without(some.skipped, others.skipped),
    focused: without(some.focused, others.focused),
  });
  const isDeleted = kind === "deleted" || isLost(from, path);
  return [{ path, isDeleted, before, after, added: difference(after, before), removed: difference(before, after) }];
}

function without(marks: readonly TestMark[], others: readonly TestMark[]): TestMark[] {
  const known = counted(others);
  return marks.filter(({ key }) => !take(known, key));
}

/** Leaves out marks that came from another file, with their tests. */
function movedMarks(seen: readonly ComparedMarks[]): (marks: readonly TestMark[]) => TestMark[] {
  const gone = counted(seen.flatMap(({ removed }) => [...removed.skipped, ...removed.focused]));
  return (marks) => marks.filter(({ key }) => !take(gone, key));
}

function counted(marks: readonly TestMark[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of marks) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  counts.set(key, left - 1);
  return left > 0;
}

function newMarks(what: "skipped" | "focused", path: string, marks: readonly TestMark[]): Suspicion[] {
  if (marks.length === 0) return [];
  const shown = marks.slice(0, MOST_SHOWN).map(({ line, text }) => `line ${line}: ${shortLine(text)}`);
  const more = marks.length > shown.length ? ["…"] : [];
  const count = marks.length === 1 ? "1 test" : `${marks.length} tests`;
  return [
    {
      kind: `${what} tests`,
      path,
      text: `${shownName(path)}: ${count} newly ${what} (${[...shown, ...more].join("; ")})`,
    },
  ];
}

const MOST_SHOWN = 3;
const LONGEST_LINE = 80;

/** What begins a test's code: `it.skip("adds", async () => {` is shown as `it.skip("adds")`. */
const CALLBACK = /, ?(?:async ?)?(?:(?:\([^()]*\)|\w+) ?=>|function ?\w*\([^()]*\))[ {]*$/;

function shortLine(text: string): string {
  const line = shownName(
    text
      .replaceAll(/\s+/g, " ")
      .replace(CALLBACK, ")")
      .replace(/[\s;,{]+$/, ""),
  );
  return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE - 1)}…` : line;
}

function lostAssertions({ path, isDeleted, before, after }: ComparedMarks, gained: number): Suspicion[] {
  if (isDeleted || after.assertions >= before.assertions) return [];
  const elsewhere = gained > 0 ? `; other test files have ${gained} more` : "";
  const now = after.assertions === 1 ? "1 assertion" : `${after.assertions || "no"} assertions`;
  return [
    { kind: "lost assertions", path, text: `${shownName(path)} has ${now}, ${before.assertions} before${elsewhere}` },
  ];
}

/** Nothing can be said about the tests in it. */
function isUnknown({ path, kind, before, after }: TextChange): boolean {
  return isTestFile(path) && kind !== "deleted" && (before === undefined || after === undefined);
}
