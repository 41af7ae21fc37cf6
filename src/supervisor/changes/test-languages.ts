import { basename } from "node:path";

/** What a file of tests contains. */
export interface TestContents {
  readonly tests: readonly TestItem[];
  readonly assertions: readonly TestItem[];
  /** Tests, or parts of them, that do not run or whose failure does not count. */
  readonly skipped: readonly TestItem[];
  readonly focused: readonly TestItem[];
  /** Functions of the file that replace those of a test runner. */
  readonly replaced: readonly TestItem[];
}

export interface TestItem {
  /** From 1. */
  readonly line: number;
  /** The line, or the name of a test. */
  readonly text: string;
  /** The same item of the same test has the same key, on whatever line. */
  readonly key: string;
}

/** Finds the tests and assertions of a file, and what is skipped or focused, by patterns for single lines of code. */
export function readTests(path: string, text: string): TestContents {
  const language = mayContainTests(path) ? languageOf(path) : undefined;
  if (language === undefined) return { tests: [], assertions: [], skipped: [], focused: [], replaced: [] };
  const code = codeLines(text, language);
  const lines = path.endsWith(".rs") && !isTestFile(path) ? testModule(code) : code;
  const bare = lines.map((line) => (line === "" ? "" : withoutStrings(line)));
  const itemsWhere = (isFound: (line: string, index: number) => boolean) =>
    bare.flatMap((line, index) =>
      line !== "" && isFound(line, index)
        ? [{ line: index + 1, text: lines[index]?.trim() ?? "", key: keyOf(lines, index) }]
        : [],
    );
  const matches = (pattern: RegExp | undefined) => itemsWhere((line) => pattern?.test(line) === true);
  return {
    tests: declaredTests(language, lines, bare),
    assertions: bare.flatMap((line, index) => {
      const found = [...line.matchAll(language.assertion)];
      const key = found.length === 0 ? "" : (lines[index] ?? "").replaceAll(/\s+/g, "");
      return found.map(() => ({ line: index + 1, text: key, key }));
    }),
    skipped: itemsWhere((line, index) => language.skipped.test(line) || neverRuns(line) || returnsAtOnce(bare, index)),
    focused: matches(language.focused),
    replaced: matches(language.replaced),
  };
}

/** Whether a path is one that test runners look for, or code in a folder of tests. */
export function isTestFile(path: string): boolean {
  if (languageOf(path) === undefined || isForeign(path)) return false;
  return isNamedTest(path) || isInTestFolder(path);
}

/** Whether test runners look for a file of this name, in whatever folder. */
export function isNamedTest(path: string): boolean {
  const name = basename(path);
  // Go ignores files with other names, and those whose names begin with a dot or an underscore.
  if (name.endsWith(".go")) return /^[^._].*_test\.go$/.test(name) && !isForeign(path);
  return languageOf(path) !== undefined && !isForeign(path) && NAMES.some((pattern) => pattern.test(name));
}

/** Rust has unit tests in the files that they test. A folder `data` may hold tests of data, not only data of tests. */
export function mayContainTests(path: string): boolean {
  if (isTestFile(path)) return true;
  const folders = foldersOf(path);
  const isAmongTests = folders.includes("data") && folders.some((folder) => TEST_FOLDERS.has(folder));
  return (path.endsWith(".rs") || (isAmongTests && languageOf(path) !== undefined)) && !isForeign(path);
}

/** Whether a file has no effect on the tests of this project, whatever its name. */
export function isElsewhere(path: string): boolean {
  return isForeign(path) || isData(path);
}

/** The tests with their names. An attribute and the function under it are one test. */
function declaredTests(language: TestLanguage, lines: readonly string[], bare: readonly string[]): TestItem[] {
  const { test, attribute, isRun = () => () => true } = language;
  const runs = isRun(bare);
  const found = new Map<string, TestItem>();
  for (const [index, line] of bare.entries()) {
    const calls = test === undefined || !runs(index) ? [] : [...line.matchAll(test)];
    const title = calls.length === 0 ? "" : testName(lines[index] ?? "");
    for (const [at, [, ...names]] of calls.entries()) {
      const text = names.find(Boolean) ?? title;
      found.set(`${index} ${at}`, { line: index + 1, text, key: calls.length > 1 ? `${text} ${at}` : text });
    }
    if (attribute?.test(line) !== true) continue;
    const owner = ownerOf(bare, index);
    const text = /([\w$]+|`[^`]*`)\s*(?:<[^<>]*>\s*)?\(/.exec(withoutAttributes(lines[owner] ?? ""))?.[1] ?? "";
    found.set(`${owner} 0`, { line: owner + 1, text: text || (lines[owner]?.trim() ?? ""), key: text });
  }
  return [...found.values()];
}

/** The title of a test, or else its line. */
function testName(line: string): string {
  const start = line.trimStart().slice(0, LONGEST_NAME);
  const [, title] = /(["'`])((?:(?!\1)[^\\]|\\.){1,200})\1/.exec(start)?.slice(1) ?? [];
  return title ?? start.trimEnd().replaceAll(/\s+/g, " ");
}

/** The line that an attribute is about: its own, or the next one that is not an attribute. */
function ownerOf(bare: readonly string[], index: number): number {
  for (let at = index; at <= index + FARTHEST_ATTRIBUTE; at++)
    if (withoutAttributes(bare[at] ?? "").trim() !== "") return at;
  return index;
}

const FARTHEST_ATTRIBUTE = 20;
const LONGEST_NAME = 400;

function withoutAttributes(line: string): string {
  return line.replaceAll(/@\w[\w.:]*(?:\([^()]*\))?|#?\[[^[\]]*\]/g, "");
}

/** Code that never runs, in any language: `if (false)`, `if False:`, `#if 0`. */
const NEVER =
  /^(?:\}? ?else )?(?:if|while) ?\(? ?(?:false|False|0|!1|!true|not True|None|null|undefined) ?\)? ?(?:[:{;]|do\b|then\b|$|return\b|\w+[.(])|^unless true\b|^# ?if (?:0|false|FALSE|NEVER)\b/;

function neverRuns(line: string): boolean {
  return NEVER.test(line.trim().replaceAll(/\s+/g, " "));
}

/** Whether the line is the `return` that a function begins with, although more code follows. */
function returnsAtOnce(bare: readonly string[], index: number): boolean {
  const line = bare[index] ?? "";
  if (!/^return(?: (?:None|nil|true|undefined|void 0|Ok\(\(\)\)))?;?$/.test(line.trim())) return false;
  const isCode = (each: string) => each.trim() !== "";
  const before =
    bare
      .slice(Math.max(0, index - NEAR), index)
      .findLast(isCode)
      ?.trim() ?? "";
  const after = bare.slice(index + 1, index + 1 + NEAR).find(isCode) ?? "";
  const opensFunction = /(?:[{:|]|\bdo)$/.test(before) && !CONTROL.test(before);
  return opensFunction && indentOf(after) >= indentOf(line) && !/^(?:[})\]]|end\b)/.test(after.trim());
}

const NEAR = 3;
const CONTROL =
  /^(?:\}\s*)?(?:if|else|elif|elsif|for|foreach|while|until|loop|switch|match|case|default|when|try|catch|except|finally|rescue|ensure|with|unless|select|do|guard|using|lock)\b/;

function indentOf(line: string): number {
  return line.search(/\S|$/);
}

/** The lines of code. Comments and texts over several lines are blanked. */
function codeLines(text: string, { comment, blocks = SLASH_BLOCKS }: TestLanguage): string[] {
  let end: RegExp | undefined;
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => {
    if (line === "") return "";
    let rest = line;
    let kept = "";
    for (;;) {
      if (end !== undefined) {
        const closing = end.exec(rest);
        if (closing === null) return kept;
        rest = rest.slice(closing.index + closing[0].length);
        end = undefined;
      }
      if (kept === "" && comment.test(rest)) return "";
      const opened = blocks.start.exec(rest);
      if (opened === null) return kept + rest;
      kept += rest.slice(0, opened.index);
      rest = rest.slice(opened.index + opened[0].length);
      end = blocks.end(opened[0]);
    }
  });
}

/** Where comments and texts over several lines begin, and where one with this beginning ends. */
interface Blocks {
  readonly start: RegExp;
  readonly end: (start: string) => RegExp;
}

/** Where a comment starts in code, not in a pattern such as `src/*.ts`. */
const SLASH_BLOCKS: Blocks = { start: /(?<=^\s*|[\s;{})])\/\*(?=[\s*\w]|$)/, end: () => /\*\// };
/** Matches nothing: the block continues to the end of the file. */
const NOTHING_MORE = /(?!)/;
const NO_BLOCKS: Blocks = { start: NOTHING_MORE, end: () => NOTHING_MORE };

/** Empties the strings in a line, which may be about tests. `it["skip"]` is code. */
function withoutStrings(line: string): string {
  return line
    .replaceAll(/"(?!(?:skip|only|todo)"\])(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/(?<=[\s(,[=:{+]|^)'(?!(?:skip|only|todo)'\])(?:[^'\\]|\\.)*'(?=[\s),\]:;}+.]|$)/g, "''")
    .replaceAll(/`[^`]*`/g, "``");
}

/** Rust's tests are at the end of a file, in a module or without one. Before them, an `assert!` belongs to the program. */
function testModule(lines: readonly string[]): string[] {
  const at = lines.findIndex((line) => /#\[cfg\(.{0,200}\btest\b|^#\[(?:\w+::){0,9}test\b/.test(line));
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

/** Data that tests read. */
function isData(path: string): boolean {
  return foldersOf(path).some((folder) => DATA_FOLDERS.has(folder));
}

/** Code that package managers install. */
function isForeign(path: string): boolean {
  return foldersOf(path).some((folder) => FOREIGN_FOLDERS.has(folder));
}

const FOREIGN_FOLDERS = new Set(["node_modules", "site-packages", ".venv"]);

function foldersOf(path: string): string[] {
  return path.toLowerCase().split("/").slice(0, -1);
}

/**
 * Which lines are in a function that pytest and unittest find: not within another function, and not in a class that is
 * neither named like a test nor derived from another one.
 */
function pythonRuns(bare: readonly string[]): (index: number) => boolean {
  const parents: number[] = [];
  const open: number[] = [];
  for (const [index, line] of bare.entries()) {
    if (line.trim() === "") continue;
    while (indentOf(bare[open.at(-1) ?? -1] ?? "") >= indentOf(line) && open.length > 0) open.pop();
    parents[index] = open.at(-1) ?? -1;
    open.push(index);
  }
  return (index) => {
    for (let at = parents[index] ?? -1; at !== -1; at = parents[at] ?? -1) {
      const line = bare[at] ?? "";
      if (/^\s*(?:async\s+)?def\b/.test(line)) return false;
      if (/^\s*class\b/.test(line) && !/^\s*class\s+(?:Test|\w+\s*\(\s*\w)/.test(line)) return false;
    }
    return true;
  };
}

/** How tests look in a language, by patterns for a single line of code. */
interface TestLanguage {
  readonly extensions: readonly string[];
  /** Lines that begin like this are comments. */
  readonly comment: RegExp;
  /** Comments and texts over several lines. */
  readonly blocks?: Blocks;
  /** Where a test begins, with its name if the line has one. */
  readonly test?: RegExp;
  /** What makes the function under it a test. */
  readonly attribute?: RegExp;
  /** Whether the runner finds what begins in a line. */
  readonly isRun?: (bare: readonly string[]) => (index: number) => boolean;
  readonly assertion: RegExp;
  /** A test that does not run, or whose failure does not count. */
  readonly skipped: RegExp;
  /** A test that keeps others from running. */
  readonly focused?: RegExp;
  /** A definition that replaces a runner's function. */
  readonly replaced?: RegExp;
}

const SLASHES = /^\s*(?:\/\/|\*)/;
const HASH = /^\s*#/;

const SCRIPT: TestLanguage = {
  extensions: ["js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx", "vue", "svelte", "coffee"],
  comment: SLASHES,
  test: /(?<![\w.$])[xf]?(?:it|test|specify|Deno\.test)(?:(?:\.(?:each|for|concurrent|sequential|serial|parallel|only|skip|todo|fails|failing|fixme|slow|skipIf|runIf|todoIf|if|prop)|\[["']\w+["']\])\b(?:\([^()]*\))?){0,9}\s*[(`]/g,
  assertion:
    /(?<![\w.])(?:expect|assert)\w*(?:\.\w+){0,9}\s*[(<`]|\.should\b|\bt\.(?!skip|todo|plan|test|end|log)\w+\(/g,
  skipped:
    /(?<![\w.])(?:it|test|describe|suite|context|specify|bench|Deno\.test)(?:\.\w+){0,9}(?:\.|\[["'])(?:skip|skipIf|todo|todoIf|runIf|if|fixme|fails?|failing|ignore)\b|(?<![\w.])x(?:it|test|describe|context|specify)\b\s*[.(]|(?<![\w.])(?:this|ctx|context|t|testInfo)\.(?:skip|todo)\(|(?<![\w.])pending\(|\bskip:\s*(?:true\b|["'`])|\b(?:todo|ignore):\s*true\b|\.(?:each|for)\(\s*\[\s*\](?:\s*as\b[^()]{0,200})?\s*\)|(?<![\w.])(?:false|0|null|undefined)\s*&&\s*(?:it|test|describe|expect)\b|\bprocess\.exit\(\s*0?\s*\)/,
  focused:
    /(?<![\w.])(?:it|test|describe|suite|context|specify|bench|Deno\.test)(?:\.\w+){0,9}(?:\.|\[["'])only\b|(?<![\w.])f(?:it|describe|context)\(\s*["'`]|\bonly:\s*true\b/,
  replaced:
    /\b(?:const|let|var)\s+(?:expect|assert)\b[^=]{0,200}=(?!=|\s*(?:(?:await\s+)?(?:require|import)\b|chai\b|[\w.]+\.(?:expect|assert)\b|expect\.))|\b(?:const|let|var)\s+(?:it|test|describe)\s*=\s*(?:async\s*)?(?:\(|function\b|\w+\s*=>)|\bfunction\s+(?:expect|assert|it|test|describe)\s*[(<]|\bglobal(?:This)?\.(?:expect|assert|it|test|describe)\s*=|\bimport\s*(?:\{\s*)?(?:\w+ as )?(?:expect|assert)(?:\s*\})?\s+from\s+["'`]["'`]/,
};

const PYTHON: TestLanguage = {
  extensions: ["py"],
  comment: HASH,
  blocks: {
    start: /[rRbBuUfF]{0,2}(?:"""|''')/,
    end: (start) => (start.endsWith('"') ? /"""/ : /'''/),
  },
  test: /^\s*(?:async\s+)?def\s+(test\w*)\s*\(/g,
  isRun: pythonRuns,
  assertion: /^\s*assert\b|\bassert\w+\s*\(|\bpytest\.(?:raises|warns|fail)\b|\bself\.fail\(/g,
  skipped:
    /\bmark\.(?:skip|skipif|xfail)\b|@(?:\w+\.){0,9}(?:skip|skipIf|skipUnless|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\(|\bskipTest\(|\bSkipTest\b|\b__test__\s*=\s*False\b|\bcollect_ignore\w*\s*=|\bparametrize\(.{0,300},\s{0,9}(?:argvalues\s*=\s*)?(?:\[\s*\]|\(\s*\))\s*[,)]|\bexpand\(\s*\[\s*\]\s*\)|\b(?:sys\.exit|os\._exit)\(\s*0?\s*\)|^del\s+test|^test\w*\s*=\s*(?:None|lambda)\b/,
  replaced:
    /\bdef\s+assert(?:Equals?|True|False|Raises|In|Is|Not|Almost|Count|Dict|List|Greater|Less|Regex)\w*\s*\(|\bpytest\.(?:raises|fail|mark)\s*=(?!=)/,
};

const GO: TestLanguage = {
  extensions: ["go"],
  comment: /^\s*\/\/(?!go:build|\s*\+build\b)/,
  test: /^func\s+(?:\(\w+\s+\*?\w+\)\s+)?((?:Test|Fuzz|Example)(?:[^a-z\W]\w*)?)\s*\(|\b[tb]\.Run\(|(?<![\w.])[PXF]?(?:It|Entry|Specify)\(/g,
  assertion: /\b[tb]\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:assert|require|is|qt)\.\w+\(|\bExpect\(/g,
  skipped:
    /\.(?:Skip|Skipf|SkipNow)\(|^\/\/(?:go:build\b|\s*\+build\b)|\bos\.Exit\(0\)|(?<![\w.])[PX](?:It|Describe|Context|When|Entry)\(/,
  focused: /(?<![\w.])F(?:It|Describe|Context|When|Entry)\(/,
};

const RUST: TestLanguage = {
  extensions: ["rs"],
  comment: SLASHES,
  attribute: /#\[(?:\w+::)*(?:test|rstest|test_case|quickcheck|wasm_bindgen_test|proptest)\b/,
  assertion: /\b(?:debug_)?assert\w*!|\bpanic!|#\[should_panic/g,
  skipped: /#\[ignore\b|#\[cfg_attr\(.{0,200}\bignore\b|#\[cfg\((?:any\(\)|FALSE|false)\)\]/,
  replaced: /\bmacro_rules!\s*(?:debug_)?assert(?:_eq|_ne)?\b/,
};

const JVM: TestLanguage = {
  extensions: ["java", "kt", "kts", "scala", "groovy"],
  comment: SLASHES,
  test: /\bvoid\s+(test\w*)\s*\(|(?<![\w.@])(?:test|it|should|expect|scenario)\s*\(\s*""|""\s+(?:in|should|must|can)\s+(?:\{|"")|(?<![\w.])def\s+""\s*\(/g,
  attribute: /@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b/,
  assertion: /^\s*assert\b|\b(?:assert|verify|expect)\w*\s*[({]|\bAssert\w*\.\w+|\bshould\w*\b|\bfail\(/g,
  skipped:
    /@(?:Disabled|Ignored?|Enabled(?:If|On|For))\w*|Source\((?:\w+\s*=\s*)?\{\s*\}|\benabled\s*=\s*false\b|\bassume\w*\(|\bAssum\w+\.\w+|(?<![\w.])(?:xtest|xit|xdescribe|ignore|pending)\b/,
  replaced:
    /\b(?:void|fun|def)\s+(?:<[^<>]*>\s*)?(?:assert(?:Equals|True|False|Null|NotNull|Same|NotSame|Throws|That|ArrayEquals|NotEquals)|fail)\s*[(<]/,
};

const DOTNET: TestLanguage = {
  extensions: ["cs", "fs", "vb"],
  comment: SLASHES,
  attribute: /\[(?:\w+\s*,\s*)*(?:Fact|Theory|Test|TestCase|TestCaseSource|TestMethod|DataTestMethod|Property)\b/,
  assertion: /\bAssert\w*\.\w+|\.Should\w*\(|\bExpect\w*\.|\.Verify\w*\(/g,
  skipped:
    /\bSkip\s*=|\[(?:Ignore|Explicit)\b|\bExplicit\s*=\s*true\b|\[Conditional(?:Fact|Theory)\b|\bAssert\.(?:Ignore|Inconclusive|Skip)\b/,
  replaced: /\bclass\s+Assert\b/,
};

const SWIFT: TestLanguage = {
  extensions: ["swift", "m", "mm"],
  comment: SLASHES,
  test: /\bfunc\s+(test\w*)\s*\(|(?<![\w.])[xf]?it\(\s*""|^-\s*\(void\)\s*(test\w*)/g,
  attribute: /@Test\b/,
  assertion: /\bXCT(?!Skip)\w+\(|#expect\(|#require\(|\bexpect\(/g,
  skipped: /\bXCTSkip\w*|\.disabled\(|(?<![\w.])x(?:it|describe|context)\(|\bwithKnownIssue\b/,
  focused: /(?<![\w.])f(?:it|describe|context)\(/,
  replaced: /\bfunc\s+XCTAssert\w*\s*[(<]/,
};

const PHP: TestLanguage = {
  extensions: ["php"],
  comment: /^\s*(?:\/\/|\*|#(?!\[))/,
  test: /\bfunction\s+(test\w*)\s*\(|(?<![\w.$>])(?:it|test)\(\s*(?:""|'')/g,
  attribute: /#\[(?:\w+\\)*Test\b/,
  assertion: /\bassert\w*\(|\bexpect\w*\(/g,
  skipped: /\bmarkTest(?:Skipped|Incomplete)\b|->(?:skip|todo)\(/,
  focused: /->only\(/,
  replaced: /\bfunction\s+(?:assert(?:Same|Equals|True|False|Null|NotNull|Count|Contains|InstanceOf)|expect|fail)\s*\(/,
};

const RUBY: TestLanguage = {
  extensions: ["rb"],
  comment: HASH,
  blocks: { start: /^=begin\b|^__END__$/, end: (start) => (start === "=begin" ? /^=end\b/ : NOTHING_MORE) },
  test: /(?<![\w.:@$])[xf]?(?:it|specify|example|scenario|test)\s*(?:\(|""|''|\{|do\b)|\bdef\s+(test_\w+)/g,
  assertion: /\bexpect\s*[({]|\b(?:assert|refute)\w*\b|\.should\w*\b|\.(?:must|wont)_\w+|\bis_expected\b/g,
  skipped:
    /(?<![\w.:])(?:xit|xdescribe|xcontext|xspecify|xexample|pending|skip)\b|[\s,(]:?(?:skip|pending):?(?=\s|,|$)|[\s,(]:?if(?::|\s*=>)\s*false\b/,
  focused: /(?<![\w.])(?:fit|fdescribe|fcontext|focus)\b|[\s,(]:focus\b/,
  replaced: /\bdef\s+(?:self\.)?(?:expect|assert|refute|assert_(?:equal|nil|raises|includes|in_delta|empty|match))\b/,
};

const ELIXIR: TestLanguage = {
  extensions: ["exs", "ex"],
  comment: HASH,
  blocks: NO_BLOCKS,
  test: /^\s*(?:test|property)\s*\(?\s*""/g,
  assertion: /\b(?:assert|refute)\w*\b/g,
  skipped: /@(?:module|describe)?tag\b.{0,200}\b(?:skip|pending|ignore)\b/,
  replaced: /\bdef(?:macro)?p?\s+(?:assert|refute)\b/,
};

const C: TestLanguage = {
  extensions: ["c", "cc", "cpp", "cxx", "h", "hpp"],
  comment: SLASHES,
  test: /\b(?:TEST|TEST_F|TEST_P|TYPED_TEST|TYPED_TEST_P|TEST_CASE|TEST_CASE_METHOD|SCENARIO|SECTION|SUBCASE|BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE|START_TEST|RUN_TEST|Test|ParameterizedTest|cmocka_unit_test|tcase_add_test)\s*\(/g,
  assertion: /\b(?:TEST_)?(?:ASSERT|EXPECT|CHECK|REQUIRE|FAIL)\w*\s*\(|\bassert\w*\s*\(/g,
  skipped: /\bDISABLED_\w|\bGTEST_SKIP\b|\bTEST_IGNORE\b|(?<!\w)SKIP\s*\(/,
  replaced: /^\s*#\s*define\s+(?:NDEBUG|assert|(?:TEST_)?(?:ASSERT|EXPECT|CHECK|REQUIRE)\w*)\b/,
};

const DART: TestLanguage = {
  extensions: ["dart"],
  comment: SLASHES,
  test: /(?<![\w.])(?:test|testWidgets|blocTest|testGoldens)(?:<[^<>]*>)?\(/g,
  assertion: /\bexpect\w*\(|\bverify\w*\(/g,
  skipped: /\bskip:\s*(?!false\b)|@Skip\b/,
  focused: /\bsolo:\s*true\b|\bsolo_\w+\(/,
  replaced: /\bvoid\s+expect\s*\(/,
};

const SHELL: TestLanguage = {
  extensions: ["sh", "bash", "bats", "zsh", "ps1"],
  comment: HASH,
  blocks: { start: /^<#/, end: () => /#>/ },
  test: /^\s*@test\s|^\s*(?:function\s+)?(test\w*)\s*\(\)|^\s*It\s+(?:""|'')/g,
  assertion: /\bassert\w*\b|^\s*\[.*\]\]?\s*$|\bexit 1\b|\bShould\b/g,
  skipped: /^\s*skip\b|\s-Skip\b|^\s*(?:\[|test\s|assert).*\|\|\s*(?:true|:)\s*$/,
  replaced: /^\s*(?:function\s+)?assert\w*\s*\(\)/,
};

const PERL: TestLanguage = {
  extensions: ["t", "pl"],
  comment: HASH,
  blocks: { start: /^=(?!cut)[a-z]+|^__END__$/, end: (start) => (start === "__END__" ? NOTHING_MORE : /^=cut\b/) },
  test: /(?<![\w$>])subtest\s|\bsub\s+(\w+)\s*:\s*Tests?\b/g,
  assertion: /(?<![\w$>])(?:ok|is|isnt|like|unlike|cmp_ok|is_deeply|can_ok|isa_ok|fail)\s*\(/g,
  skipped: /\bskip_all\b|(?<![\w$>])skip\b|\bTODO:/,
  replaced: /\bsub\s+(?:ok|is|isnt|like|unlike|cmp_ok|is_deeply)\b/,
};

const GHERKIN: TestLanguage = {
  extensions: ["feature"],
  comment: HASH,
  blocks: NO_BLOCKS,
  test: /^\s*(?:Scenario|Scenario Outline|Scenario Template|Example)\s*:\s*(.*)/g,
  assertion: /^\s*Then\b/g,
  skipped: /@(?:skip|ignore|wip|disabled|pending)\b/i,
  focused: /@(?:only|focus)\b/i,
};

const LUA: TestLanguage = {
  extensions: ["lua", "clj", "cljs", "hs", "ml", "jl", "r", "R"],
  comment: /^\s*(?:--|;|#)/,
  blocks: {
    start: /--\[\[|^\s*(?:\{-|\(\*)/,
    end: (start) => (start.endsWith("[") ? /\]\]/ : start.endsWith("-") ? /-\}/ : /\*\)/),
  },
  test: /(?<![\w.])[xf]?it\s*(?:\(|"")|\(deftest\s+([\w-]+)|\btest_that\(|@testset\b|\btestCase\s+""|\bfunction\s+(?:\w+[.:])?(test\w*)\s*\(/g,
  assertion: /\bassert\w*\b|\bexpect_\w+|\bshould\w*\b|\(is\s|@test\b/g,
  skipped: /(?<![\w.])(?:pending|skip|xit|xdescribe)\b|@test_(?:skip|broken)\b/,
};

const TEST_LANGUAGES: readonly TestLanguage[] = [
  ...[SCRIPT, PYTHON, GO, RUST, JVM, DOTNET, SWIFT, PHP, RUBY, ELIXIR, C, DART, SHELL, PERL, GHERKIN, LUA],
];
