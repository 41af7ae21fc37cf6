import { basename, dirname } from "node:path";
import type { ReviewerLook } from "../../claude/stream.ts";
import { type ShellToken, shellTokens, wordPieces } from "../../text/shell.ts";

/** A command that a reviewer ran, and how it ended as far as its command line lets that be known. */
export interface CommandRun {
  /** Without variables before it, and without programs that only start another one. */
  readonly words: readonly string[];
  /** The command, or the whole line if it is that which ended with the exit code. */
  readonly line: string;
  readonly exitCode: number;
  /** "hidden": it ran, but its exit code is lost, as in `npm test | tail`. "doubtful": it may not have run. */
  readonly ended: "succeeded" | "failed" | "hidden" | "doubtful";
  /** The output of the command line, without what it only echoes. */
  readonly output: string;
  /** The lines of the output in which a command reports an error. */
  readonly errors: readonly string[];
  /** Files that it reads with `<`. */
  readonly inputs: readonly string[];
  /** Whether its output can be seen, and the errors that it reports. */
  readonly isShown: boolean;
  readonly showsErrors: boolean;
  /** Whether nothing else in the line prints anything. */
  readonly isAlone: boolean;
}

/** A look with its commands in order, without those that show nothing. None if the line cannot be understood. */
export interface ReadLook extends ReviewerLook {
  readonly runs: readonly CommandRun[];
}

export function readLook(look: ReviewerLook): ReadLook {
  return { ...look, runs: look.name === "Bash" ? runsIn(look) : [] };
}

function runsIn({ what, seen, exitCode }: ReviewerLook): CommandRun[] {
  const lists = parseLine(what);
  const output = withoutEchoes(seen, lists);
  const errors = output.split("\n").filter((line) => ERRORS.test(line));
  const printing = lists.flat().flatMap((pipeline) => pipeline.filter((_, position) => mayPrint(pipeline, position)));
  return lists.flatMap((list, at) => {
    const code = at === lists.length - 1 ? exitCode : echoedCode(lists, at, seen);
    return list.flatMap((pipeline, step) => {
      const ended = endedIn(list, step, code, errors.length > 0);
      return pipeline.flatMap((command, position): CommandRun[] => {
        const { words, inputs, isSilent, hidesErrors } = command;
        const after = pipeline.slice(position + 1);
        const isLast = after.length === 0;
        const run = {
          words,
          inputs,
          line: code !== undefined && list.flat().length === 1 ? words.join(" ") : what,
          exitCode: code ?? exitCode,
          output,
          errors,
          ended: isLast || ended === "doubtful" ? ended : "hidden",
          isShown: !isSilent && after.every(isFilter) && (isLast || output !== ""),
          showsErrors: !hidesErrors,
          isAlone: printing.every((each) => pipeline.includes(each)),
        } as const;
        return printing.includes(command) ? [run] : [];
      });
    });
  });
}

/** The commands that a text names, such as both of `npm ci && npm test`. */
export function commandsIn(code: string): (readonly string[])[] {
  return parseLine(code)
    .flat(2)
    .map(({ words }) => words);
}

/** Whether a command that ran succeeded. Where its exit code is hidden, its output has to say so clearly. */
export function resultOf({ words, ended, output, errors, showsErrors }: CommandRun): "passed" | "failed" | "unclear" {
  if (ended === "succeeded") return "passed";
  if (ended === "failed" || errors.length > 0) return "failed";
  if (LOUD.has(words[0] ?? "")) return showsErrors ? "passed" : "unclear";
  if (FAILURES.test(output) || FAILED.test(output)) return "failed";
  return PASSED.test(output) ? "passed" : "unclear";
}

/** Results in the output of test runners. */
const FAILURES =
  /\b[1-9]\d* (?:tests? )?(?:fail(?:ed|ing|ures?)?|errors?)\b|\b(?:fail(?:ed|ures?)?|errors?)[:=]?\s+[1-9]/i;
const FAILED =
  /^\s*(?:FAIL(?:ED|URE)?|ERROR|not ok|npm (?:ERR!|error)|[✗✖✕×])(?!\w)|AssertionError|Traceback|panicked at/m;
const PASSED =
  /\b[1-9]\d* (?:tests? )?pass(?:ed|ing)?\b|\bpass(?:ed)?:?\s+[1-9]|\b[1-9]\d* (?:examples?|tests?), 0 failures|^(?:ok|PASS)\b|^OK(?: \(|$)|\btest result: ok\b|BUILD SUCCESS|all tests passed/im;

/** What a look shows of a file: its content, that it has nothing of what was searched for, that it is there, that it is not. */
export type Shown = "content" | "no match" | "existence" | "absence" | "nothing";

/** What a look shows of a file. `isChanged`: the file is in every diff, even if that was too long to be kept. */
export function shownBy({ name, what, seen, runs }: ReadLook, file: string, isChanged: boolean): Shown[] {
  if (name === "Bash") return runs.map((run) => shownByRun(run, file, isChanged));
  if (name === "Read") return [mentions(what, file) ? "content" : "nothing"];
  if (name !== "Grep") return [mentions(seen, file) ? "existence" : covers(what, file) ? "absence" : "nothing"];
  if (NO_RESULTS.test(seen)) return ["no match"];
  return [hasHit(seen, file) || mentions(what, file) ? "content" : "nothing"];
}

/** Whether a text names a file, with as much of its path as it likes, but not another file of the same name. */
export function mentions(text: string, file: string): boolean {
  const name = basename(file);
  const readable = withoutEscapes(text);
  for (let at = readable.indexOf(name); at >= 0; at = readable.indexOf(name, at + 1)) {
    const end = at + name.length;
    if (/^[\w-]/.test(readable[end] ?? "")) continue;
    let start = at;
    while (start > 0 && !PATH_END.test(readable[start - 1] ?? "")) start--;
    if (isSamePath(readable.slice(start, end), file)) return true;
  }
  return false;
}

const PATH_END = /[\s"'`=:,;|&<>()]/;

function isSamePath(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) =>
    path
      .replaceAll("\\", "/")
      .replace(/^(?:\.?\/)+/, "/")
      .replace(/^(?!\/)/, "/"),
  );
  return a !== undefined && b !== undefined && (a.endsWith(b) || b.endsWith(a));
}

interface SimpleCommand {
  words: string[];
  inputs: string[];
  /** Whether its output goes elsewhere, or the errors that it reports. */
  isSilent: boolean;
  hidesErrors: boolean;
}

/** Commands joined by `|`. */
type Pipeline = SimpleCommand[];

/** Pipelines joined by `&&` or `||`. */
interface AndOrList extends Array<Pipeline> {
  joints: ("&&" | "||")[];
}

/** A command line as the lists that `;` separates. Empty for what a reviewer may not run anyway: groups, loops, jobs. */
function parseLine(line: string): AndOrList[] {
  const commands = withoutHereDocuments(line);
  const tokens = shellTokens(commands);
  const newList = (): AndOrList => Object.assign([[]], { joints: [] });
  const lists = [newList()];
  let command: SimpleCommand | undefined;
  for (let at = 0; at < tokens.length; at++) {
    const { kind, raw } = tokens[at] as ShellToken;
    const list = lists.at(-1) as AndOrList;
    if (kind === "unclosed" || ["(", ")", "&", "<<"].includes(raw)) return [];
    if (kind === "word" && raw.startsWith("#")) {
      while (at + 1 < tokens.length && tokens[at + 1]?.raw !== "\n") at++;
      continue;
    }
    if (kind === "word" || /[<>]/.test(raw)) {
      if (command === undefined) {
        command = { words: [], inputs: [], isSilent: false, hidesErrors: false };
        list.at(-1)?.push(command);
      }
      if (kind === "word") command.words.push(textOf(raw));
      else {
        const number = /^\d$/.test(tokens[at - 1]?.raw ?? "") ? command.words.pop() : undefined;
        if (tokens[at + 1]?.kind === "blank") at++;
        redirect(command, `${number ?? ""}${raw}`, tokens[++at]);
      }
      continue;
    }
    if (kind !== "operator") continue;
    command = undefined;
    if (raw === "&&" || raw === "||") {
      list.joints.push(raw);
      list.push([]);
    } else if (raw === ";" || raw === "\n") lists.push(newList());
  }
  for (const each of lists.flat(2)) each.words = withoutPrefix(each.words);
  const isKnown = lists.flat(2).every((each) => {
    const [program = ""] = each.words;
    // These print the reviewer's own text, which is no result.
    const isPrinted = commands !== line && ["cat", "tee"].includes(program) && !each.isSilent;
    return !RESERVED.has(program) && !isPrinted;
  });
  return isKnown ? lists.filter((list) => list.flat().length > 0) : [];
}

/** The command line without its here documents, which usually are scripts. One without an end stays. */
function withoutHereDocuments(line: string): string {
  let rest = line;
  for (let documents = 0; documents < MOST_DOCUMENTS; documents++) {
    const tokens = shellTokens(rest);
    const at = tokens.findIndex(({ raw }) => raw === "<<");
    const word = tokens.findIndex(({ kind }, index) => index > at && kind === "word");
    const newline = tokens.findIndex(({ raw }, index) => index > word && raw === "\n");
    // `<<<` takes a word, and no lines.
    if (at === -1 || word === -1 || newline === -1 || tokens[at + 1]?.raw === "<") return rest;
    const textUpTo = (end: number) =>
      tokens
        .slice(0, end)
        .map(({ raw }) => raw)
        .join("");
    const delimiter = textOf(tokens[word]?.raw ?? "").replace(/^-/, "");
    const lines = rest.slice(textUpTo(newline + 1).length).split("\n");
    const last = lines.findIndex((each) => each.replace(/^\t+/, "") === delimiter);
    if (last === -1) return rest;
    const commands =
      textUpTo(at) +
      tokens
        .slice(word + 1, newline + 1)
        .map(({ raw }) => raw)
        .join("");
    rest = commands + lines.slice(last + 1).join("\n");
  }
  return rest;
}

const MOST_DOCUMENTS = 20;

const RESERVED = new Set(
  "if then else fi for while until do done case esac function select ! { } [[ exit exec eval set".split(" "),
);

function textOf(raw: string): string {
  return wordPieces(raw)
    .map(({ text }) => text)
    .join("");
}

function redirect(command: SimpleCommand, operator: string, target: ShellToken | undefined): void {
  const to = target?.kind === "word" ? textOf(target.raw) : "";
  if (operator.includes("<")) command.inputs.push(to);
  else if (operator.startsWith("2")) command.hidesErrors ||= to !== "1";
  else command.isSilent ||= !(operator.endsWith(">&") && to === "2");
  command.hidesErrors ||= command.isSilent;
}

/** Without variables, and without programs that only start another one: `CI=1 timeout 60 npx jest` runs `jest`. */
function withoutPrefix(words: readonly string[]): string[] {
  const start = words.findIndex((word) => !/^\w+=/.test(word));
  const [program = "", next = "", ...rest] = start < 0 ? [] : words.slice(start);
  if (program === "timeout" || ((program === "python" || program === "python3") && next === "-m"))
    return withoutPrefix(rest);
  if (/^(?:npx|bunx|env|time)$/.test(program)) return withoutPrefix([next, ...rest]);
  const isRunner = /^(?:uv|poetry|pipenv) run$|^(?:bundle|pnpm|npm) exec$/.test(`${program} ${next}`);
  return isRunner ? withoutPrefix(rest) : [program, next, ...rest].filter((word, at) => at > 1 || word !== "");
}

/** How a pipeline of a list ended, if the list ended with this code. */
function endedIn(list: AndOrList, step: number, code: number | undefined, hasErrors: boolean): CommandRun["ended"] {
  const isLast = step === list.length - 1;
  const isAll = (joint: string) => list.joints.every((each) => each === joint);
  if (code === 0 && isAll("&&")) return "succeeded";
  if (code !== undefined && code > 0 && (isAll("||") || (isAll("&&") && isLast))) return "failed";
  // What comes before it would have reported that it failed.
  const hasRun = list.joints.slice(0, step).every((each) => each === "&&") && list.slice(0, step).flat().every(isLoud);
  return hasRun && !(step > 0 && hasErrors) ? "hidden" : "doubtful";
}

function isLoud({ words, hidesErrors }: SimpleCommand): boolean {
  return LOUD.has(words[0] ?? "") && !hidesErrors;
}

/** Programs that say so if they fail. */
const LOUD = new Set(
  "git cat head tail sed nl tac ls cd echo printf pwd wc sort uniq cut tr find stat diff".split(" "),
);

/** The exit code that the next command prints, as in `npm test; echo "exit $?"`. */
function echoedCode(lists: readonly AndOrList[], at: number, seen: string): number | undefined {
  const echoed = (list: AndOrList | undefined) => {
    const [program, ...words] = list?.length === 1 && list[0]?.length === 1 ? (list[0][0]?.words ?? []) : [];
    const text = words.filter((word) => !/^-[neE]+$/.test(word)).join(" ");
    return program === "echo" && text.includes("$?") ? text : undefined;
  };
  const text = echoed(lists[at + 1]);
  if (text === undefined || lists.filter((list) => echoed(list) === text).length > 1) return undefined;
  const pattern = text.split("$?").map(RegExp.escape).join("(\\d+)");
  const code = [...seen.matchAll(new RegExp(`^${pattern}$`, "gm"))].at(-1)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** Without what the line itself prints with `echo`, which shows nothing. */
function withoutEchoes(seen: string, lists: readonly AndOrList[]): string {
  const echoed = new Set(
    lists.flat(2).flatMap(({ words: [program = "", ...words] }) =>
      program === "echo" || program === "printf"
        ? words
            .join(" ")
            .split(/\\n|\n/)
            .map((line) => line.trim())
        : [],
    ),
  );
  const lines = NO_OUTPUT.test(seen) ? [] : seen.split("\n").filter((line) => !echoed.has(line.trim()));
  return lines.join("\n").trim();
}

const NO_OUTPUT = /^\(Bash completed with no output\)$/;
const NO_RESULTS = /^\s*$|^No (?:matches|files) found/;

/** Programs that show nothing of the project. */
const SILENT = new Set("echo printf true false : cd test [ pwd basename dirname realpath which sleep date".split(" "));
/** Programs that print the content of files. */
const READERS = new Set(
  "cat head tail sed nl less more bat tac awk cut sort uniq jq od xxd hexdump diff comm".split(" "),
);
const SEARCHERS = new Set("grep egrep fgrep rg ag".split(" "));
/** Programs that print names, sizes and the like. */
const LISTERS = new Set("ls find stat tree file wc du cmp".split(" "));
const ERRORS =
  /^(?:fatal|error): |^(?:\S*sh: (?:line \d+: )?)?[\w-]+: .*(?:No such file|command not found|cannot (?:access|open|stat)|Permission denied|Is a directory)/;

/** Whether a command can print anything of the project: not what only passes on `/dev/null`, or what another one echoes. */
function mayPrint(pipeline: Pipeline, position: number): boolean {
  const { words: [program = "", ...args] = [], inputs = [] } = pipeline[position] ?? {};
  if (SILENT.has(program) || args.join() === "--version") return false;
  const isReader = READERS.has(program) || program === "wc";
  const isEverywhere = args.some((word) => /^-\w*r|^--recursive$/.test(word));
  const isKnown = isReader || SEARCHERS.has(program) || LISTERS.has(program);
  // An option of another program may take the value: `pytest -c /dev/null`.
  const operands = isKnown ? operandsOf(program, args) : args;
  const named = operands.filter((word) => !isReader || !/^[\d$,;p]+$/.test(word));
  const sources = isReader ? [...named, ...inputs] : named;
  if (sources.length > 0) return sources.some((path) => path !== "/dev/null");
  const passesOn = isReader || (SEARCHERS.has(program) && !isEverywhere);
  return !passesOn || position === 0 || mayPrint(pipeline, position - 1);
}

/** Whether it passes on what it reads. */
function isFilter({ words: [program = "", ...args], isSilent }: SimpleCommand): boolean {
  const isQuiet = SEARCHERS.has(program) && args.some((word) => /^-\w*[qc]|^--(?:quiet|count)$/.test(word));
  return (
    !isSilent && !isQuiet && (READERS.has(program) || SEARCHERS.has(program) || /^(?:tr|column|fold)$/.test(program))
  );
}

function shownByRun(run: CommandRun, file: string, isChanged: boolean): Shown {
  const { words, output, errors, ended } = run;
  const [program = "", ...args] = words;
  const operands = [...operandsOf(program, args), ...run.inputs];
  const isNamed = operands.some((word) => namesFile(word, file));
  const isCovered = operands.some((word) => covers(word, file));
  const canMiss = LISTERS.has(program) || READERS.has(program);
  if (ended === "failed") return isNamed && canMiss && errors.length > 0 ? "absence" : "nothing";
  const isUnclear =
    ended === "hidden" &&
    (errors.some((line) => program === "git" || mentions(line, file)) ||
      !(run.showsErrors || (run.isAlone && output !== "")));
  if (ended === "doubtful" || !run.isShown || isUnclear) return "nothing";
  if (program === "git") return shownByGit(args, { isNamed, isChanged, file, output });
  // A range behind the end, or an empty file, shows nothing but that the file is there.
  if (READERS.has(program)) {
    if (!isNamed || args.includes("-q")) return "nothing";
    // Two files without a difference were both read.
    return output === "" && program !== "diff" ? "existence" : "content";
  }
  if (SEARCHERS.has(program)) {
    const isCount = args.some((word) => /^-\w*c|^--count$/.test(word));
    const found = isCount ? output.replaceAll(/^(?:.*:)?0$/gm, "").trim() : output;
    const isAny = (run.isAlone && found !== "") || /^\d+[:-]/m.test(found);
    if (hasHit(found, file) || (isNamed && isAny)) return "content";
    const isEverywhere = /^(?:rg|ag)$/.test(program) || args.some((word) => /^-\w*[rR]|^--recursive$/.test(word));
    return isNamed || isCovered || (isEverywhere && operands.length === 0) ? "no match" : "nothing";
  }
  if (!LISTERS.has(program)) return mentions(output, file) && resultOf(run) !== "failed" ? "content" : "nothing";
  // The arguments of find are patterns.
  if ((isNamed && program !== "find") || mentions(output, file)) return "existence";
  return isCovered && !isCut(output) ? "absence" : "nothing";
}

/** The words that are neither options nor, for a search, what it searches for. */
function operandsOf(program: string, args: readonly string[]): string[] {
  const isSearch = SEARCHERS.has(program);
  const isValue = (at: number) => isSearch && /^-\w*[efABCm]$/.test(args[at - 1] ?? "");
  const operands = args.filter((word, at) => !word.startsWith("-") && !isValue(at));
  const hasPattern = args.some((word) => /^-\w*[ef]|^--(?:regexp|file)/.test(word));
  return isSearch && !hasPattern ? operands.slice(1) : operands;
}

/** Whether a search found something in a file: its lines begin with the file. */
function hasHit(output: string, file: string): boolean {
  return output.split("\n").some((line) => isSamePath(line.replace(/:.*|-\d+-.*/, ""), file));
}

interface GitOutput {
  readonly isNamed: boolean;
  readonly isChanged: boolean;
  readonly file: string;
  readonly output: string;
}

function shownByGit(args: readonly string[], { isNamed, isChanged, file, output }: GitOutput): Shown {
  const name = args.find((word, at) => !word.startsWith("-") && args[at - 1] !== "-C") ?? "";
  const has = (option: RegExp) => args.some((word) => option.test(word));
  if (name === "grep") return hasHit(output, file) ? "content" : "no match";
  const isPatch = has(/^(?:-p|-u|-U\d*|--patch.*|--unified.*|-L.*)$/);
  const isSummary = has(/^--(?:stat|shortstat|numstat|dirstat|name-|summary|quiet|no-patch)|^-s$/) && !isPatch;
  const isContent =
    /^(?:show|blame|cat-file|diff(?:-\w+)?)$/.test(name) || (isPatch && /^(?:log|stash|reflog)$/.test(name));
  if (!isContent || isSummary) return mentions(output, file) ? "existence" : isNamed ? "absence" : "nothing";
  const heads = output.split("\n").filter((line) => /^(?:diff --git|\+\+\+|---|rename|Binary) /.test(line));
  const isShown = mentions(heads.join("\n"), file) || (isChanged && isCut(output)) || (isNamed && output !== "");
  return isShown ? "content" : "nothing";
}

/** Whether Claude Code or ccc has kept only the beginning. */
function isCut(output: string): boolean {
  return output.length > 29_000 || /<persisted-output>|truncated/.test(output);
}

/** Git writes names that are not ASCII as octal bytes. */
function withoutEscapes(text: string): string {
  return text.replaceAll(/(?:\\[0-3][0-7]{2})+/g, (bytes) =>
    Buffer.from(
      bytes
        .split("\\")
        .slice(1)
        .map((byte) => Number.parseInt(byte, 8)),
    ).toString(),
  );
}

/** Whether a word of a command line stands for a file: its path, a pattern, or `HEAD:path`. */
function namesFile(word: string, file: string): boolean {
  const path = word.replace(/^[\w@{}~^./-]+:(?=[\w./])/, "");
  if (!/[*?[]/.test(path)) return isSamePath(path, file) || isSamePath(word, file);
  const pattern = RegExp.escape(path.replace(/^\.\//, ""))
    .replaceAll(/(?:\\\*)+/g, ".*")
    .replaceAll("\\?", ".");
  return new RegExp(`(?:^|/)${pattern}$`).test(file);
}

/** Whether a word stands for a folder that a file is in. */
function covers(word: string, file: string): boolean {
  const folder = word.replace(/\/?(?:\*+\/?)*$/, "");
  return /^\.?$/.test(folder) || foldersOf(file).some((each) => isSamePath(each, folder));
}

function foldersOf(path: string): string[] {
  const folder = dirname(path);
  return folder === "." || folder === "/" ? [] : [folder, ...foldersOf(folder)];
}
