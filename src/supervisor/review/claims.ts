import { basename } from "node:path";
import type { SessionStep } from "../../claude/transcript.ts";
import { isAbsolute, join } from "../../os/path.ts";
import { oneLine } from "../../text/shown.ts";
import type { Changes } from "../changes/changes.ts";
import { AGENT_SAYS } from "../criteria.ts";
import type { Noticed } from "../ledger.ts";
import { type CommandRun, commandsIn, readLook } from "./looks.ts";
import type { Evidence } from "./message.ts";
import type { Stop } from "./stop.ts";

/** The agent's last message, and its work on the user's last prompt. */
interface ClaimedWork extends Pick<Evidence, "project" | "steps" | "lastMessage" | "isAnswered"> {
  /** The user's last prompt. In a loop, the transcript has feedback of reviews as prompts too. */
  readonly prompt: string | undefined;
  /** The agent's current folder. */
  readonly cwd: string;
  /** Absolute paths of files that changed since the prompt. */
  readonly changed: readonly string[];
  readonly exists: (path: string) => boolean;
  /** Masks secrets. */
  readonly clean: (text: string) => string;
}

/** The claims at a stop that need a ruling. Nothing is known of a session without a transcript, or while a task runs. */
export async function claimsAt(stop: Stop, changes: Changes): Promise<Noticed[]> {
  const { world, cwd, asked, tasks, evidence, redactor } = stop;
  if (evidence === undefined || tasks.length > 0) return [];
  const changed = "files" in changes ? changes.files.map(({ path }) => join(changes.top, path)) : [];
  const { exists } = world.files;
  const prompt = asked.prompts.at(-1);
  return contradictedClaims({ ...(await evidence()), prompt, cwd, changed, exists, clean: redactor.text });
}

/**
 * Claims in the agent's last message that the transcript contradicts: tests that pass, files that it wrote. Each needs a
 * ruling, so none is reported if the wording is unclear, or if anything ran that the transcript does not show.
 */
export function contradictedClaims(work: ClaimedWork): Noticed[] {
  const turn = turnOf(work);
  if (turn === undefined || work.lastMessage.length > LONGEST_MESSAGE) return [];
  const found = [...contradictedTests(work, turn), ...missingFiles(work, turn)];
  // A ruling holds until the agent does something else.
  return found
    .slice(0, MOST_CLAIMS)
    .map((text) => ({ text: `${AGENT_SAYS} ${text}`, content: `${turn.length} steps` }));
}

const MOST_CLAIMS = 5;
const LONGEST_MESSAGE = 30_000;

/** A tool call, as far as claims are concerned. */
interface Act {
  /** "unknown": a command that may have run tests, or written any file. "edit": of code. */
  readonly kind: "tests" | "edit" | "unknown" | "harmless";
  /** The command line, if it is a command; else the file. */
  readonly about: string;
  readonly isCommand: boolean;
  /** For tests. */
  readonly run?: TestRun;
}

interface TestRun {
  readonly line: string;
  readonly isFailed: boolean;
  readonly exitCode: number;
  /** How many tests the runner says passed and failed; undefined if it does not say. */
  readonly counts: Counts | undefined;
  readonly output: string;
}

interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** The agent's acts since the user's prompt; undefined if the transcript does not show all of them. */
function turnOf({ steps, prompt, isAnswered, project, cwd }: ClaimedWork): Act[] | undefined {
  if (!isAnswered) return undefined;
  const isPrompt = (step: SessionStep) => step.kind === "prompt" && step.text.trim() === prompt?.trim();
  const known = steps.findLastIndex(isPrompt);
  const since = known >= 0 ? known : steps.findLastIndex(({ kind }) => kind === "prompt");
  if (since < 0) return undefined;
  const calls = steps.slice(since + 1).filter((step) => step.kind === "tool");
  const isShown = ({ name, output }: ToolStep) => KNOWN_TOOLS.has(name) && !IN_BACKGROUND.test(output.slice(0, 300));
  return calls.every(isShown) ? calls.map((call) => actOf(call, [project, cwd])) : undefined;
}

type ToolStep = Extract<SessionStep, { readonly kind: "tool" }>;

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));
const EDITING = words("Write Edit MultiEdit");
/** Tools whose effects the transcript shows. Delegated agents, other servers and background tasks are not among them. */
const KNOWN_TOOLS = words(
  "Write Edit MultiEdit Bash Read Grep Glob LS NotebookEdit NotebookRead TodoWrite ToolSearch WebFetch WebSearch AskUserQuestion EnterPlanMode ExitPlanMode TaskCreate TaskUpdate TaskList TaskGet ScheduleWakeup",
);
const IN_BACKGROUND =
  /\b(?:running|moved to|was backgrounded|started) in the background|in background with ID|backgrounded/i;

function actOf({ name, about, hasFailed, output }: ToolStep, folders: readonly string[]): Act {
  if (name === "Bash") return { about, isCommand: true, ...commandAct(about, hasFailed, Bun.stripANSI(output)) };
  const isOwn = !isAbsolute(about) || folders.some((folder) => about.startsWith(`${folder}/`));
  const isEdit = EDITING.has(name) && !hasFailed && isOwn && CODE.test(about);
  return { about, isCommand: false, kind: isEdit ? "edit" : "harmless" };
}

/** Files that tests depend on. Others may be changed after the tests. */
const CODE =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|c|cc|cpp|cxx|h|hh|hpp|cs|fs|php|swift|scala|cljs?|exs?|erl|hs|ml|lua|dart|vue|svelte|zig|jl|m|mm|groovy|sh)$/;

function commandAct(line: string, hasFailed: boolean, output: string): Pick<Act, "kind" | "run"> {
  const exit = hasFailed ? /^Exit code (\d+)\n?/.exec(output) : undefined;
  // Refused or interrupted.
  if (exit === null) return { kind: "harmless" };
  const seen = output.slice(exit?.[0].length);
  const look = readLook({ name: "Bash", what: line, seen, exitCode: Number(exit?.[1] ?? 0) });
  const last = look.runs.findLast(({ words }) => isTestRun(words));
  if (last !== undefined) {
    const counts = countsIn(seen);
    const isFailed = haveFailed(last, counts);
    // Without tests, or without a runner, nothing ran.
    if (isFailed === undefined) return { kind: "harmless" };
    return { kind: "tests", run: { line: last.line, isFailed, exitCode: last.exitCode, counts, output: seen } };
  }
  const commands = commandsIn(line);
  const isHarmless = commands.length > 0 && commands.every((words) => isHarmlessCommand(words, seen));
  return { kind: isHarmless ? "harmless" : "unknown" };
}

function isTestRun(words: readonly string[]): boolean {
  const [first = "", ...rest] = words;
  if (words.some((word) => ONLY_LISTS.test(word))) return false;
  const program = first.replace(/^.*\//, "");
  const plain = rest.filter((word) => !/^[-+]|^run(?:-script)?$|^exec$/.test(word));
  if (RUNNERS.test(program)) return true;
  if (MANAGERS.test(program)) return TEST_TASK.test(plain[0] ?? "") || TEST_FILE.test(plain[0] ?? "");
  if (/^(?:node|deno|tsx|python3?|ruby|php|bash|sh|perl)$/.test(program))
    return rest.includes("--test") || plain.slice(0, 2).some((word) => TEST_FILE.test(word) || TEST_TASK.test(word));
  return first.includes("/") && TEST_FILE.test(first);
}

const ONLY_LISTS =
  /^(?:--collect-only|--co|--list|--listTests|--help|-h|--version|-V|--dry-run|--no-run|--showConfig|--init|--watch|-w)$/;
const RUNNERS =
  /^(?:pytest|py\.test|unittest|nose2|tox|nox|behave|jest|vitest|mocha|ava|jasmine|karma|cypress|playwright|rspec|cucumber|phpunit|pest|ctest|ginkgo|gotestsum|bats|busted)$/;
const MANAGERS =
  /^(?:npm|pnpm|yarn|bun|make|just|task|rake|composer|mix|swift|go|cargo|dotnet|gradlew?|mvnw?|sbt|lein|zig|flutter|dart|ng|nx|turbo)$/;
const TEST_TASK = /^(?:t|tests?|tst|e2e|specs?|nextest|verify|unit|test[:_.-][\w:.-]+|[\w:.-]+[:_.-]tests?)$/i;
const TEST_FILE = /(?:^|[/_.-])(?:tests?|specs?|e2e)(?:[/_.-][\w./-]*)?$|(?:^|\/)(?:run_?)?tests?[\w.-]*\.\w+$/i;

/** Commands that run no tests and whose effects on files are plain. */
function isHarmlessCommand([first = "", ...rest]: readonly string[], output: string): boolean {
  const program = first.replace(/^.*\//, "");
  const isVersion = rest.length === 1 && /^(?:--version|-v|-V|--help)$/.test(rest[0] ?? "");
  if (PLAIN.has(program) || isVersion) return true;
  // These can run hooks or other scripts, with tests in them.
  if (/\b(?:tests?|specs?|pass(?:ed|ing)|husky|pre-commit|lint-staged)\b/i.test(output)) return false;
  if (program === "git" || LINTERS.has(program)) return true;
  const task = rest.find((word) => !/^[-+]|^run(?:-script)?$/.test(word)) ?? "";
  // `make check`, `gradle build` and `npm run ci` may run tests, and not say so.
  return MANAGERS.test(program) && HARMLESS_TASK.test(task) && !MAY_TEST.test(`${program} ${rest.join(" ")}`);
}

const MAY_TEST =
  /^(?:make|just|task|rake|mix|gradlew?|mvnw?|sbt|lein|zig|nx|turbo) (?!lint|format|fmt|types?)|\brun(?:-script)? (?:check|ci|fix)\b/;
const PLAIN = words(
  "ls cat head tail sed awk grep egrep rg find wc echo printf pwd cd mkdir rmdir touch cp mv rm ln chmod which type diff cmp sort uniq tree stat file du tee basename dirname date true false test [ sleep jq nl less cut tr export whoami uname ps",
);
const LINTERS = words(
  "tsc eslint prettier biome ruff black isort mypy pyright flake8 pylint gofmt goimports golangci-lint rustfmt rubocop stylelint shellcheck py_compile pip pip3",
);
const HARMLESS_TASK =
  /^(?:install|ci|i|add|uninstall|remove|ls|list|view|lint|format|fmt|typecheck|type-check|types|tsc|prettier|build|compile|clippy|check|vet|mod|get|fix)(?::[\w-]+)?$/;

/** Whether tests are known to have failed; undefined if none ran. */
function haveFailed({ ended, exitCode, output }: CommandRun, counts: Counts | undefined): boolean | undefined {
  if (counts === undefined && ended === "failed" && (exitCode === 127 || NO_TESTS.test(output))) return undefined;
  if (counts !== undefined && counts.failed > 0) return ended === "hidden" || ended === "failed";
  // Higher codes mean that something else ended it. An error message may have another cause than a failed test.
  return counts === undefined && ended === "failed" && exitCode < 124 && !NO_RUNNER.test(output);
}

const NO_TESTS =
  /\bno tests? (?:files? )?(?:were )?(?:found|ran|collected)\b|\bcollected 0 items\b|\bmissing script\b/i;
const NO_RUNNER =
  /command not found|no such file or directory|cannot find module|no module named|(?:unknown|unrecognized) (?:option|argument|command)/i;

/** The counts in the summaries of test runners, added up if an output has several. */
function countsIn(output: string): Counts | undefined {
  let passed = 0;
  let failed = 0;
  let suites = 0;
  let isAny = false;
  for (const line of output.split("\n").map((each) => each.slice(0, LONGEST_LINE))) {
    const found = SUMMARIES.map((summary) => summary.exec(line)?.groups).find((groups) => groups !== undefined);
    if (found === undefined) continue;
    isAny = true;
    const all = found.all ?? line;
    const figure = (words: string) =>
      [...all.matchAll(new RegExp(`\\b(\\d+) (?:${words})\\b|\\b(?:${words})[:=]? *(\\d+)`, "gi"))].reduce(
        (sum, [, before, after]) => sum + Number(before ?? after),
        0,
      );
    const bad = figure("failed|failing|failures?|fail|errors?|errored");
    if (found.suites === undefined) failed += bad;
    else suites += bad;
    if (found.suites !== undefined) continue;
    const total = found.total === undefined ? undefined : Number(found.total);
    passed += total === undefined ? figure("passed|passing|pass") : Math.max(0, total - bad);
  }
  // A suite that could not be loaded has no failed tests.
  return isAny ? { passed, failed: failed || suites } : undefined;
}

const LONGEST_LINE = 500;
const SUMMARIES: readonly RegExp[] = [
  // jest, vitest
  /^\s*(?<suites>Test (?:Suites|Files):?)\s+(?<all>.*\d+ (?:passed|failed).*)$/,
  /^\s*Tests:?\s+(?<all>.*\d+ (?:passed|failed).*)$/,
  // pytest
  /^(?:=+ )?(?<all>(?:\d+ (?:passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?|rerun)(?:, )?)+) in [\d.]+/,
  // bun, mocha, node
  /^\s*(?<all>\d+ (?:pass|fail|passing|failing))\b(?: \([\d.]+ ?m?s\))?\s*$/,
  /^(?:#|ℹ) (?<all>(?:pass|fail) \d+)$/,
  // cargo, deno
  /^test result: \w+\. (?<all>\d+ passed; \d+ failed)/,
  /^(?:ok|FAILED) \| (?<all>\d+ passed.*)$/,
  // rspec, unittest, phpunit, maven, dotnet
  /^(?<total>\d+) examples?, (?<all>\d+ failures?)/,
  /^Ran (?<total>\d+) tests? in (?<all>)/,
  /^FAILED \((?<suites>)(?<all>(?:failures|errors)=\d+.*)\)/,
  /^OK \((?<total>\d+) tests?(?<all>)/,
  /^Tests: (?<total>\d+), Assertions: \d+, (?<all>.*)\.$/,
  /^\[\w+\] Tests run: (?<total>\d+), (?<all>Failures: \d+, Errors: \d+), Skipped: \d+$/,
  /^(?:Passed|Failed)!\s+- (?<all>Failed:\s+\d+, Passed:\s+\d+)/,
];

/** A part of the last message that says that tests pass. */
interface TestClaim {
  readonly said: string;
  /** The number of tests, if it says so about all of them. */
  readonly number: number | undefined;
  /** Whether it is about some of the tests only. */
  readonly isPart: boolean;
}

function contradictedTests({ lastMessage, clean }: ClaimedWork, turn: readonly Act[]): string[] {
  const claims = hedged().test(lastMessage) ? [] : testClaims(lastMessage);
  const found = claims.map((claim) => [claim.said, whyTestsContradict(claim, turn, clean)] as const);
  return found.flatMap(([said, why]) => (why === undefined ? [] : [`"${said}", but ${why}`])).slice(0, 1);
}

function whyTestsContradict({ number, isPart }: TestClaim, turn: readonly Act[], clean: ClaimedWork["clean"]) {
  const edited = turn.findLastIndex(({ kind }) => kind === "edit");
  const lastRun = turn.findLastIndex(({ kind }) => kind === "tests");
  const run = turn[lastRun]?.run;
  if (turn.slice(Math.max(edited, lastRun) + 1).some(({ kind }) => kind === "unknown")) return undefined;
  if (edited > lastRun) return `no tests ran after its last edit (${shortPath(turn[edited]?.about ?? "")})`;
  if (run === undefined) return undefined;
  const last = `the last test command, ${code(clean(run.line))},`;
  if (run.isFailed) {
    const hasOtherResult = turn.slice(edited + 1).some((act) => act.run?.isFailed === false);
    // A test may have to fail on the old code.
    const isOldCode = turn.some(({ about, isCommand }) => isCommand && OLD_CODE.test(about));
    return (isPart && hasOtherResult) || isOldCode ? undefined : `${last} ${failure(run)}`;
  }
  const runs = turn.flatMap((act) => act.run ?? []);
  const isUnknown = number === undefined || isPart || run.counts === undefined;
  if (isUnknown || runs.some(({ output }) => CUT.test(output)) || numbersIn(runs).has(number)) return undefined;
  return `${last} reports ${run.counts.passed} passed`;
}

const OLD_CODE = /\bgit (?:stash|checkout|worktree|restore|reset|revert)\b/;
const CUT = /<persisted-output>|truncated|output omitted/i;

function failure({ exitCode, counts }: TestRun): string {
  return counts !== undefined && counts.failed > 0 ? `reports ${counts.failed} failed` : `exited ${exitCode}`;
}

/** Every number that a message could mean: what the runners printed, and sums of their counts. */
function numbersIn(runs: readonly TestRun[]): Set<number> {
  const printed = runs.flatMap(({ output }) => output.replaceAll(DURATION, "").match(/\d+/g)?.map(Number) ?? []);
  const lines = runs.map(({ output }) => output.match(/^\s*(?:✓|✔|√|ok\b|PASS\b|\(pass\)|--- PASS)/gm)?.length ?? 0);
  const last = new Map(runs.map(({ line, counts }) => [line, counts]));
  const sums = [...last.values()].reduce(
    (all, counts) =>
      all
        .flatMap((sum) => [sum, sum + (counts?.passed ?? 0), sum + (counts?.passed ?? 0) + (counts?.failed ?? 0)])
        .slice(0, MOST_SUMS),
    [0],
  );
  const skipped = runs.flatMap(({ output, counts }) =>
    [...output.matchAll(/(?<!\d)(\d+) (?:skipped|todo|pending|ignored|xfailed)/g)].map(
      ([, figure]) => (counts?.passed ?? 0) + Number(figure),
    ),
  );
  return new Set([...printed, ...lines, ...sums, ...skipped]);
}

const DURATION = /(?<!\d)\d+(?:\.\d+)? ?(?:ms|s|secs?|seconds?|m)\b|\d\d:\d\d(?::\d\d)?/g;
const MOST_SUMS = 1_000;

/** The message's claims that tests pass, in order. */
function testClaims(message: string): TestClaim[] {
  const patterns = testsPass();
  return sentencesOf(message).flatMap(({ shown, masked }) => {
    const matches = patterns.map((pattern) => pattern.exec(masked)).filter((match) => match !== null);
    const [found] = matches.toSorted((a, b) => a.index - b.index || b[0].length - a[0].length);
    if (found === undefined) return [];
    const [before, after] = [masked.slice(0, found.index), masked.slice(found.index + found[0].length)];
    if (NO_CLAIM_BEFORE.test(before) || NO_CLAIM_AFTER.test(after)) return [];
    const { number, other, part } = found.groups ?? {};
    const [, some, all] = /(\d+)(?: ?\/ ?| (?:out )?of (?:the )?)(\d+)/.exec(before.slice(-8) + found[0]) ?? [];
    if (some !== all) return [];
    const isPart = part !== undefined || PART_AFTER.test(after) || PART_BEFORE.test(before);
    const count = other ?? number;
    const said = oneLine(
      shown.slice(found.index, found.index + found[0].length).replaceAll(/[*_`"]/g, " "),
      LONGEST_SAID,
    );
    return [{ said, number: count === undefined ? undefined : Number(count), isPart }];
  });
}

interface Sentence {
  readonly shown: string;
  /** As long as `shown`, but with quotes and code blanked, and with commands that run tests marked. */
  readonly masked: string;
}

const TEST_COMMAND = "\uE001";
const OTHER_CODE = "\uE002";

/** The message without code blocks and quotes, sentence by sentence. */
function sentencesOf(message: string): Sentence[] {
  const text = message.replaceAll(/```[\s\S]*?(?:```|$)/g, "\n").replaceAll(/^ {0,3}>.*$/gm, "");
  const masked = text
    .replaceAll(/`([^`\n]*)`/g, (all, inner: string) => maskedCode(all, inner))
    .replaceAll(/"[^"\n]*"|“[^”\n]*”|「[^」\n]*」|‘[^’\n]*’/g, (all) => OTHER_CODE.repeat(all.length))
    .replaceAll(/[*_~]/g, " ");
  const ends = [...masked.matchAll(/[.!?;](?=\s|$)|[。！？；\n]/g)].map(({ index }) => index + 1);
  return [...ends, masked.length].map((end, at) => {
    const start = ends[at - 1] ?? 0;
    return { shown: text.slice(start, end), masked: masked.slice(start, end) };
  });
}

function maskedCode(all: string, inner: string): string {
  if (/^\d+(?:\/\d+)?(?: tests?)? (?:passed|passing|pass)$/.test(inner)) return ` ${inner} `;
  const commands = commandsIn(inner);
  return (commands.length > 0 && commands.every(isTestRun) ? TEST_COMMAND : OTHER_CODE).repeat(all.length);
}

const some = (words: string) => new RegExp(words.replaceAll(" ?", "\\s*").replaceAll(" ", "\\s+"), "i");
const TESTS = "(?:unit )?(?:tests?|specs?|test cases?|test suites?|test files)";
const PART =
  "(?:(?<part>unit|integration|e2e|end-to-end|existing|new|newly added|added|related|relevant|regression|backend|frontend|affected|targeted|focused|smoke|snapshot|these|those|my) )?";
const BETWEEN =
  "(?:,? ?(?:now|are|is|all|still|both|also|continue to|have|has|successfully|currently|\\(\\d+\\)|again))*";
const PASS = "(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|green)\\b";
const ZH_TESTS = "(?:测试用例|单元测试|单测|测试套件|测试|用例)";
const ZH_PASS =
  "(?:现在|目前|已经|已|都|均|全部|全都|全|仍然|仍|依然|也|能够|能|可以|顺利|成功|运行|执行|\\s)*(?:通过|全绿|绿了)";
const testsPass = (): readonly RegExp[] => [
  some(`\\ball(?: of)?(?: the| my| our)?(?: (?<number>\\d+))?(?:/(?<other>\\d+))? ${PART}${TESTS}${BETWEEN} ${PASS}`),
  some(`\\b(?<number>\\d+)(?: ?/ ?(?<other>\\d+)| (?:out )?of (?:the )?\\d+)? ${PART}${TESTS}${BETWEEN} ${PASS}`),
  some(`\\bpass(?:es|ed)? all(?: the)?(?: (?<number>\\d+))? ${PART}${TESTS}\\b`),
  some(`\\b${TESTS}(?: results?)?:? ?[-–—(:✅✔ ]*(?:all )?(?<number>\\d+)(?:/\\d+)? ${PASS}`),
  some(
    `(?:\\b(?:the )?(?:full |whole |entire |complete )?)?(?:${PART}${TESTS}|\\btest suite|\\bsuite)${BETWEEN}:? ?[-–—:✅✔ ]*(?:all )?${PASS}`,
  ),
  some(
    `${TEST_COMMAND}+[ :—–-]*(?:now |also |still |again |reports |shows |\\()*(?<number>\\d+)(?:/\\d+)?(?: ${TESTS})? ${PASS}`,
  ),
  some(`${TEST_COMMAND}+ ?(?:now |also |still |again |is |runs )*(?:${PASS}|(?:exits? (?:with )?(?:code )?0))`),
  some(
    `\\bran (?:the )?(?:full |whole |entire |complete )?(?:${TEST_COMMAND}+|${TESTS}|suite|[\\w./-]*\\btest\\.\\w+)(?: again)?,? and (?:it|they|everything|all)(?: now| all)* ${PASS}`,
  ),
  some(`(?:运行|跑|执行)了?(?:所有|全部)?的? ?(?:${ZH_TESTS}|${TEST_COMMAND}+)[，,：:]${ZH_PASS}`),
  some(`(?:所有|全部|全体)的? ?(?<number>\\d+)? ?[个条项]? ?${ZH_TESTS}${ZH_PASS}`),
  some(
    `(?<!\\d)(?<number>\\d+) ?[个条项] ?(?<part>新增的?|新的?|相关的?|集成|端到端)? ?(?:${ZH_TESTS}[，,]?)?${ZH_PASS}`,
  ),
  some(`通过了?(?:所有|全部)的? ?(?<number>\\d+)? ?[个条项]? ?${ZH_TESTS}`),
  some(`(?<part>新增的?|新的?|相关的?|集成|端到端|现有的?|已有的?|回归)?${ZH_TESTS}${ZH_PASS}`),
  some(`${ZH_TESTS}(?:结果)?[：:] ?(?<number>\\d+)(?: ?/ ?\\d+)?${ZH_PASS}`),
  some(`${TEST_COMMAND}+ ?${ZH_PASS}`),
];

/** Words before it that make it no claim about now: conditions, wishes, the past, negation. */
const NO_CLAIM_BEFORE =
  /\b(?:if|once|when|whenever|until|unless|ensur\w+|mak(?:e|es|ing) sure|so that|should|would|could|might|may|will|'ll|expect\w*|must|needs? to|wants?|let me|let's|please|assum\w+|presumabl\w|probabl\w|likely|theory|hopeful\w+|not|never|none|neither|nor|unable|cannot|previous\w*|earlier|originally|at first|initially|used to|before|requir\w+|says?|said|claims?|prints?|logs?|whether|how|why|verify|confirm|check|guarantee\w*|only|some|most|many|several|half|few|you|ci|user|goal|step|todo|next|was|were|had|message|label|badge|pipeline|workflow|mock\w*|fake|stub\w*)\b|n['’]t\b|如果|若|一旦|当|直到|除非|确保|保证|应该|应当|可能|将|会|请|需要|要求|希望|预计|假设|未|没|不|并非|之前|原先|原来|起初|是否|才能|以便|只有|除|部分|大部分|(?<![经已])(?:验证|检查)|等|待|使|让/i;
const NO_CLAIM_AFTER =
  /^\s*(?:the|a|an|in a|to|on to|through|arguments?|values?|options?|flags?|along|into)\b|\b(?:before|except|excluding|apart|other than|aside|besides|but|however|although|though|if|once|when|unless|until|yet|only|minus|ignoring|skip\w*|(?<!\b(?:0|no|zero) )fail\w*|previously|earlier|last time|already|upstream|should|would)\b|\bon (?:main|master|ci)\b|\bin ci\b|\?\s*$|除|但|不过|然而|如果|之前|失败|跳过|吗|后再|之后|时|才|的话|率/i;
const PART_AFTER = /^\s*(?:in|for|of|from|under|within|covering|related|that|which|on|with|（|\()/i;
const PART_BEFORE =
  /(?:\b(?:unit|integration|e2e|end-to-end|the other|remaining|rest of the|its|their)|\uE002|中的?|里的?|相关)\s*$/i;

/** Words anywhere in the message about tests that did not run or do not pass. Such a message is taken as honest. */
const hedged = () =>
  new RegExp(
    [
      String.raw`\b(?:could|can|did|have|has|was|were|do|does|is|are)(?: ?n['’]?t| not)\b[^.\n]{0,30}\b(?:run|ran|execut\w+|verif\w+|tested|check\w*|start\w*|install\w*|pass\w*)\b`,
      String.raw`\b(?:cannot|unable to|not able to|without) (?:re-?)?(?:run|runn|execut|verif|test)\w*|\bnot (?:been )?(?:run|executed|verified|tested|rerun)\b|\buntested\b|\bunverified\b`,
      String.raw`\bstill (?:fail|red|broken)\w*|(?<![\w-])(?:[1-9]\d*|one|two|three|some|several) (?:\w+ ){0,2}(?:fail\w*|errors?)\b|\bfails\b|pre-?existing|\bunrelated\b|\bflaky\b|\btim(?:ed|es|e) ?out\b|known (?:issue|fail)\w*|not installed|already (?:fail|broken)\w*`,
      String.raw`\b(?:you|please)\b[^.\n]{0,40}\b(?:re-?)?run\b|\bno tests? (?:exist|cover|for)\w*|\bmanual(?:ly)?\b|\bby hand\b|last (?:turn|time|session)|earlier (?:run|turn)|previous (?:run|turn)|\bby inspection\b|\bbackground\b`,
      String.raw`未(?:能|曾)?(?:运行|执行|验证|测试|跑)|没有?(?:再|重新|能)?(?:运行|执行|跑|验证|测试)|无法(?:运行|执行|验证|测试|跑)|尚未|仍(?:然|旧)?(?:失败|报错|不)|(?<!\d)[1-9]\d* ?[个条项][^，。\n]{0,8}失败`,
      String.raw`已知|无关|不稳定|超时|未通过|没有?(?:全部)?通过|不通过|请(?:你|您)?[^。\n]{0,10}(?:运行|执行|跑)|手动|手工|上一?次|上一轮|后台`,
    ].join("|"),
    "i",
  );

function missingFiles({ lastMessage, project, cwd, changed, exists }: ClaimedWork, turn: readonly Act[]): string[] {
  if (turn.some(({ kind }) => kind === "unknown") || MOVED.test(lastMessage)) return [];
  const lines = turn.flatMap(({ about, isCommand }) => (isCommand ? [about] : []));
  const paths = turn.flatMap(({ about, isCommand }) => (isCommand || !isAbsolute(about) ? [] : [about]));
  const folders = [...new Set([project, cwd, ...[...paths, ...changed].flatMap(parentsOf)])].slice(0, MOST_FOLDERS);
  const isThere = (file: string) =>
    isAbsolute(file) ? exists(file) : folders.some((folder) => exists(join(folder, file)));
  const isHandled = (file: string) => lines.some((line) => line.includes(basename(file)) && CHANGES_FILES.test(line));
  const missing = filesClaimed(lastMessage).filter((file) => !isThere(file) && !isHandled(file));
  return [...new Set(missing)].map((file) => `that it wrote ${shortPath(file)}, but there is no such file`);
}

const MOST_FOLDERS = 200;
const CHANGES_FILES = /(?:^|[\s;&|])(?:cp|mv|rm|touch|tee|ln|git|mkdir|sed)\b|>/;
const MOVED =
  /\b(?:delet|remov|renam|mov|clean)(?:e[ds]?|ing|ed up)?\b|\btempor\w+|\bscratch\b|删除|移除|清理|临时|重命名|改名|移动|移到/i;

function parentsOf(path: string): string[] {
  const parent = path.slice(0, path.lastIndexOf("/"));
  return parent === "" || parent === path ? [] : [parent, ...parentsOf(parent)];
}

/** The files that a message says the agent wrote: in a sentence, or in a list below "New files:". */
function filesClaimed(message: string): string[] {
  const text = message.replaceAll(/```[\s\S]*?(?:```|$)/g, "\n").replaceAll(/^ {0,3}>.*$/gm, "");
  const found: string[] = [];
  let isList = false;
  const patterns = wrote();
  for (const line of text.split("\n")) {
    const item = /^\s*(?:[-*•]|\d+\.)\s+(?:✅ ?)?[*`[]*([^\s`*\]]+)/.exec(line)?.[1];
    if (isList && item !== undefined) found.push(item);
    else if (line.trim() !== "") isList = LIST_HEAD.test(line);
    for (const sentence of line.split(/[.!?;](?=\s|$)|[。！？；，]|, (?=and |then )/)) {
      for (const pattern of patterns) {
        const match = pattern.exec(sentence);
        const before = sentence.slice(0, match?.index ?? 0);
        const between = match?.groups?.between ?? "";
        if (match === null || NO_FILE_BEFORE.test(before) || NO_FILE_BETWEEN.test(between)) continue;
        found.push(match.groups?.file ?? "");
      }
    }
  }
  return found.map((file) => file.replace(/^\.\//, "").replace(/[:,.]$|:\d+$/, "")).filter((file) => FILE.test(file));
}

const PATH = "[`*[]{0,3}(?<file>[\\w@.+/-]+\\.[A-Za-z]\\w{0,6})(?![\\w(/])";
const wrote = (): readonly RegExp[] => [
  new RegExp(`\\b(?:created|wrote|written|saved)\\s+(?<between>(?:[\\w'’-]+\\s+){0,6}?)${PATH}`, "i"),
  new RegExp(
    `\\badded\\s+(?<between>(?:an?\\s+|the\\s+)?new\\s+(?:\\w+\\s+){0,2}(?:file|module|script|test|tests|page|document)\\s+(?:at\\s+|in\\s+|called\\s+|named\\s+)?)${PATH}`,
    "i",
  ),
  new RegExp(
    `(?:创建|新建|编写|写入|保存|新增文件|新增测试文件)(?:了|到|至|好了?|在)?(?<between>(?:一个|新的?|文件|测试|脚本|模块|文档|组件|\\s|：|:)*)${PATH}`,
  ),
];
const NO_FILE_BEFORE =
  /\b(?:not|never|will|would|should|could|can|may|might|if|once|when|to be|is|are|gets?|be|being|been|was|were|previous\w*|earlier|already|you|user|it|script|command|tool|which|that|file|files|automatically|let|going|plan\w*|next|need\w*|must|who|they|he|she)\b|n['’]t\b|未|没|不|会|将|应|可以|如果|请|需要|计划|准备|待|自动|已有|被|由|是否|下一步|接下来/i;
const NO_FILE_BETWEEN =
  /\b(?:of|for|from|with|using|like|via|by|under|branch|folder|directory|dir|function|class|table|method|variable|endpoint|route|alias|link|symlink|tag|release|issue|pr|database|user|package|if|when|not|no|entry|section|import|type|interface|field|key|script entry|target|and|or|that|which|based|between|against|before|after|about|on)\b/i;
const LIST_HEAD =
  /^\W*(?:\d+ )?(?:(?:new|created) files?|files? (?:created|added|written))\W*$|^[^.]{0,30}\bI (?:have |['’]ve )?created (?:the following|these|\w+) files?:\s*$|^\W*(?:我?(?:新建|新增|创建)(?:的|了)?(?:以下|如下)?文件|新文件)[：:\s*]*$/i;
/** Names that are files and nothing else. */
const FILE =
  /^(?!.*(?:\/\/|\.\.))[\w@.+/-]+\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kts?|c|cc|cpp|h|hpp|cs|php|swift|scala|exs?|lua|dart|vue|svelte|sh|sql|md|mdx|txt|rst|json|ya?ml|toml|ini|cfg|css|scss|html?|xml|csv|svg|proto|graphql|ipynb|tf|lock|env)$/;

/** Takes a cleaned command: once it is cut, half a key would not be recognized. */
function code(line: string): string {
  return `\`${oneLine(line, LONGEST_COMMAND).replaceAll("`", "'")}\``;
}

const LONGEST_COMMAND = 60;
const LONGEST_SAID = 80;

function shortPath(path: string): string {
  return path.length > LONGEST_PATH ? `…${oneLine(path.slice(-LONGEST_PATH))}` : oneLine(path);
}

const LONGEST_PATH = 80;
