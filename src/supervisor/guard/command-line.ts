import type { Disk, Machine } from "./disk.ts";
import { checkGit, LIST_KEYS, overriddenKeys, repositoryKeys, unsafeKeys } from "./git.ts";
import {
  absolute,
  checkPlace,
  checkTree,
  checkWord,
  isWithinAny,
  placeOf,
  Refusal,
  refuseCommand,
  type ToolContext,
} from "./judge.ts";
import { checkFind, checkOptions, checkSed, isTestCommand, READERS, TEST_VARIABLE } from "./programs.ts";

/** Refuses a command line, by throwing, unless it only reads or runs tests. */
export function guardBash(line: string, context: ToolContext, env: NodeJS.ProcessEnv): void {
  checkBash(line, {
    ...context,
    machine: machineOf(context.machine, env),
    get overridden() {
      return overriddenKeys(env);
    },
  });
}

function machineOf(disk: Disk, env: NodeJS.ProcessEnv): Machine {
  const git = (folder: string, ...args: string[]) => {
    const { success, stdout } = Bun.spawnSync(["git", ...args], {
      cwd: folder,
      env,
      stdin: "ignore",
      stderr: "ignore",
    });
    return success ? stdout.toString() : undefined;
  };
  return {
    ...disk,
    program: (name) => disk.realPath(Bun.which(name, { PATH: env.PATH ?? "" }) ?? ""),
    gitKeys: (folder) => {
      const list = git(folder, ...LIST_KEYS);
      return list === undefined ? undefined : repositoryKeys(list);
    },
    gitTop: (folder) => disk.realPath(git(folder, "rev-parse", "--show-toplevel")?.trim() ?? ""),
  };
}

/** Where a command runs, and what it may read. */
export interface GuardContext extends ToolContext {
  readonly machine: Machine;
  /** Git configuration keys that the reviewer's environment overrides. */
  readonly overridden: ReadonlySet<string>;
}

/** Refuses a command line unless it runs only allowed programs with allowed arguments, on readable paths. */
export function checkBash(line: string, context: GuardContext): void {
  let { cwd } = context;
  let isBeginning = true;
  for (const command of parseShell(line, context.places.home)) {
    checkWords(command, cwd, context);
    const isPrinted = ["echo", "printf"].includes(command.words[0]?.text ?? "");
    const words: string[] = [];
    for (const { text, hasStatus } of command.words) {
      if (hasStatus && !isPrinted) refuseCommand("$? where it is not printed");
      words.push(text);
    }
    if (command.words[0]?.text === "cd") {
      // Elsewhere the shell may skip it, or undo it at the end of a pipe.
      if (!isBeginning || command.isPiped) refuseCommand("cd anywhere but at the beginning");
      cwd = enter(command, cwd, context.machine);
    } else {
      isBeginning = false;
      checkCommand(words, cwd, context);
    }
  }
}

function checkWords({ words, inputs }: ShellCommand, cwd: string, { places, machine, platform }: GuardContext): void {
  for (const word of [...words, ...inputs]) {
    // Git Bash reads /c/ as a drive; Windows does not.
    if (platform === "win32" && /^\/(?!dev\/null$)/.test(word.text))
      throw new Refusal(`not part of the project: ${word.text}`);
    checkWord(word, cwd, places, machine);
  }
}

function enter({ words }: ShellCommand, cwd: string, machine: Machine): string {
  const [, to] = words;
  if (to === undefined || to.hasGlob || words.length > 2 || to.text.startsWith("-"))
    refuseCommand("cd without a folder");
  return placeOf(to.text, cwd, machine) ?? refuseCommand(`cd to ${to.text}, where there is nothing`);
}

function checkCommand(words: readonly string[], cwd: string, context: GuardContext): void {
  const { machine, places } = context;
  const [program = "", ...args] = withoutPrefix(words);
  if (!isReader(program)) {
    const isThere = (path: string) => path !== "" && placeOf(path, cwd, machine) !== undefined;
    if (!isTestCommand([program, ...args], isThere)) refuseCommand(`the command ${program || "(none)"}`);
    return;
  }
  refusePlanted(program, context);
  if (program === "find") checkFind(args);
  else if (program === "sed") checkSed(args);
  else if (program === "git") checkRepository(checkGit(args).folders, cwd, context);
  else if (READERS[program] !== undefined) {
    const { letters, operands } = checkOptions(program, args, READERS[program]);
    const folders: string[] = [];
    for (const word of operands) folders.push(...foldersAt(word, cwd, machine));
    // It would follow links in them.
    if (program === "diff" && folders.length > 0) refuseCommand("diff of folders");
    if (!program.endsWith("grep")) return;
    const isEverywhere = folders.length === 0 && (letters.has("r") || args.includes("--recursive"));
    // Claude Code's own grep, a function of its shell, leaves out .git. `egrep` and `timeout 9 grep` do not run it.
    const isGitSearched = words[0] !== "grep";
    for (const folder of isEverywhere ? [cwd] : folders) checkTree(folder, places, machine, isGitSearched);
  }
}

function isReader(program: string): boolean {
  return Object.hasOwn(READERS, program) || ["find", "sed", "git"].includes(program);
}

/** The folder that a word names, if it does. */
function foldersAt(word: string, cwd: string, machine: Machine): string[] {
  const path = word === "" ? undefined : placeOf(word, cwd, machine);
  return path !== undefined && machine.list(path).length > 0 ? [path] : [];
}

/** Drops prefixes such as `CI=1` and `timeout 60`. */
function withoutPrefix(words: readonly string[]): readonly string[] {
  let start = 0;
  while (TEST_VARIABLE.test(words[start] ?? "")) start++;
  const rest = words.slice(start);
  return rest[0] === "timeout" && /^\d+[smh]?$/.test(rest[1] ?? "") ? rest.slice(2) : rest;
}

/** Refuses a program of the project with the name of a system program. */
function refusePlanted(program: string, { machine, places }: GuardContext): void {
  const path = machine.program(program);
  if (path !== undefined && isWithinAny(path, places.folders))
    refuseCommand(`${program}, which is a program of the project (${path})`);
}

/** Another repository may configure programs that are not overridden, or a work tree elsewhere. */
function checkRepository(folders: readonly string[], cwd: string, { machine, places, overridden }: GuardContext): void {
  const folder = folders.reduce((at, each) => absolute(each, at), cwd);
  const keys = machine.gitKeys(folder) ?? refuseCommand("git, since its configuration cannot be read");
  const [unsafe] = unsafeKeys(keys).filter((key) => !overridden.has(key));
  if (unsafe !== undefined) refuseCommand(`git in a repository whose configuration sets ${unsafe}`);
  if (!keys.includes("core.worktree")) return;
  const top = machine.gitTop(folder);
  if (top !== undefined) checkPlace(top, places);
}

/** A word of a command line, after quotes are removed. */
export interface Word {
  readonly text: string;
  readonly hasGlob: boolean;
  /** Whether it contains `$?`, whose value is not known in advance. */
  readonly hasStatus: boolean;
}

/** One simple command. */
export interface ShellCommand {
  readonly words: Word[];
  /** Files read with `<`. */
  readonly inputs: Word[];
  isPiped: boolean;
}

/**
 * Parses a command line as POSIX shells, bash and zsh do. It refuses whatever they could read differently: variables,
 * substitutions, groups, redirections to files.
 */
export function parseShell(line: string, home: string): ShellCommand[] {
  if (/[^\P{Cc}\t\n]/u.test(line)) refuseCommand("a control character");
  const commands: ShellCommand[] = [];
  let command: ShellCommand = { words: [], inputs: [], isPiped: false };
  let at = 0;
  const endCommand = (isPiped: boolean) => {
    const isEmpty = command.words.length === 0 && command.inputs.length === 0;
    if (!isEmpty) commands.push({ ...command, isPiped: command.isPiped || isPiped });
    command = { words: [], inputs: [], isPiped };
  };
  while (at < line.length) {
    const rest = line.slice(at);
    const space = rest.match(/^([ \t]|\\\n)+/)?.[0];
    // No operators in it, in case a shell does not treat it as a comment.
    const comment = rest.match(/^#[^\n;&|<>()`$\\'"]*(?=\n|$)/)?.[0];
    const operator = rest.match(/^(&&|\|\||[|;\n])(?!&)/)?.[0];
    const redirection = rest.match(/^(&>>?|\d*(<<|<>|<&|<\(|>\(|>\||>>|>&|<|>))/)?.[0];
    if (space !== undefined) at += space.length;
    else if (comment !== undefined) at += comment.length;
    else if (operator !== undefined) {
      at += operator.length;
      endCommand(operator === "|");
    } else if (redirection !== undefined) {
      const { word, end } = target(line, at + redirection.length, home);
      if (/^\d*<$/.test(redirection)) command.inputs.push(word);
      else if (!isHarmless(redirection, word.text)) refuseCommand(`the redirection ${redirection}${word.text}`);
      at = end;
    } else {
      const { word, end } = readWord(line, at, home);
      command.words.push(word);
      at = end;
    }
  }
  endCommand(false);
  return commands;
}

function target(line: string, from: number, home: string) {
  const start = from + (line.slice(from).match(/^[ \t]*/)?.[0].length ?? 0);
  return readWord(line, start, home);
}

function isHarmless(redirection: string, to: string): boolean {
  return redirection.endsWith(">&") ? /^[12]$/.test(to) : /^(&|\d*)>>?$/.test(redirection) && to === "/dev/null";
}

const ENDS_WORD = /[\s;&|<>]/;

function readWord(line: string, from: number, home: string): { word: Word; end: number } {
  let text = "";
  let hasGlob = false;
  let hasStatus = false;
  let at = from;
  for (; at < line.length && !ENDS_WORD.test(line[at] ?? ""); at++) {
    const char = line[at] ?? "";
    const next = line[at + 1] ?? "";
    if (char === "'") {
      const end = line.indexOf("'", at + 1);
      if (end === -1) refuseCommand("an unclosed quote");
      text += line.slice(at + 1, end);
      at = end;
    } else if (char === '"') {
      const quoted = readQuoted(line, at + 1);
      text += quoted.text;
      hasStatus ||= quoted.hasStatus;
      at = quoted.end;
    } else if (char === "\\") {
      // It would join both lines, for example a $ and a name.
      if (next === "" || next === "\n") refuseCommand("a backslash at the end of a line");
      text += next;
      at++;
    } else if (char === "$") {
      if (/[\w{(['"!@#*$-]/.test(next)) refuseCommand("a variable or a substitution");
      hasStatus ||= next === "?";
      text += char;
    } else if ("`()".includes(char) || (char === "{" && !isBraces(line, from, at)))
      refuseCommand(`an unquoted ${char}`);
    else if (at === from && "=#".includes(char)) refuseCommand(`a word that begins with ${char}`);
    else if (char === "~" && /[=:]/.test(line[at - 1] ?? "")) refuseCommand("~ in the middle of a word");
    else if (at === from && char === "~") {
      if (next !== "" && next !== "/" && !ENDS_WORD.test(next)) refuseCommand("the home folder of another user");
      text += home;
    } else {
      hasGlob ||= "*?[".includes(char);
      text += char;
    }
  }
  if (at === from) refuseCommand(`"${line[at] ?? "the end"}" where a word should be`);
  return { word: { text, hasGlob, hasStatus }, end: at };
}

/** `{}` is an argument of find and has no meaning to a shell. */
function isBraces(line: string, from: number, at: number): boolean {
  return at === from && /^\{\}(?=[\s;&|<>]|$)/.test(line.slice(at));
}

function readQuoted(line: string, from: number): { text: string; hasStatus: boolean; end: number } {
  let text = "";
  let hasStatus = false;
  for (let at = from; at < line.length; at++) {
    const char = line[at] ?? "";
    const next = line[at + 1] ?? "";
    if (char === '"') return { text, hasStatus, end: at };
    if (char === "`" || (char === "$" && /[\w{([!@#*$-]/.test(next))) refuseCommand("a variable or a substitution");
    hasStatus ||= char === "$" && next === "?";
    if (char === "\\" && next === "\n") refuseCommand("a backslash at the end of a line");
    if (char === "\\" && '$`"\\'.includes(next)) {
      text += next;
      at++;
    } else text += char;
  }
  return refuseCommand("an unclosed quote");
}
