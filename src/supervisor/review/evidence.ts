import { basename, dirname } from "node:path";
import type { ReviewerLook } from "../../claude/stream.ts";
import type { Changes } from "../changes/changes.ts";
import type { CheckResult } from "../checks/result.ts";
import { unmet } from "../criteria.ts";
import type { Dispute, RuledLedger } from "../ledger.ts";
import type { Verdict } from "./verdict.ts";

/** What a verdict lacks, in sentences for the reviewer. */
export function missingFrom(verdict: Verdict, stop: ReviewedStop): string[] {
  if (verdict.needsUser) return [];
  if (verdict.completed) return missingEvidence(verdict, stop);
  const unruled = stop.disputes.filter(({ id }) => !stop.ruled.includes(id));
  return unruled.map(({ id }) => `the agent disputes ${id}, and it does not rule on that`);
}

/** A finished review, and what its verdict is based on. */
export interface ReviewedStop extends RuledLedger {
  /** What the reviewer opened and ran. */
  readonly looks: readonly ReviewerLook[];
  readonly changes: Changes;
  /** Whether the agent changed any file. */
  readonly hasChanged: boolean;
  /** Passed, all of them. */
  readonly checks: readonly CheckResult[];
  readonly disputes: readonly Dispute[];
}

function missingEvidence(
  { rulings }: Verdict,
  { ledger: { criteria }, ruled, outdated, looks, changes, hasChanged, checks }: ReviewedStop,
): string[] {
  const open = unmet(criteria).map(({ id }) => id);
  const isNamed = (id: string) => !ruled.includes(id) && rulings.some((each) => each.id.toUpperCase() === id);
  const misnamed = criteria.filter(({ id }) => [...open, ...outdated].includes(id) && isNamed(id));
  const met = criteria.filter(({ status }) => status === "met");
  const bare = met.flatMap(({ id, evidence }) => (evidence === "" ? [id] : []));
  const files = "files" in changes ? changes.files : [];
  const changed = files.flatMap(({ kind, path }) => (kind === "deleted" ? [] : [path]));
  const gone = files.flatMap(({ kind, path, from }) => (kind === "deleted" ? [path] : (from ?? [])));
  const hasLooked = looks.length > 0 || checks.length > 0;
  return [
    ...(open.length > 0 ? [`it says done, but does not say that ${listOf(open)} ${areMet(open)}`] : []),
    ...(outdated.length > 0
      ? [`it does not rule on ${listOf(outdated)}: only an earlier review did, and files may have changed since`]
      : []),
    ...misnamed.map(({ id, text }) => `what it calls ${id} is not the ${id} that was given ("${text}")`),
    ...(bare.length > 0 ? [`it gives no evidence for ${listOf(bare)}`] : []),
    ...(hasChanged && !hasLooked ? ["files changed, but it opened no file and ran no command"] : []),
    // Evidence of an earlier review was checked then.
    ...met
      .filter(({ id }) => ruled.includes(id))
      .flatMap(({ id, evidence }) =>
        unseenIn(evidence, { looks, changed, gone, checks }).map(
          (name) => `the evidence for ${id} names ${name}, which it neither opened nor ran`,
        ),
      ),
  ];
}

function listOf(ids: readonly string[]): string {
  return ids.length < 2 ? ids.join() : `${ids.slice(0, -1).join(", ")} and ${ids.at(-1)}`;
}

function areMet(ids: readonly string[]): string {
  return ids.length === 1 ? "is met" : "are met";
}

/** What was looked at for a review. */
interface Seen {
  readonly looks: readonly ReviewerLook[];
  readonly checks: readonly CheckResult[];
  /** Files that changed since the prompt. */
  readonly changed: readonly string[];
  /** Files that were deleted or renamed since. They cannot be opened, and ccc itself reports them. */
  readonly gone: readonly string[];
}

/**
 * Files and commands that evidence names, although neither the reviewer nor a check looked at them. In doubt they did: a
 * correct review must not fail because of its wording.
 */
function unseenIn(evidence: string, seen: Seen): string[] {
  const commands = [...evidence.matchAll(/`([^`]+)`/g)].flatMap(([, code = ""]) =>
    RUNS.test(code) ? [code.trim()] : [],
  );
  const rest = [...commands, ...(evidence.match(ADDRESS) ?? [])].reduce(
    (text, each) => text.replaceAll(each, " "),
    evidence,
  );
  return [
    ...new Set([
      ...commands.filter((command) => !hasRun(command, seen)).map((command) => `\`${command}\``),
      ...filesIn(rest, seen.changed).filter((file) => !hasOpened(file, seen)),
    ]),
  ];
}

/** Programs that evidence cites as commands. Other code in backticks is usually code. */
const RUNS =
  /^\s*(npm|npx|pnpm|yarn|bun|bunx|node|deno|python3?|pytest|tox|go|cargo|make|just|mvn|gradle|\.\/gradlew|dotnet|rspec|bundle|phpunit|composer|tsc|eslint|git|bash|sh)\s+\S/;

const ADDRESS = /\w+:\/\/\S+|\b[\w.-]+:\d{2,5}\/\S*/g;

/** By the program and the first word that is not an option: `pytest -q` is `python -m pytest`. */
function hasRun(command: string, { looks, checks, changed }: Seen): boolean {
  const words = command.split(/\s+/).filter((word) => !word.startsWith("-") && !/^(?:npx|bunx)$/.test(word));
  const named = words.slice(0, 2);
  const isIn = (text: string) => named.every((word) => text.includes(word));
  const ran = looks.filter(({ name }) => name === "Bash");
  if ([...ran.map(({ what }) => what), ...checks.map((check) => check.command)].some(isIn)) return true;
  // A script prints the commands that it runs.
  const byScripts = [
    ...ran.filter(({ what }) => RUNS_SCRIPTS.test(what)).map(({ seen }) => seen),
    ...checks.map(({ output }) => output),
  ];
  if (byScripts.some(isIn)) return true;
  // The command may be what a changed file has to say, such as a README.
  return looks.some(
    ({ what, seen }) =>
      seen.includes(command) && (SHOWS_CHANGES.test(what) || changed.some((path) => mentions(what, path))),
  );
}

const RUNS_SCRIPTS = /\b(?:npm|pnpm|yarn|bun|deno|make|just|tox|nox|composer|cargo|gradlew?|mvn|rake|ctest)\b/;
const SHOWS_CHANGES = /\bgit\b.*\b(?:diff|show|log)\b/;
const SEARCHES = /\b(?:rg|git grep|[ef]?grep\s+(?:-\w+\s+)*-\w*[rR])/;

/** Paths with a folder and an ending, and changed files by their names. */
function filesIn(text: string, changed: readonly string[]): string[] {
  const words = (text.match(/[\w@.+\-/]+/g) ?? []).map((word) => word.replace(/\.+$/, ""));
  const paths = words.filter((word) => /\w\/[^/]*\.[a-z][a-z0-9]{0,6}$/.test(word));
  const names = changed.map((path) => basename(path)).filter((name) => name.includes("."));
  const isNamed = (name: string) => new RegExp(`(?<![\\w./-])${RegExp.escape(name)}(?!\\.?[\\w-])`).test(text);
  return [...paths, ...names.filter(isNamed)];
}

function hasOpened(file: string, { looks, changed, gone, checks }: Seen): boolean {
  if (gone.some((path) => isSame(path, file))) return true;
  if (checks.some(({ command, output }) => mentions(command, file) || mentions(output, file))) return true;
  const isChanged = changed.some((path) => isSame(path, file));
  const ending = file.slice(file.lastIndexOf("."));
  return looks.some(({ name, what, seen }) => {
    if (name === "Grep" || SEARCHES.test(what) || mentions(what, file) || mentions(seen, file)) return true;
    if (isChanged && SHOWS_CHANGES.test(what)) return true;
    return what.includes(`*${ending}`) || foldersOf(file).some((folder) => mentions(what, folder, FOLDER_END));
  });
}

/** The folders on a path: a command may look at a whole one. */
function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === "." || folder === "/" ? [] : [folder, ...foldersOf(folder)];
}

/** Whether a text names a file, with as much of its path as it likes, but not another file of the same name. */
function mentions(text: string, file: string, end = FILE_END): boolean {
  const name = basename(file);
  if (!text.includes(name)) return false;
  const paths = text.match(new RegExp(`[^\\s"'\`=:,;|&<>()]*${RegExp.escape(name)}${end}`, "g")) ?? [];
  return paths.some((path) => isSame(path.replace(/\/$/, ""), file));
}

const FILE_END = "(?![\\w-])";
/** Not a single file in it. */
const FOLDER_END = "/?(?![\\w./-])";

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => path.replace(/^(?:\.?\/)+/, "/").replace(/^(?!\/)/, "/"));
  return a !== undefined && b !== undefined && (a.endsWith(b) || b.endsWith(a));
}
