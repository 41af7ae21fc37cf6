import { TEST_LANGUAGES, type TestLanguage } from "./test-languages.ts";

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
