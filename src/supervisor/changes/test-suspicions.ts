import { basename } from "node:path";
import { shownName } from "../../text/file-names.ts";
import type { Suspicion, TextChange } from "./changes.ts";

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

/** What a file of tests contains, line by line. */
interface TestMarks {
  readonly assertions: number;
  readonly skipped: readonly TestMark[];
  readonly focused: readonly TestMark[];
}

interface TestMark {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** The same mark on the same test has the same key, on whatever line. */
  readonly key: string;
}

/** Counts assertions and finds the tests that are skipped or focused. */
function testMarks(path: string, text: string): TestMarks {
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

/** Whether a path is one that test runners look for, or code in a folder of tests. */
function isTestFile(path: string): boolean {
  if (languageOf(path) === undefined || isForeign(path)) return false;
  return isNamedTest(path) || isInTestFolder(path);
}

/** By its own name, not by its folder. */
export function isNamedTest(path: string): boolean {
  return languageOf(path) !== undefined && !isForeign(path) && NAMES.some((pattern) => pattern.test(basename(path)));
}

/** Rust has unit tests in the files that they test. */
export function mayContainTests(path: string): boolean {
  return isTestFile(path) || (path.endsWith(".rs") && !isForeign(path));
}

function languageOf(path: string): TestLanguage | undefined {
  const [, extension = ""] = /\.(\w+)$/.exec(path) ?? [];
  return TEST_LANGUAGES.find(({ extensions }) => extensions.includes(extension));
}

const NAMES = [
  /\.(?:test|tests|spec|specs|cy|e2e|e2e-spec|unit|integration)\.\w+$/,
  /[_-](?:test|tests|spec)\.\w+$/,
  /^(?:test|tests|spec)\.\w+$/,
  /^test_.*\.(?:py|rb|c|cc|cpp|jl|ml)$/,
  /^test-.*\.(?:js|cjs|mjs|ts|[rR])$/,
  /(?:^|\w)(?:Tests?|TestCase|IT|Spec|Specs|Cest)\.(?:java|kt|scala|groovy|cs|fs|vb|swift|m|mm|php|hs|js|ts|tsx|jsx)$/,
  /^Test[A-Z]\w*\.(?:java|kt|groovy|php)$/,
  /\.(?:bats|feature|t)$/,
];

function isInTestFolder(path: string): boolean {
  return foldersOf(path).some((folder) => TEST_FOLDERS.has(folder)) && !isData(path);
}

const TEST_FOLDERS = new Set(["__tests__", "test", "tests", "spec", "specs", "e2e", "cypress", "androidtest"]);
const DATA_FOLDERS = new Set(["fixtures", "__fixtures__", "fixture", "testdata", "test-data", "data", "__snapshots__"]);

/** Files that tests work on. */
function isData(path: string): boolean {
  return foldersOf(path).some((folder) => DATA_FOLDERS.has(folder));
}

/** Whether it has no effect on the tests of this project, whatever its name. */
export function isElsewhere(path: string): boolean {
  return isForeign(path) || isData(path);
}

/** Code of others. */
function isForeign(path: string): boolean {
  return foldersOf(path).some((folder) => FOREIGN_FOLDERS.has(folder));
}

const FOREIGN_FOLDERS = new Set(["node_modules", "vendor", "third_party", "site-packages", ".venv"]);

function foldersOf(path: string): string[] {
  return path.toLowerCase().split("/").slice(0, -1);
}

/** How tests look in a language, by patterns for a single line of code. */
interface TestLanguage {
  readonly extensions: readonly string[];
  /** Lines that begin like this are comments. */
  readonly comment: RegExp;
  readonly assertion: RegExp;
  /** A test that does not run, or whose failure does not count. */
  readonly skipped: RegExp;
  /** A test that keeps others from running. */
  readonly focused?: RegExp;
}

const SLASHES = /^\s*(?:\/\/|\*)/;
const HASH = /^\s*#/;

const SCRIPT: TestLanguage = {
  extensions: ["js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx", "vue", "svelte", "coffee"],
  comment: SLASHES,
  assertion:
    /(?<![\w.])(?:expect|assert)\w*(?:\.\w+){0,9}\s*[(<`]|\.should\b|\bt\.(?!skip|todo|plan|test|end|log)\w+\(/g,
  skipped:
    /(?<![\w.])(?:it|test|describe|suite|context|specify|bench|Deno\.test)(?:\.\w+){0,9}(?:\.|\[["'])(?:skip|skipIf|todo|todoIf|runIf|if|fixme|fails?|failing|ignore)\b|(?<![\w.])x(?:it|test|describe|context|specify)\b\s*[.(]|(?<![\w.])(?:this|ctx|context|t|testInfo)\.(?:skip|todo)\(|(?<![\w.])pending\(|\bskip:\s*(?:true\b|["'`])|\b(?:todo|ignore):\s*true\b/,
  focused:
    /(?<![\w.])(?:it|test|describe|suite|context|specify|bench|Deno\.test)(?:\.\w+){0,9}(?:\.|\[["'])only\b|(?<![\w.])f(?:it|describe|context)\(\s*["'`]|\bonly:\s*true\b/,
};

const PYTHON: TestLanguage = {
  extensions: ["py"],
  comment: HASH,
  assertion: /^\s*assert\b|\bassert\w+\s*\(|\bpytest\.(?:raises|warns|fail)\b|\bself\.fail\(/g,
  skipped:
    /\bmark\.(?:skip|skipif|xfail)\b|@(?:\w+\.){0,9}(?:skip|skipIf|skipUnless|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\(|\bskipTest\(|\bSkipTest\b|\b__test__\s*=\s*False\b|\bcollect_ignore\w*\s*=/,
};

const GO: TestLanguage = {
  extensions: ["go"],
  comment: /^\s*\/\/(?!go:build)/,
  assertion: /\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:assert|require|is|qt)\.\w+\(|\bExpect\(/g,
  skipped: /\.(?:Skip|Skipf|SkipNow)\(|^\/\/go:build\b|(?<![\w.])[PX](?:It|Describe|Context|When|Entry)\(/,
  focused: /(?<![\w.])F(?:It|Describe|Context|When|Entry)\(/,
};

const RUST: TestLanguage = {
  extensions: ["rs"],
  comment: SLASHES,
  assertion: /\b(?:debug_)?assert\w*!|\bpanic!|#\[should_panic/g,
  skipped: /#\[ignore\b|#\[cfg_attr\(.*\bignore\b|#\[cfg\((?:any\(\)|FALSE|false)\)\]/,
};

const JVM: TestLanguage = {
  extensions: ["java", "kt", "kts", "scala", "groovy"],
  comment: SLASHES,
  assertion: /^\s*assert\b|\b(?:assert|verify|expect)\w*\s*[({]|\bAssert\w*\.\w+|\bshould\w*\b|\bfail\(/g,
  skipped:
    /@(?:Disabled|Ignored?)\w*|\benabled\s*=\s*false\b|\bassume\w*\(|\bAssum\w+\.\w+|(?<![\w.])(?:xtest|xit|xdescribe|ignore|pending)\b/,
};

const DOTNET: TestLanguage = {
  extensions: ["cs", "fs", "vb"],
  comment: SLASHES,
  assertion: /\bAssert\w*\.\w+|\.Should\w*\(|\bExpect\w*\.|\.Verify\w*\(/g,
  skipped: /\bSkip\s*=|\[(?:Ignore|Explicit)\b|\bAssert\.(?:Ignore|Inconclusive|Skip)\b/,
};

const SWIFT: TestLanguage = {
  extensions: ["swift", "m", "mm"],
  comment: SLASHES,
  assertion: /\bXCT(?!Skip)\w+\(|#expect\(|#require\(|\bexpect\(/g,
  skipped: /\bXCTSkip\w*|\.disabled\(|(?<![\w.])x(?:it|describe|context)\(|\bwithKnownIssue\b/,
  focused: /(?<![\w.])f(?:it|describe|context)\(/,
};

const PHP: TestLanguage = {
  extensions: ["php"],
  comment: /^\s*(?:\/\/|\*|#(?!\[))/,
  assertion: /\bassert\w*\(|\bexpect\w*\(/g,
  skipped: /\bmarkTest(?:Skipped|Incomplete)\b|->(?:skip|todo)\(/,
  focused: /->only\(/,
};

const RUBY: TestLanguage = {
  extensions: ["rb"],
  comment: HASH,
  assertion: /\bexpect\s*[({]|\b(?:assert|refute)\w*\b|\.should\w*\b|\.(?:must|wont)_\w+|\bis_expected\b/g,
  skipped:
    /(?<![\w.:])(?:xit|xdescribe|xcontext|xspecify|xexample|pending|skip)\b|[\s,(]:?(?:skip|pending):?(?=\s|,|$)/,
  focused: /(?<![\w.])(?:fit|fdescribe|fcontext|focus)\b|[\s,(]:focus\b/,
};

const ELIXIR: TestLanguage = {
  extensions: ["exs", "ex"],
  comment: HASH,
  assertion: /\b(?:assert|refute)\w*\b/g,
  skipped: /@(?:module|describe)?tag\b.*\bskip\b/,
};

const C: TestLanguage = {
  extensions: ["c", "cc", "cpp", "cxx", "h", "hpp"],
  comment: SLASHES,
  assertion: /\b(?:TEST_)?(?:ASSERT|EXPECT|CHECK|REQUIRE|FAIL)\w*\s*\(|\bassert\w*\s*\(/g,
  skipped: /\bDISABLED_\w|\bGTEST_SKIP\b|\bTEST_IGNORE\b|(?<!\w)SKIP\s*\(/,
};

const DART: TestLanguage = {
  extensions: ["dart"],
  comment: SLASHES,
  assertion: /\bexpect\w*\(|\bverify\w*\(/g,
  skipped: /\bskip:\s*(?!false\b)|@Skip\b/,
  focused: /\bsolo:\s*true\b|\bsolo_\w+\(/,
};

const SHELL: TestLanguage = {
  extensions: ["sh", "bash", "bats", "zsh", "ps1"],
  comment: HASH,
  assertion: /\bassert\w*\b|^\s*\[.*\]\]?\s*$|\bexit 1\b|\bShould\b/g,
  skipped: /^\s*skip\b|\s-Skip\b/,
};

const PERL: TestLanguage = {
  extensions: ["t", "pl"],
  comment: HASH,
  assertion: /(?<![\w$>])(?:ok|is|isnt|like|unlike|cmp_ok|is_deeply|can_ok|isa_ok|fail)\s*\(/g,
  skipped: /\bskip_all\b|(?<![\w$>])skip\b|\bTODO:/,
};

const GHERKIN: TestLanguage = {
  extensions: ["feature"],
  comment: HASH,
  assertion: /^\s*Then\b/g,
  skipped: /@(?:skip|ignore|wip|disabled|pending)\b/i,
  focused: /@(?:only|focus)\b/i,
};

const LUA: TestLanguage = {
  extensions: ["lua", "clj", "cljs", "hs", "ml", "jl", "r", "R"],
  comment: /^\s*(?:--|;|#)/,
  assertion: /\bassert\w*\b|\bexpect_\w+|\bshould\w*\b|\(is\s|@test\b/g,
  skipped: /(?<![\w.])(?:pending|skip|xit|xdescribe)\b|@test_(?:skip|broken)\b/,
};

const TEST_LANGUAGES: readonly TestLanguage[] = [
  ...[SCRIPT, PYTHON, GO, RUST, JVM, DOTNET, SWIFT, PHP, RUBY, ELIXIR, C, DART, SHELL, PERL, GHERKIN, LUA],
];
