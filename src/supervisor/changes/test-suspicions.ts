import { shownName } from "../../text/file-names.ts";
import type { Suspicion, TextChange } from "./changes.ts";
import {
  isNamedTest,
  isTestFile,
  mayContainTests,
  readTests,
  type TestMark,
  type TestMarks,
} from "./test-languages.ts";

/** What happened to tests: deleted, newly skipped or focused, fewer tests or assertions. */
export function testSuspicions(changes: readonly TextChange[]): Suspicion[] {
  const seen = changes.flatMap(compareMarks);
  const movedMarks = movable(seen, ({ removed }) => [...removed.skipped, ...removed.focused]);
  const lost = lossesOf(seen);
  return [
    ...changes.flatMap((change) => deletedTest(change, lost)),
    ...seen.flatMap(({ path, added }) => [
      ...newMarks("skipped", path, movedMarks(added.skipped)),
      ...newMarks("focused", path, movedMarks(added.focused)),
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

/** A renamed test that is still one is not deleted, nor is one whose tests are all in other files now. */
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

interface ComparedMarks {
  readonly path: string;
  readonly isDeleted: boolean;
  readonly isNew: boolean;
  readonly before: TestMarks;
  readonly after: TestMarks;
  /** Those that are only in the file now, or were only in it before. */
  readonly added: TestMarks;
  readonly removed: TestMarks;
}

function compareMarks(change: TextChange): ComparedMarks[] {
  const { path, from = path, kind, before: old, after: now } = change;
  if (old === undefined || now === undefined || !(mayContainTests(path) || mayContainTests(from))) return [];
  const [before, after] = [readTests(from, old), readTests(path, now)];
  // Code among the data of tests counts if it contained tests.
  const isData = ![from, path].some((each) => isTestFile(each) || each.endsWith(".rs"));
  if (isData && before.tests.length === 0) return [];
  const isDeleted = kind === "deleted" || isLost(from, path);
  const compared = { before, after, added: without(after, before), removed: without(before, after) };
  return [{ path, isDeleted, isNew: kind === "added", ...compared }];
}

function without(some: TestMarks, others: TestMarks): TestMarks {
  const only = (kind: keyof TestMarks) => notIn(some[kind], others[kind]);
  return {
    tests: only("tests"),
    assertions: only("assertions"),
    skipped: only("skipped"),
    focused: only("focused"),
    replaced: only("replaced"),
  };
}

function notIn(marks: readonly TestMark[], others: readonly TestMark[]): TestMark[] {
  const known = counted(others);
  return marks.filter(({ key }) => !take(known, key));
}

/** Leaves out marks that another file lost or gained: they moved. */
function movable(seen: readonly ComparedMarks[], marksOf: (file: ComparedMarks) => readonly TestMark[]) {
  const others = counted(seen.flatMap(marksOf));
  return (marks: readonly TestMark[]) => marks.filter(({ key }) => !take(others, key));
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
  const count = marks.length === 1 ? "1 test" : `${marks.length} tests`;
  const text = `${shownName(path)}: ${count} newly ${what} (${shownLines(marks)})`;
  return [{ kind: `${what} tests`, path, text }];
}

function shownLines(marks: readonly TestMark[]): string {
  const shown = marks.slice(0, MOST_SHOWN).map(({ line, text }) => `line ${line}: ${shortLine(text)}`);
  return [...shown, ...(marks.length > shown.length ? ["…"] : [])].join("; ");
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

/** What a file has lost, without what is in another file now. */
interface Loss {
  readonly tests: readonly TestMark[];
  readonly assertions: number;
  /** Whether all that was in it is in other files now. */
  readonly isAllElsewhere: boolean;
}

interface Losses {
  readonly of: (path: string) => Loss | undefined;
  /** How many more assertions there are in files that have more than before. */
  readonly gained: number;
}

function lossesOf(seen: readonly ComparedMarks[]): Losses {
  // A test that a runner finds by the name of its file has moved only if it is in such a file again.
  const pools = [true, false].map((mustBeNamed) => {
    const files = seen.filter(({ path, isDeleted }) => !isDeleted && (!mustBeNamed || isNamedTest(path)));
    return {
      tests: movable(files, ({ added }) => added.tests),
      assertions: movable(files, ({ added }) => added.assertions),
    };
  });
  const losses = new Map<string, Loss>();
  for (const { path, isDeleted, before, after, removed } of seen) {
    const pool = pools[isNamedTest(path) ? 0 : 1];
    if (pool === undefined) continue;
    const [tests, assertions] = [pool.tests(removed.tests), pool.assertions(removed.assertions)];
    const fewer = (kind: "tests" | "assertions", gone: readonly TestMark[]) =>
      Math.max(0, before[kind].length - after[kind].length - (removed[kind].length - gone.length));
    losses.set(path, {
      tests: fewer("tests", tests) > 0 ? tests : [],
      assertions: fewer("assertions", assertions),
      isAllElsewhere: isDeleted && before.tests.length > 0 && tests.length + assertions.length === 0,
    });
  }
  const more = ({ before, after }: ComparedMarks) => Math.max(0, after.assertions.length - before.assertions.length);
  return { of: (path) => losses.get(path), gained: seen.reduce((sum, file) => sum + more(file), 0) };
}

function lostTests({ path, isDeleted, before, after }: ComparedMarks, { of, gained }: Losses): Suspicion[] {
  const loss = of(path);
  if (isDeleted || loss === undefined || loss.tests.length + loss.assertions === 0) return [];
  const tests = `${countOf(after.tests, "test")}, ${before.tests.length} before (gone: ${shownNames(loss.tests)})`;
  const assertions = `${countOf(after.assertions, "assertion")}, ${before.assertions.length} before`;
  const elsewhere = loss.assertions > 0 && gained > 0 ? `; other test files have ${gained} more` : "";
  const lost = [...(loss.tests.length > 0 ? [tests] : []), ...(loss.assertions > 0 ? [assertions] : [])].join("; ");
  const kind = loss.tests.length > 0 ? "lost tests" : "lost assertions";
  return [{ kind, path, text: `${shownName(path)} has ${lost}${elsewhere}` }];
}

function countOf(marks: readonly TestMark[], what: string): string {
  return marks.length === 1 ? `1 ${what}` : `${marks.length || "no"} ${what}s`;
}

function shownNames(marks: readonly TestMark[]): string {
  const names = marks.slice(0, MOST_SHOWN).map(({ text }) => shortLine(text));
  return [...names, ...(marks.length > names.length ? ["…"] : [])].join(", ");
}

/** An `expect` of one's own need not check anything. In a new file it replaces nothing. */
function replacedAssertions({ path, isNew, before, added }: ComparedMarks): Suspicion[] {
  if (isNew || added.replaced.length === 0 || before.tests.length + before.assertions.length === 0) return [];
  const text = `${shownName(path)} now defines its own assertions or tests (${shownLines(added.replaced)})`;
  return [{ kind: "lost assertions", path, text }];
}

/** Nothing can be said about the tests in it. */
function isUnknown({ path, kind, before, after }: TextChange): boolean {
  return isTestFile(path) && kind !== "deleted" && (before === undefined || after === undefined);
}
