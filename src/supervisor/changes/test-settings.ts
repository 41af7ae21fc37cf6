import { basename } from "node:path";
import { isTestScript } from "./check-uses.ts";
import { isElsewhere } from "./test-languages.ts";

/** "ci" if it can only be weakened, "tests" if adding it can also change how existing tests run. */
export function configurationKind(path: string): "ci" | "tests" | undefined {
  if (isElsewhere(path)) return undefined;
  if (CI_PATHS.some((pattern) => pattern.test(path))) return "ci";
  return TEST_NAMES.some((pattern) => pattern.test(basename(path))) ? "tests" : undefined;
}

/** Files with other things in them as well, of which only some sections are about tests. */
export function hasTestSections(path: string): boolean {
  return !isElsewhere(path) && readerOf(path) !== undefined;
}

/** The sections of such a file that are about tests, by how they are shown, without comments and layout. */
export function testSections(path: string, text: string): ReadonlyMap<string, string> {
  return readerOf(path)?.sections(text) ?? new Map();
}

/** Whether a section matters if it is new. A new target of a Makefile takes nothing from the others. */
export function mattersIfNew(path: string, section: string): boolean {
  return readerOf(path)?.sections !== makeTargets || MAKE_SETTINGS.test(section);
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
  /^bunfig\.toml$|^nextest\.toml$|^junit-platform\.properties$/,
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

/** Errors that do not count, and another shell. */
const MAKE_SETTINGS = /^(?:MAKEFLAGS|GNUMAKEFLAGS|SHELL|\.SHELLFLAGS|\.IGNORE)$/;

/** Plugins that run or judge tests, and properties that skip them. A new version of a plugin is none of that. */
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

/** Without parts such as comments. One that never ends reaches to the end of the text. */
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

const READERS: readonly SectionReader[] = [
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
