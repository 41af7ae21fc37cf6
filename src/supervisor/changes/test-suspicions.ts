/** What is suspicious about changed tests, and which files decide how tests run. */
import { basename } from "node:path";
import { shownName } from "../../os/names.ts";
import type { Suspicion, TextChange } from "./changes.ts";
import { isTestScript } from "./check-uses.ts";
import {
  isElsewhere,
  isNamedTest,
  isTestFile,
  mayContainTests,
  readTests,
  type TestContents,
  type TestItem,
} from "./test-languages.ts";

/** Suspicious changes of tests: deleted, newly skipped or focused, fewer tests or assertions. */
export function testSuspicions(changes: readonly TextChange[]): Suspicion[] {
  const seen = changes.flatMap(compareTests);
  const notMoved = withoutMoved(seen, ({ removed }) => [...removed.skipped, ...removed.focused]);
  const lost = lossesOf(seen);
  return [
    ...changes.flatMap((change) => deletedTest(change, lost)),
    ...seen.flatMap(({ path, added }) => [
      ...newItems("skipped", path, notMoved(added.skipped)),
      ...newItems("focused", path, notMoved(added.focused)),
    ]),
    ...seen.flatMap((file) => lostTests(file, lost)),
    ...seen.flatMap(replacedAssertions),
    ...changes.filter(isUnknown).map(({ path }): Suspicion => {
      return {
        kind: "not compared",
        path,
        text: `${shownName(path)} changed, but could not be read to compare its tests`,
      };
    }),
  ];
}

/** "ci" if it can only be weakened, "tests" if adding it can also change how existing tests run. */
export function configurationKind(path: string): "ci" | "tests" | undefined {
  if (isElsewhere(path)) return undefined;
  if (CI_PATHS.some((pattern) => pattern.test(path))) return "ci";
  return TEST_NAMES.some((pattern) => pattern.test(basename(path))) ? "tests" : undefined;
}

/** Whether only some sections of a file are about tests. */
export function hasTestSections(path: string): boolean {
  return !isElsewhere(path) && readerOf(path) !== undefined;
}

/** The sections of such a file that are about tests, by the names that messages use, without comments and layout. */
export function testSections(path: string, text: string): ReadonlyMap<string, string> {
  return readerOf(path)?.sections(text) ?? new Map();
}

/** Whether a section matters if it is new. A new target of a Makefile takes nothing from the others. */
export function mattersIfNew(path: string, section: string): boolean {
  return readerOf(path)?.sections !== makeTargets || MAKE_SETTINGS.test(section);
}

/** A file that was renamed and is still a test is not deleted, nor is one whose tests are all in other files now. */
function deletedTest({ path, kind, from, before = "" }: TextChange, { of }: Losses): Suspicion[] {
  const old = from ?? path;
  if (kind !== "deleted" && kind !== "renamed") return [];
  const hadTests = () => mayContainTests(old) && !old.endsWith(".rs") && readTests(old, before).tests.length > 0;
  if (!isTestFile(old) && !hadTests()) return [];
  if (kind === "deleted")
    return of(path)?.isAllElsewhere ? [] : [{ kind: "deleted test", path, text: `${shownName(path)} was deleted` }];
  if (!isLost(old, path)) return [];
  const text = `${shownName(old)} was renamed to ${shownName(path)}, which is not the name of a test`;
  return [{ kind: "deleted test", path: old, text }];
}

/** Whether a rename makes a test something else. In Rust every file in the folder is a test. */
function isLost(from: string, path: string): boolean {
  if (isNamedTest(from) && !from.endsWith(".rs")) return !isNamedTest(path);
  return isTestFile(from) && !isTestFile(path);
}

interface ComparedTests {
  readonly path: string;
  readonly isDeleted: boolean;
  readonly isNew: boolean;
  readonly before: TestContents;
  readonly after: TestContents;
  /** What only the new file has, and what only the old one had. */
  readonly added: TestContents;
  readonly removed: TestContents;
}

function compareTests(change: TextChange): ComparedTests[] {
  const { path, from = path, kind, before: old, after: now } = change;
  if (old === undefined || now === undefined || !(mayContainTests(path) || mayContainTests(from))) return [];
  const [before, after] = [readTests(from, old), readTests(path, now)];
  // Code among test data counts only if it contained tests.
  const isData = ![from, path].some((each) => isTestFile(each) || each.endsWith(".rs"));
  if (isData && before.tests.length === 0) return [];
  const isDeleted = kind === "deleted" || isLost(from, path);
  const compared = { before, after, added: without(after, before), removed: without(before, after) };
  return [{ path, isDeleted, isNew: kind === "added", ...compared }];
}

function without(some: TestContents, others: TestContents): TestContents {
  const only = (kind: keyof TestContents) => notIn(some[kind], others[kind]);
  return {
    tests: only("tests"),
    assertions: only("assertions"),
    skipped: only("skipped"),
    focused: only("focused"),
    replaced: only("replaced"),
  };
}

function notIn(items: readonly TestItem[], others: readonly TestItem[]): TestItem[] {
  const known = counted(others);
  return items.filter(({ key }) => !take(known, key));
}

/** Leaves out items that another file lost or gained: they moved. */
function withoutMoved(seen: readonly ComparedTests[], itemsOf: (file: ComparedTests) => readonly TestItem[]) {
  const others = counted(seen.flatMap(itemsOf));
  return (items: readonly TestItem[]) => items.filter(({ key }) => !take(others, key));
}

function counted(items: readonly TestItem[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { key } of items) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function take(counts: Map<string, number>, key: string): boolean {
  const left = counts.get(key) ?? 0;
  counts.set(key, left - 1);
  return left > 0;
}

function newItems(what: "skipped" | "focused", path: string, items: readonly TestItem[]): Suspicion[] {
  if (items.length === 0) return [];
  const count = items.length === 1 ? "1 test" : `${items.length} tests`;
  const text = `${shownName(path)}: ${count} newly ${what} (${shownLines(items)})`;
  return [{ kind: `${what} tests`, path, text }];
}

function shownLines(items: readonly TestItem[]): string {
  const shown = items.slice(0, MOST_SHOWN).map(({ line, text }) => `line ${line}: ${shortLine(text)}`);
  return [...shown, ...(items.length > shown.length ? ["…"] : [])].join("; ");
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

/** What a file has lost that no other file has gained. */
interface Loss {
  readonly tests: readonly TestItem[];
  readonly assertions: number;
  /** Whether all that was in it is in other files now. */
  readonly isAllElsewhere: boolean;
}

interface Losses {
  readonly of: (path: string) => Loss | undefined;
  /** How many more assertions there are in files that have more than before. */
  readonly gained: number;
}

function lossesOf(seen: readonly ComparedTests[]): Losses {
  // A test that a runner finds by the name of its file has moved only if it is in such a file again.
  const pools = [true, false].map((mustBeNamed) => {
    const files = seen.filter(({ path, isDeleted }) => !isDeleted && (!mustBeNamed || isNamedTest(path)));
    return {
      tests: withoutMoved(files, ({ added }) => added.tests),
      assertions: withoutMoved(files, ({ added }) => added.assertions),
    };
  });
  const losses = new Map<string, Loss>();
  for (const { path, isDeleted, before, after, removed } of seen) {
    const pool = pools[isNamedTest(path) ? 0 : 1];
    if (pool === undefined) continue;
    const [tests, assertions] = [pool.tests(removed.tests), pool.assertions(removed.assertions)];
    const fewer = (kind: "tests" | "assertions", gone: readonly TestItem[]) =>
      Math.max(0, before[kind].length - after[kind].length - (removed[kind].length - gone.length));
    losses.set(path, {
      tests: fewer("tests", tests) > 0 ? tests : [],
      assertions: fewer("assertions", assertions),
      isAllElsewhere: isDeleted && before.tests.length > 0 && tests.length + assertions.length === 0,
    });
  }
  const more = ({ before, after }: ComparedTests) => Math.max(0, after.assertions.length - before.assertions.length);
  return { of: (path) => losses.get(path), gained: seen.reduce((sum, file) => sum + more(file), 0) };
}

function lostTests({ path, isDeleted, before, after }: ComparedTests, { of, gained }: Losses): Suspicion[] {
  const loss = of(path);
  if (isDeleted || loss === undefined || loss.tests.length + loss.assertions === 0) return [];
  const tests = `${countOf(after.tests, "test")}, ${before.tests.length} before (gone: ${shownNames(loss.tests)})`;
  const assertions = `${countOf(after.assertions, "assertion")}, ${before.assertions.length} before`;
  const elsewhere = loss.assertions > 0 && gained > 0 ? `; other test files have ${gained} more` : "";
  const lost = [...(loss.tests.length > 0 ? [tests] : []), ...(loss.assertions > 0 ? [assertions] : [])].join("; ");
  const kind = loss.tests.length > 0 ? "lost tests" : "lost assertions";
  return [{ kind, path, text: `${shownName(path)} has ${lost}${elsewhere}` }];
}

function countOf(items: readonly TestItem[], what: string): string {
  return items.length === 1 ? `1 ${what}` : `${items.length || "no"} ${what}s`;
}

function shownNames(items: readonly TestItem[]): string {
  const names = items.slice(0, MOST_SHOWN).map(({ text }) => shortLine(text));
  return [...names, ...(items.length > names.length ? ["…"] : [])].join(", ");
}

/** An `expect` that the file defines itself need not check anything. In a new file it replaces nothing. */
function replacedAssertions({ path, isNew, before, added }: ComparedTests): Suspicion[] {
  const replaced = added.replaced.filter((item) => !OF_PACKAGE.test(item.text));
  if (isNew || replaced.length === 0 || before.tests.length + before.assertions.length === 0) return [];
  const text = `${shownName(path)} now defines its own assertions or tests (${shownLines(replaced)})`;
  return [{ kind: "lost assertions", path, text }];
}

/** `import assert from "node:assert"`, and not under another name. */
const OF_PACKAGE = /^import\b(?!.* as ).*\bfrom\s+["']@?\w/;

/** Whether the tests in a file could not be read. */
function isUnknown({ path, kind, before, after }: TextChange): boolean {
  return isTestFile(path) && kind !== "deleted" && (before === undefined || after === undefined);
}

interface SectionReader {
  readonly names: RegExp;
  readonly sections: (text: string) => Map<string, string>;
}

function readerOf(path: string): SectionReader | undefined {
  return READERS.find(({ names }) => names.test(basename(path)));
}

const CI_PATHS = [
  /^\.github\/(?:workflows|actions)\//,
  /^\.(?:circleci|buildkite|woodpecker|teamcity|husky|ci)\//,
  /^\.gitlab-ci[\w.-]*\.ya?ml$|^\.gitlab\/ci\//,
  /^\.?(?:travis|drone|woodpecker|appveyor|cirrus)\.ya?ml$/,
  /^(?:azure-pipelines|bitbucket-pipelines|cloudbuild|buildspec)[\w.-]*\.ya?ml$/,
  /^Jenkinsfile/,
  /^\.pre-commit-config\.ya?ml$|^\.?lefthook\.\w+$/,
];

const TEST_NAMES = [
  // Runners.
  /^(?:jest|vitest|karma|playwright|cypress|wdio|ava|web-test-runner|nightwatch|stryker)[\w.-]*\.conf(?:ig)?\.\w+$/,
  /^(?:jest|vitest)[\w.-]*\.(?:setup|preset|workspace|projects)[\w.-]*\.\w+$|^setupTests\.\w+$/,
  /^\.(?:mocharc|nycrc|c8rc|taprc|jestrc|testcaferc)(?:\.\w+)?$|^(?:cypress|jasmine)\.json$/,
  /^bunfig\.toml$|^nextest\.toml$|^junit-platform\.properties$|^maven\.config$|\.runsettings$/,
  /^(?:pytest|tox)\.ini$|^\.?pytest\.toml$|^conftest\.py$|^noxfile\.py$/,
  /^phpunit[\w.-]*\.xml(?:\.dist)?$|^Pest\.php$|^\.rspec$|^codeception\.ya?ml$/,
  // Coverage.
  /^\.coveragerc$|^\.?codecov\.ya?ml$|^\.simplecov$|^tarpaulin\.toml$/,
  // Linters and type checkers.
  /^eslint\.config\.\w+$|^\.(?:eslintrc|stylelintrc|jshintrc)(?:\.\w+)?$|^\.eslintignore$|^stylelint\.config\.\w+$|^tslint\.json$/,
  /^biome\.jsonc?$|^\.?oxlintrc\.json$|^\.?ruff\.toml$|^\.flake8$|^\.?pylintrc$|^\.?mypy\.ini$|^pyrightconfig\.json$/,
  /^\.rubocop(?:_todo)?\.yml$|^\.golangci\.(?:ya?ml|toml|json)$|^\.?clippy\.toml$|^\.swiftlint\.yml$/,
  /^phpstan[\w.-]*\.neon(?:\.dist)?$|^psalm\.xml(?:\.dist)?$|^detekt\.yml$|^checkstyle\.xml$|^\.credo\.exs$/,
];

function tables(wanted: RegExp): SectionReader["sections"] {
  return (text) => tablesOf(text, wanted);
}

/** The sections of an INI or TOML file, without comments and empty lines. */
function tablesOf(text: string, wanted: RegExp): Map<string, string> {
  const sections = new Map<string, string>();
  let name = "";
  for (const line of text.split("\n").map((each) => each.trim())) {
    const [, header] = /^\[{1,2}\s*(\w[\w.:"'@*/ -]*?)\s*\]{1,2}\s*(?:[#;].*)?$/.exec(line) ?? [];
    name = header?.replaceAll(/["']/g, "") ?? name;
    const isComment = line === "" || /^[#;]/.test(line);
    if (wanted.test(name) && !isComment) add(sections, `[${name}]`, line);
  }
  return sections;
}

function add(sections: Map<string, string>, name: string, line: string): void {
  sections.set(name, `${sections.get(name) ?? ""}${line.replaceAll(/\s+/g, " ")}\n`);
}

/** The targets of a Makefile or justfile that are about tests by their names, and settings that concern every target. */
function makeTargets(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  const isAboutTests = (name: string) => isTestScript(name.toLowerCase()) || MAKE_SETTINGS.test(name);
  let targets: readonly string[] = [];
  for (const line of text.replaceAll(/\\\r?\n/g, " ").split(/\r?\n/)) {
    const [, variable = "", value = ""] = /^(?:export\s+)?([\w.-]+)\s*[:?+!]{0,3}=(.*)$/.exec(line) ?? [];
    // A recipe of just may have parameters after its name.
    const [, names, needs = ""] = /^([^\s:=#][^:=#]*)::?(?!=)(.*)$/.exec(line) ?? [];
    if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
    if (variable !== "") {
      targets = [];
      if (isAboutTests(variable)) add(sections, variable, value);
    } else if (names !== undefined) {
      targets = names.split(/\s+/).filter(isAboutTests);
      for (const target of targets) add(sections, target, needs.trim());
    } else for (const target of targets) add(sections, target, line.trim());
  }
  return sections;
}

/** Settings that ignore errors or choose another shell. */
const MAKE_SETTINGS = /^(?:MAKEFLAGS|GNUMAKEFLAGS|SHELL|\.SHELLFLAGS|\.IGNORE)$/;

/** Plugins that run or judge tests, and properties that skip them. A new version of a plugin does not count. */
function mavenSettings(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  const xml = withoutBlocks(withoutBlocks(text, "<!--", "-->"), "<version>", "</version>");
  for (const rest of xml.split("<plugin>").slice(1)) {
    const [plugin = ""] = rest.split("</plugin>", 1);
    const [, name = ""] = /<artifactId>([^<]{0,200})<\/artifactId>/.exec(plugin) ?? [];
    if (TEST_PLUGINS.test(name)) add(sections, name.trim(), plugin);
  }
  for (const [element = "", name = ""] of xml.matchAll(/<([\w.-]{1,100})>[^<]{0,500}(?=<)/g))
    if (TEST_PROPERTIES.test(name)) add(sections, name, element);
  return sections;
}

const TEST_PLUGINS = /surefire|failsafe|jacoco|pitest|checkstyle|spotbugs|pmd|invoker|enforcer|gmavenplus|scalatest/;
const TEST_PROPERTIES = /skip\w*(?:Tests?|ITs?)|test[.\w]*(?:skip|ignore)|testSource|testExclude/i;

/** Without parts such as comments. One without an end reaches to the end of the text. */
function withoutBlocks(text: string, start: string, end: string): string {
  const [first = "", ...others] = text.split(start);
  const after = (part: string) => (part.includes(end) ? part.slice(part.indexOf(end) + end.length) : "");
  return first + others.map(after).join("");
}

/** The blocks about tests in a Gradle or sbt file, and lines that switch them off. */
function gradleSettings(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  let name = "";
  let depth = 0;
  for (const line of withoutBlocks(text, "/*", "*/").split(/\r?\n/)) {
    const code = line.replace(/(?<!:)\/\/.*$/, "").trim();
    if (code === "") continue;
    if (depth === 0) name = gradleBlock(code);
    if (name !== "") {
      add(sections, name, code);
      depth = Math.max(0, depth + code.split("{").length - code.split("}").length);
    } else if (isGradleSetting(code)) add(sections, code, code);
  }
  return sections;
}

/** The name of a block that is about tests: `test`, `tasks.named<Test>("test")`. */
function gradleBlock(code: string): string {
  const name = code.slice(0, Math.min(LONGEST_NAME, Math.max(0, code.indexOf("{")))).trim();
  return GRADLE_BLOCKS.test(name) || /^(?:tasks\.)?(?:withType|named|register)\b.*test/i.test(name) ? name : "";
}

const LONGEST_NAME = 200;
const GRADLE_BLOCKS =
  /^(?:tasks\.)?(?:test|check|integrationTest|functionalTest|jacoco\w*|kover\w*|detekt|checkstyle|spotbugs|pmd|ktlint|testOptions|testing)$/i;

function isGradleSetting(code: string): boolean {
  const isSwitch = /\b(?:enabled|onlyIf|exclude\w{0,30}|skip)\b/.test(code) && /test|check/i.test(code);
  return isSwitch || /\bignoreFailures\b|\bskipTests?\b|^[Tt]est ?\/|^(?:test|skip)\w{0,30}\s?=/.test(code);
}

/** The commands that register tests with CTest. */
function cmakeTests(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const [call = "", name = ""] = CMAKE_TESTS.exec(line) ?? [];
    if (call !== "" && !line.trimStart().startsWith("#")) add(sections, name, line.trim());
  }
  return sections;
}

const CMAKE_TESTS =
  /\b(enable_testing|add_test|add_subdirectory\( ?tests?\b|gtest_\w{1,30}|catch_discover_tests|set_tests_properties)\b/;

/** What vitest reads of vite's configuration: the property `test`, up to the bracket that closes it. */
function vitestSettings(text: string): Map<string, string> {
  const sections = new Map<string, string>();
  let depth = 0;
  for (const line of withoutBlocks(text, "/*", "*/").split(/\r?\n/)) {
    const code = line.replace(/(?<!:)\/\/.*$/, "").trim();
    const settings = depth > 0 ? code : code.slice(code.search(/(?<![\w.])test\s*:|$/));
    if (settings === "") continue;
    add(sections, "test", settings);
    depth = Math.max(0, depth + settings.split(/[{[(]/).length - settings.split(/[}\])]/).length);
  }
  return sections;
}

const READERS: readonly SectionReader[] = [
  { names: /^vite\.config\.\w+$/, sections: vitestSettings },
  {
    names: /^pyproject\.toml$/,
    sections: tables(/^tool\.(?:pytest|coverage|tox|nox|ruff|mypy|pylint|pyright|flake8|poe|hatch\.envs)\b/),
  },
  { names: /^setup\.cfg$/, sections: tables(/^(?:tool:pytest|flake8|coverage|mypy|pylint|pycodestyle)\b/) },
  { names: /^Cargo\.toml$/, sections: tables(/^(?:test|lints|workspace\.lints)\b/) },
  { names: /^(?:GNU)?[Mm]akefile$|\.mk$|^\.?[jJ]ustfile$/, sections: makeTargets },
  { names: /^pom\.xml$/, sections: mavenSettings },
  { names: /\.gradle(?:\.kts)?$|^gradle\.properties$|^build\.sbt$/, sections: gradleSettings },
  { names: /^CMakeLists\.txt$/, sections: cmakeTests },
];
