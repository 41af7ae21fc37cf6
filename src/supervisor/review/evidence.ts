import { basename } from "node:path";
import type { ReviewerLook } from "../../claude/stream.ts";
import { oneLine } from "../../text/shown.ts";
import type { Changes } from "../changes/changes.ts";
import { unmet } from "../criteria.ts";
import type { Dispute, RuledLedger } from "../ledger.ts";
import type { CheckResult } from "../record/stops.ts";
import {
  type CommandRun,
  commandsIn,
  mentions,
  type ReadLook,
  readLook,
  resultOf,
  type Shown,
  shownBy,
} from "./looks.ts";
import type { Verdict } from "./verdict.ts";

/** What a verdict lacks, in sentences for the reviewer. */
export function missingFrom(verdict: Verdict, stop: ReviewedStop): string[] {
  if (verdict.needsUser) return [];
  if (verdict.completed) return missingEvidence(verdict, stop);
  const unruled = stop.disputes.filter(({ id }) => !stop.ruled.includes(id));
  return unruled.map(({ id }) => `the agent disputes ${id}, and it does not rule on that`);
}

/** A finished review, and what its verdict is based on. */
export interface ReviewedStop extends Omit<RuledLedger, "again"> {
  /** What the reviewer opened and ran. */
  readonly looks: readonly ReviewerLook[];
  readonly changes: Changes;
  /** Whether the agent changed any file. */
  readonly hasChanged: boolean;
  /** All of them passed. */
  readonly checks: readonly CheckResult[];
  readonly disputes: readonly Dispute[];
}

function missingEvidence({ rulings, feedback }: Verdict, stop: ReviewedStop): string[] {
  const { ledger, ruled, outdated, looks, changes, hasChanged, checks } = stop;
  const { criteria } = ledger;
  const open = unmet(criteria).map(({ id }) => id);
  const isNamed = (id: string) => !ruled.includes(id) && rulings.some((each) => each.id.toUpperCase() === id);
  const misnamed = criteria.filter(({ id }) => [...open, ...outdated].includes(id) && isNamed(id));
  const met = criteria.filter(({ status }) => status === "met");
  const bare = met.flatMap(({ id, evidence }) => (evidence === "" ? [id] : []));
  const files = "files" in changes ? changes.files : [];
  const changed = files.flatMap(({ kind, path }) => (kind === "deleted" ? [] : [path]));
  const gone = files.flatMap(({ kind, path, from }) => (kind === "deleted" ? [path] : (from ?? [])));
  const read = looks.map(readLook);
  const seen = { looks: read, runs: read.flatMap(({ runs }) => runs), checks, changed, gone };
  return [
    ...(open.length > 0 ? [`it says done, but does not say that ${listOf(open)} ${areMet(open)}`] : []),
    ...(outdated.length > 0
      ? [`it does not rule on ${listOf(outdated)}: only an earlier review did, and files may have changed since`]
      : []),
    ...misnamed.map(({ id, text }) => `what it calls ${id} is not the ${id} that was given ("${text}")`),
    ...(bare.length > 0 ? [`it gives no evidence for ${listOf(bare)}`] : []),
    ...(hasChanged ? missingLook(seen) : []),
    // Evidence of an earlier review was checked then.
    ...met
      .filter(({ id }) => ruled.includes(id))
      .flatMap(({ id, evidence }) => flawsOf(`the evidence for ${id}`, evidence, seen)),
    ...contradictionsIn(
      "its feedback",
      citationsIn(feedback.slice(0, LONGEST_FEEDBACK), seen).filter(({ claim }) => claim === "passes"),
      seen,
    ),
  ];
}

/** Only that much of it is compared. */
const LONGEST_FEEDBACK = 10_000;

function listOf(ids: readonly string[]): string {
  return ids.length < 2 ? ids.join() : `${ids.slice(0, -1).join(", ")} and ${ids.at(-1)}`;
}

function areMet(ids: readonly string[]): string {
  return ids.length === 1 ? "is met" : "are met";
}

/** Everything that was looked at for a review. */
interface Seen {
  readonly looks: readonly ReadLook[];
  /** The commands among them. */
  readonly runs: readonly CommandRun[];
  readonly checks: readonly CheckResult[];
  /** Files that changed since the prompt. */
  readonly changed: readonly string[];
  /** Files that were deleted or renamed since. They cannot be opened, and ccc itself reports them. */
  readonly gone: readonly string[];
}

function missingLook({ looks, runs, checks }: Seen): string[] {
  const isLook = ({ ended, output }: CommandRun) => ended === "succeeded" || (ended === "hidden" && output !== "");
  if (checks.length > 0 || looks.some(({ name }) => name !== "Bash") || runs.some(isLook)) return [];
  return [
    looks.length === 0
      ? "files changed, but it opened no file and ran no command"
      : "files changed, but it opened no file, and no command that shows something of them succeeded",
  ];
}

/**
 * What is wrong with a piece of evidence: commands and files that nobody looked at, and commands that failed. In doubt
 * about the wording, the reviewer is right: a correct review must not fail because of how it puts things.
 */
function flawsOf(where: string, evidence: string, seen: Seen): string[] {
  const citations = citationsIn(evidence, seen);
  const code = citations.flatMap(({ code }) => code ?? []);
  const rest = [...code, ...(evidence.match(ADDRESS) ?? [])].reduce(
    (text, each) => text.replaceAll(each, " "),
    evidence,
  );
  const unseen = [
    ...citations.filter((each) => stateOf(each, seen).kind === "not run").map(({ shown }) => shown),
    ...filesIn(rest, seen.changed).filter((file) => !isShown(file, evidence, citations, seen)),
  ];
  return [
    ...contradictionsIn(where, citations, seen),
    ...failedTests(where, evidence, citations, seen),
    ...[...new Set(unseen)].map((name) => `${where} names ${name}, which it neither opened nor ran`),
  ];
}

const ADDRESS = /\w+:\/\/\S+|\b[\w.-]+:\d{2,5}\/\S*/g;

/** A command that a text names. */
interface Citation {
  readonly words: readonly string[];
  /** How a message shows it, and the code in backticks that it is from. */
  readonly shown: string;
  readonly code: string | undefined;
  /** What the text says about it. */
  readonly claim: Claim;
  /** Whether the text, there or elsewhere, says that something passes. */
  readonly isOfSuccess: boolean;
}

type Claim = "passes" | "fails" | "nothing";

/** Commands in backticks; without them, those that the reviewer ran, and well-known ones that are said to pass. */
function citationsIn(text: string, { runs }: Pick<Seen, "runs">): Citation[] {
  const quoted = [...text.matchAll(/`([^`]+)`/g)].flatMap(({ 0: all, 1: code = "", index }) => {
    const commands = commandsIn(code).filter((words) => RUNS.test(words.join(" ")));
    return commands.map((words) => ({
      words,
      shown: `\`${code.trim()}\``,
      code: code.trim(),
      at: index,
      end: index + all.length,
    }));
  });
  const prose = text.replaceAll(/`[^`]*`/g, (code) => "\0".repeat(code.length));
  const ran = runs.flatMap(({ words }) => phraseOf(words));
  const patterns = new Set([...ran, KNOWN_TESTS]);
  const found = [...patterns].flatMap((pattern) =>
    [...prose.matchAll(new RegExp(`(?<![\\w./-])(?:${pattern})(?![\\w/-])`, "g"))].map(({ 0: command, index }) => ({
      words: command.split(" "),
      shown: `\`${command}\``,
      code: undefined,
      at: index,
      end: index + command.length,
      isCertain: pattern !== KNOWN_TESTS,
    })),
  );
  const spans = [...quoted, ...found].toSorted((a, b) => a.at - b.at);
  const isOfSuccess = claimIn(text) === "passes";
  return spans
    .map(({ at, end, ...span }) => ({ ...span, claim: claimAbout(text, at, end, spans), isOfSuccess }))
    .filter((span) => !("isCertain" in span) || span.isCertain || span.claim === "passes");
}

/** Programs that evidence cites as commands. Other code in backticks is usually code. */
const RUNS =
  /^(?:npm|pnpm|yarn|bun|node|deno|python3?|go|cargo|make|just|mvn|gradle|\.\/gradlew|dotnet|bundle|composer|git|bash|sh|swift|mix|rake) \S|^(?:pytest|tox|rspec|phpunit|tsc|eslint|jest|vitest|mocha|ctest)\b/;

/** Without backticks, these are commands and nothing else. */
const KNOWN_TESTS =
  "(?:npm|pnpm|yarn|bun)(?: run)? (?:test|lint|build|check|typecheck)(?::[\\w-]+)?|cargo (?:test|check|clippy|build)|pytest|vitest|phpunit|rspec|ctest";

/** How prose names a command: by its first two words, or by a program whose name is not a usual word. */
function phraseOf(words: readonly string[]): string[] {
  const [program, second] = nameOf(words);
  const isKnown = RUNS.test(`${words.join(" ")} `);
  if (!isKnown || program === undefined) return [];
  if (second === undefined)
    return /^(?:pytest|tox|tsc|eslint|vitest|rspec|phpunit|ctest)$/.test(program) ? [program] : [];
  return [`${RegExp.escape(program)}(?: run)? ${RegExp.escape(second)}`];
}

/** What a text says about the command that it names there: after it, else before it, up to the next one. */
function claimAbout(
  text: string,
  at: number,
  end: number,
  spans: readonly { readonly at: number; readonly end: number }[],
): Claim {
  const next = spans.find((span) => span.at >= end);
  const after = text.slice(end, next?.at).split(SENTENCE_END)[0] ?? "";
  if (next !== undefined && /^\s*(?:,|and|&|plus|then|和|与|及|、|，)?(?: then)?\s*$/.test(after)) {
    return claimAbout(text, next.at, next.end, spans);
  }
  const before =
    text
      .slice(spans.findLast((span) => span.end <= at)?.end ?? 0, at)
      .split(SENTENCE_END)
      .at(-1) ?? "";
  const claim = claimIn(after);
  return claim === "nothing" ? claimIn(before) : claim;
}

const SENTENCE_END = /[.;!?](?=\s|$)|[。；！？\n]/;

/** If a text says both, the first counts: "passes, after it failed at first". */
function claimIn(text: string): Claim {
  const plain = text.replaceAll(NO_FAILURE, " passes ").replaceAll(NO_SUCCESS, " fails ");
  const [passes, fails] = [plain.search(PASSES), plain.search(FAILS)];
  if (passes < 0 && fails < 0) return "nothing";
  return fails < 0 || (passes >= 0 && passes < fails) ? "passes" : "fails";
}

const NO_FAILURE =
  /\b(?:0|no|zero|without(?: any)?|never|not|nothing|doesn't|didn't)\s+(?:\w+\s+){0,2}?(?:fail\w*|errors?|crash\w*|broken|red)\b|(?:无|没有|零|0\s*个?)\s*(?:任何)?(?:失败|报错|错误)/gi;
const NO_SUCCESS =
  /\b(?:not|never|no longer|cannot|doesn't|didn't|don't)\s+(?:\w+\s+)?(?:pass|succeed|work)\w*|未(?:能)?通过|不(?:能)?通过|没有通过/gi;
const PASSES =
  /\b(?:pass(?:es|ed|ing)?|succe(?:ed(?:s|ed)?|ss(?:ful(?:ly)?)?)|green|ok|works?|clean(?:ly)?)\b|\bexit(?:s|ed)?(?: with)?(?: code| status)?:? 0\b|通过|成功|全绿/i;
const FAILS =
  /\b(?:fail(?:s|ed|ing|ures?)?|errors?|rejects?|refuses?|broken|crash(?:es|ed)?|non-?zero)\b|\bexit(?:s|ed)?(?: with)?(?: code| status)?:? [1-9]|失败|报错|出错|非零/i;

type State = { readonly kind: "seen" | "not run" } | { readonly kind: "failed" | "hidden"; readonly run: CommandRun };

/** How the last run of a command ended. Runs with exactly the same words count first. */
function stateOf({ words, code, claim }: Citation, { looks, runs, checks, changed }: Seen): State {
  const ran = runs.filter((run) => run.ended !== "doubtful" && isRunOf(words, run.words));
  const same = ran.filter((run) => run.words.join(" ") === words.join(" "));
  // A script prints the commands that it runs.
  const prints = (output: string) => nameOf(words).every((word) => output.includes(word));
  const scripts = runs.filter((run) => RUNS_SCRIPTS.test(run.words[0] ?? "") && prints(run.output));
  const isChecked = checks.some(
    (check) => prints(check.output) || commandsIn(check.command).some((each) => isRunOf(words, each)),
  );
  const run = [same, ran, isChecked ? [] : scripts].find((each) => each.length > 0)?.at(-1);
  if (run !== undefined) {
    const result = resultOf(run);
    return result === "passed" ? { kind: "seen" } : { kind: result === "failed" ? "failed" : "hidden", run };
  }
  if (isChecked) return { kind: "seen" };
  // A changed file, such as a README, may have to name the command.
  const isWritten = (look: ReadLook) =>
    look.seen.includes(code ?? words.join(" ")) &&
    changed.some((path) => shownBy(look, path, true).includes("content"));
  return { kind: claim !== "passes" && looks.some(isWritten) ? "seen" : "not run" };
}

const RUNS_SCRIPTS =
  /^(?:npm|pnpm|yarn|bun|deno|make|just|tox|nox|composer|cargo|gradlew?|\.\/gradlew|mvn|rake|ctest)$/;

/** Compares the program and the first word that is not an option: `npm test` is also `npm run test:unit -- --bail`. */
function isRunOf(cited: readonly string[], run: readonly string[]): boolean {
  const [program, second] = nameOf(cited);
  const [ranProgram, ranSecond] = nameOf(run);
  if (program !== ranProgram) return false;
  if (run.some((word) => LISTS_ONLY.test(word) && !cited.includes(word))) return false;
  const [files = [], ranFiles = []] = [cited, run].map((words) => words.slice(1).filter((word) => FILE.test(word)));
  const isOther = files.length > 0 && ranFiles.length > 0;
  if (isOther && !files.some((file) => ranFiles.some((word) => mentions(word, file.replace(/::?.*/, "")))))
    return false;
  if (second === undefined || second === ranSecond || ranSecond?.startsWith(`${second}:`)) return true;
  // Without a path it ran for all of them.
  return (
    /[./]/.test(second) && (ranSecond === undefined || /[./]/.test(ranSecond) || second.startsWith(`${ranSecond}/`))
  );
}

/** A file of tests, as an argument: `tests/test_a.py::test_one`. */
const FILE = /^[^-].*\w\.[a-z]\w*(?:::.*|:\d+)?$/i;
/** With these, a test runner runs nothing. */
const LISTS_ONLY =
  /^(?:--collect-only|--co|--?list|--listTests|--no-run|--just-print|--recon|-N|--help|-h|--version|--dry-run)$/;

function nameOf(words: readonly string[]): string[] {
  const [first = "", ...rest] = words;
  const program = first.replace(/^.*\//, "").replace(/^python3$/, "python");
  const isManager = /^(?:npm|pnpm|yarn|bun)$/.test(program);
  const isValue = (at: number) => /^(?:-C|--prefix|--cwd|--filter)$/.test(rest[at - 1] ?? "");
  const plain = rest.filter(
    (word, at) => !/^[-+]/.test(word) && !isValue(at) && !(isManager && /^run(?:-script)?$/.test(word)),
  );
  const second = isManager && plain[0] === "t" ? "test" : plain[0];
  return second === undefined ? [program] : [program, second];
}

/** Commands that the text relies on, although they failed or their result is unknown. */
function contradictionsIn(where: string, citations: readonly Citation[], seen: Seen): string[] {
  const found = citations.flatMap((citation) => {
    const state = stateOf(citation, seen);
    const { shown, claim } = citation;
    if (!("run" in state) || claim === "fails") return [];
    const { run } = state;
    const line = run.line === shown.slice(1, -1) ? "it" : `\`${shortLine(run.line)}\``;
    if (state.kind === "hidden") {
      return citation.isOfSuccess || run.output === ""
        ? [`${where} names ${shown}, but ${line} hides its exit code: run it on its own`]
        : [];
    }
    const ended = run.ended === "failed" ? `${line} exited ${run.exitCode}` : `the output of ${line} reports failures`;
    return [`${where} ${claim === "passes" ? `says that ${shown} passes` : `names ${shown}`}, but ${ended}`];
  });
  return [...new Set(found)];
}

function shortLine(line: string): string {
  return oneLine(line, LONGEST_LINE).replaceAll("`", "'");
}

const LONGEST_LINE = 80;

/** "All tests pass", without naming a command, although the last tests that the reviewer ran failed, or hid their result. */
function failedTests(where: string, text: string, citations: readonly Citation[], { runs, checks }: Seen): string[] {
  const isTest = (words: readonly string[]) =>
    nameOf(words).some((word) => TESTS.test(word)) || words.includes("--test");
  const last = runs.findLast((run) => run.ended !== "doubtful" && isTest(run.words));
  const isChecked = checks.some(({ command }) => commandsIn(command).some(isTest));
  const isNamed = citations.some(({ words }) => isTest(words));
  const result = last && resultOf(last);
  if (last === undefined || isChecked || isNamed || result === "passed") return [];
  const plain = text.replaceAll(NO_FAILURE, " passes ").replaceAll(NO_SUCCESS, " fails ");
  if (!TESTS_PASS.test(plain) || FAILS.test(plain)) return [];
  const failed = last.ended === "failed" ? `exited ${last.exitCode}` : "reports failures";
  const ended = result === "failed" ? failed : "hides its exit code: run it on its own";
  return [`${where} says that tests pass, but \`${shortLine(last.line)}\` ${ended}`];
}

const TESTS = /^(?:tests?|t|pytest|jest|vitest|mocha|ctest|rspec|phpunit|tox|unittest)\b/;
const TESTS_PASS =
  /\b(?:tests?|specs?|suites?)\b[^.;。；]*?\b(?:pass|succe|green|ok\b)|(?:测试|用例)[^。；]*(?:通过|成功)/i;

/** Paths with a folder and an ending, and changed files by their names or by their whole paths. */
function filesIn(text: string, changed: readonly string[]): string[] {
  const words = (text.match(/[\w@.+\-/]+/g) ?? []).map((word) => word.replace(/\.+$/, ""));
  const paths = words.filter((word) => /\w\/[^/]*\.[a-z][a-z0-9]{0,6}$/.test(word));
  const names = changed.map((path) => basename(path)).filter((name) => /\.|^[A-Z]\w*file$/.test(name));
  const whole = changed.filter((path) => path.includes("/"));
  const isNamed = (name: string) => new RegExp(`(?<![\\w./-])${RegExp.escape(name)}(?!\\.?[\\w-])`).test(text);
  return [...paths, ...[...names, ...whole].filter(isNamed)];
}

/** Whether the reviewer could see what the evidence says about a file. */
function isShown(file: string, evidence: string, citations: readonly Citation[], seen: Seen): boolean {
  const { looks, runs, changed, gone, checks } = seen;
  if (gone.some((path) => mentions(path, file))) return true;
  if (checks.some(({ command, output }) => mentions(command, file) || mentions(output, file))) return true;
  const isChanged = changed.some((path) => mentions(path, file));
  const shown = new Set(looks.flatMap((look) => shownBy(look, file, isChanged)));
  const about = evidence
    .split(SENTENCE_END)
    .filter((sentence) => sentence.includes(file))
    .join(" ");
  const isEnough = (what: Shown, claim: RegExp) => shown.has(what) && claim.test(about);
  if (shown.has("content") || isEnough("existence", THERE) || isEnough("absence", ABSENT)) return true;
  if (isEnough("no match", NEGATED)) return true;
  // "a.txt, see `git status`"
  const isOf = (run: CommandRun) => citations.some(({ words }) => isRunOf(words, run.words));
  return runs.some((run) => isOf(run) && resultOf(run) === "passed" && mentions(run.output, file));
}

const THERE =
  /\b(?:exists?|(?:is|are) (?:there|present|in place|listed|new|tracked|untracked|staged|committed)|was (?:created|added)|created|present|empty)\b|存在|创建|新建|空/i;
const ABSENT =
  /\b(?:not exist|no longer|(?:is|are) (?:gone|absent|missing|not there)|(?:was|were) (?:deleted|removed)|deleted|removed)\b|不存在|删除|移除/i;
const NEGATED =
  /\b(?:no|not|never|none|nothing|nowhere|without|neither|unused|removed|gone|free of)\b|n't\b|[不没无未]|移除|删除/i;
