/** Whether a path is one that test runners look for, or code in a folder of tests. */
export function isTestFile(path: string): boolean {
  if (languageOf(path) === undefined || isForeign(path)) return false;
  return isNamedTest(path) || isInTestFolder(path);
}

/** By its own name, not by its folder. */
export function isNamedTest(path: string): boolean {
  return languageOf(path) !== undefined && !isForeign(path) && NAMES.some((pattern) => pattern.test(baseName(path)));
}

/** Rust has unit tests in the files that they test. */
export function mayContainTests(path: string): boolean {
  return isTestFile(path) || (path.endsWith(".rs") && !isForeign(path));
}

export function languageOf(path: string): TestLanguage | undefined {
  const [, extension = ""] = /\.(\w+)$/.exec(path) ?? [];
  return TEST_LANGUAGES.find(({ extensions }) => extensions.includes(extension));
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
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
export interface TestLanguage {
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

export const TEST_LANGUAGES: readonly TestLanguage[] = [
  ...[SCRIPT, PYTHON, GO, RUST, JVM, DOTNET, SWIFT, PHP, RUBY, ELIXIR, C, DART, SHELL, PERL, GHERKIN, LUA],
];
