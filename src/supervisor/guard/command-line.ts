import { type ShellToken, shellTokens, type WordPiece, wordPieces } from "../../text/shell.ts";
import {
  checkGit,
  LIST_FOLDERS,
  LIST_KEYS,
  LIST_MODULES,
  MODULES,
  overriddenKeys,
  repositoryKeys,
  unsafeKeys,
} from "./git.ts";
import type { ToolContext } from "./judge.ts";
import { absolute, checkPlace, checkTree, type Disk, isWithin, Refusal, refuseCommand } from "./places.ts";
import { checkReader, isTestCommand, TEST_VARIABLE } from "./programs.ts";
import { gitPlaces, isWorktreeOf } from "./repository.ts";
import { hasSecretName } from "./secret-names.ts";

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

/** The guard's view of the machine, for commands. */
export interface Machine extends Disk {
  /** The path of a program in PATH. */
  readonly program: (name: string) => string | undefined;
  /** The tracked files among these paths, or in the folder. */
  readonly tracked: (folder: string, paths: readonly string[]) => readonly string[];
  /** The repository that git uses in a folder; undefined if there is none, or if git fails. */
  readonly repository: (folder: string) => GitRepository | undefined;
}

interface GitRepository {
  /** The configuration keys that it sets. */
  readonly keys: readonly string[];
  /** The keys of its `.gitmodules`. For these git reads objects, so its configuration must be harmless. */
  readonly moduleKeys: () => readonly string[];
  /** Git's folders: this worktree's, all worktrees', the objects. */
  readonly folders: readonly string[];
  /** The top folder of the work tree, if it has one. */
  readonly top: string | undefined;
}

function machineOf(disk: Disk, env: NodeJS.ProcessEnv): Machine {
  const run = (folder: string, args: readonly string[], stdin = "") => {
    const options = { cwd: folder, env, stdin: Buffer.from(stdin), stderr: "ignore" } as const;
    try {
      const { success, stdout } = Bun.spawnSync(["git", ...args], options);
      return { success, text: stdout.toString() };
    } catch {
      // There is no such folder, or no git.
      return { success: false, text: "" };
    }
  };
  /** The keys of `.gitmodules`, where git finds it. */
  const moduleKeys = (folder: string, top: string) => {
    const file = `${top}/.gitmodules`;
    const inTree = disk.realPath(file) === undefined ? [] : [[...LIST_MODULES, "--file", file]];
    const answers = inTree.length > 0 ? "" : run(folder, ["cat-file", "--batch-check"], MODULES.join("\n")).text;
    const blobs = answers
      .split("\n")
      .flatMap((line) => (/ blob /.exec(line) === null ? [] : [line.split(" ")[0] ?? ""]));
    const lists = [...inTree, ...blobs.map((id) => [...LIST_MODULES, "--blob", id])];
    return lists.flatMap((args) => run(folder, args).text.split("\n"));
  };
  return {
    ...disk,
    program: (name) => disk.realPath(Bun.which(name, { PATH: env.PATH ?? "" }) ?? ""),
    tracked: (folder, paths) => run(folder, ["ls-files", "-z", "--", ...paths]).text.split("\0"),
    repository: (folder) => {
      const list = run(folder, LIST_KEYS);
      const { text } = run(folder, LIST_FOLDERS);
      const [isInside, ...lines] = text.replace(/\n$/, "").split("\n");
      const [gitDir, common, objects, top] = lines;
      // There are more lines if a name has a line break.
      const hasAll = lines.length === (isInside === "true" ? 4 : 3);
      if (!list.success || !hasAll || !gitDir || !common || !objects) return undefined;
      return {
        keys: repositoryKeys(list.text),
        moduleKeys: () => (top ? moduleKeys(folder, top) : []),
        folders: [gitDir, common, objects].map((each) => absolute(each, folder)),
        top: top ? disk.realPath(top) : undefined,
      };
    },
  };
}

/** Where a command runs, and what it may read. */
interface GuardContext extends ToolContext {
  readonly machine: Machine;
  /** Git configuration keys that the reviewer's environment overrides. */
  readonly overridden: ReadonlySet<string>;
}

/** Refuses a command line unless it runs only allowed programs with allowed arguments, on readable paths. */
export function checkBash(line: string, context: GuardContext): void {
  let { cwd } = context;
  let named = cwd;
  let isBeginning = true;
  for (const command of parseShell(line, context.places.home)) {
    checkWords(command, cwd, context);
    const words = command.words.flatMap((word) => wordsOf(word, cwd, context.machine));
    const [program = ""] = withoutPrefix(words);
    const isPrinted = program === "echo" || program === "printf";
    for (const { hasStatus, hasGlob } of command.words) {
      if (hasStatus && !isPrinted) refuseCommand("$? where it is not printed");
      // A file name would be the format.
      if (hasGlob && program === "printf") refuseCommand("printf with an unquoted wildcard");
    }
    if (words[0] === "cd") {
      // Elsewhere the shell may skip it, or undo it at the end of a pipe.
      if (!isBeginning || command.isPiped || command.isAlternative) refuseCommand("cd anywhere but at the beginning");
      const to = folderOf(command);
      cwd = placeOf(`${to}/.`, cwd, context.machine) ?? refuseCommand(`cd to ${to}, where there is no folder to enter`);
      named = withoutDots(absolute(to, named));
      // A shell takes `..` from the path as written; everything else follows links first.
      if (context.machine.realPath(named) !== cwd) refuseCommand(`cd through a link, and out of it with ..`);
    } else {
      isBeginning = false;
      checkCommand(words, cwd, context);
    }
  }
}

/** Checks every path that a word may stand for. A path to nothing passes: there is nothing to read. */
function checkWords({ words, inputs }: ShellCommand, cwd: string, { places, machine, platform }: GuardContext): void {
  for (const word of [...words, ...inputs]) {
    // Git Bash reads /c/ as a drive; Windows does not.
    if (platform === "win32" && /^\/(?!dev\/null$)/.test(word.text))
      throw new Refusal(`not part of the project: ${word.text}`);
    checkPaths(pathsOf(word, cwd, machine), cwd, { machine, places });
  }
}

function checkPaths(paths: readonly string[], cwd: string, context: Pick<GuardContext, "machine" | "places">): void {
  for (const path of paths) {
    const real = placeOf(path, cwd, context.machine);
    if (real !== undefined) checkPlace(real, context.places);
  }
}

function folderOf({ words }: ShellCommand): string {
  const [, to] = words;
  if (!to?.text || to.hasGlob || words.length > 2 || /^[-+]/.test(to.text)) refuseCommand("cd without a folder");
  return to.text;
}

function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `${path.startsWith("/") ? "/" : ""}${parts.join("/")}`;
}

function checkCommand(words: readonly string[], cwd: string, context: GuardContext): void {
  const { machine, places } = context;
  const [program = "", ...args] = withoutPrefix(words);
  if (program === "git") {
    refusePlanted(program, context);
    const { folders, searched } = checkGit(args);
    const folder = folders.reduce((at, each) => absolute(each, at), cwd);
    // Git takes all paths from there.
    if (folders.length > 0) for (const text of args) checkPaths(readings(text), folder, context);
    checkRepository(folder, context);
    if (searched !== undefined) refuseTracked(machine.tracked(folder, searched));
    return;
  }
  const read = checkReader(program, args);
  if (read === undefined) {
    const isThere = (path: string) => path !== "" && placeOf(path, cwd, machine) !== undefined;
    if (!isTestCommand([program, ...args], isThere)) refuseCommand(`the command ${program || "(none)"}`);
    return;
  }
  refusePlanted(program, context);
  const folders: string[] = [];
  for (const word of read.operands) folders.push(...foldersAt(word, cwd, machine));
  // diff follows links in folders.
  if (program === "diff" && folders.length > 0) refuseCommand("diff of folders");
  if (!program.endsWith("grep")) return;
  const isEverywhere = folders.length === 0 && (read.letters.has("r") || args.includes("--recursive"));
  // Claude Code's own grep, a function of its shell, leaves out .git. `egrep` and `timeout 9 grep` do not run it.
  const isGitSearched = words[0] !== "grep";
  for (const folder of isEverywhere ? [cwd] : folders) checkTree(folder, places, machine, isGitSearched);
}

/** Refuses `git grep` where the files that it searches include one with secrets. */
function refuseTracked(files: readonly string[]): void {
  const secret = files.find((path) => hasSecretName(`/${path}`));
  if (secret === undefined) return;
  throw new Refusal(
    `not part of the project: ${secret} may contain secrets. Search a folder without it (git grep … -- src), or leave it out (git grep … -- . ':!${secret}')`,
  );
}

/** The real path of a word; undefined if nothing is there. */
function placeOf(text: string, cwd: string, machine: Machine): string | undefined {
  return machine.realPath(absolute(text, cwd));
}

/** The folder that a word names, if any. */
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
  if (path !== undefined && isWithin(path, ...places.folders))
    refuseCommand(`${program}, which is a program of the project (${path})`);
}

/** Refuses a repository whose configuration may name programs that are not overridden, or lead to files elsewhere. */
function checkRepository(folder: string, { machine, places, overridden }: GuardContext): void {
  const found = machine.repository(folder) ?? refuseCommand("git where it finds no repository that it can read");
  const { keys, moduleKeys, folders, top } = found;
  const refuseUnsafe = (some: readonly string[]) => {
    const [unsafe] = unsafeKeys(some, overridden);
    if (unsafe !== undefined) refuseCommand(`git in a repository whose configuration sets ${unsafe}`);
  };
  refuseUnsafe(keys);
  if (keys.includes("core.worktree") && top !== undefined) checkPlace(top, places);
  const isWorktree = top !== undefined && isWorktreeOf(folders, top, machine);
  const known = [...places.folders, ...places.gitFolders, ...(isWorktree ? gitPlaces(folders.slice(1), machine) : [])];
  const elsewhere = gitPlaces(folders, machine).find((each) => !isWithin(each, ...known));
  if (elsewhere !== undefined) {
    throw new Refusal(
      `not part of the project: git would read ${elsewhere}, which was not the project's repository when the session was launched`,
    );
  }
  refuseUnsafe(moduleKeys());
}

/** A word of a command line, after quotes are removed. */
interface Word {
  readonly text: string;
  readonly hasGlob: boolean;
  /** Whether it contains `$?`, whose value is not known in advance. */
  readonly hasStatus: boolean;
}

/** One simple command. */
interface ShellCommand {
  readonly words: Word[];
  /** Files read with `<`. */
  readonly inputs: Word[];
  isPiped: boolean;
  /** Whether it runs only if the one before it fails. */
  readonly isAlternative: boolean;
}

/**
 * Parses a command line as POSIX shells, bash and zsh do. It refuses whatever they could read differently: variables,
 * substitutions, groups, redirections to files.
 */
export function parseShell(line: string, home: string): ShellCommand[] {
  if (/[^\P{Cc}\t\n]/u.test(line)) refuseCommand("a control character");
  const tokens = shellTokens(line);
  const commands: ShellCommand[] = [];
  let command: ShellCommand = { words: [], inputs: [], isPiped: false, isAlternative: false };
  const endCommand = (operator: string) => {
    const isPiped = operator === "|";
    const isEmpty = command.words.length === 0 && command.inputs.length === 0;
    if (!isEmpty) commands.push({ ...command, isPiped: command.isPiped || isPiped });
    command = { words: [], inputs: [], isPiped, isAlternative: operator === "||" };
  };
  for (let at = 0; at < tokens.length; at++) {
    const { kind = "blank", raw = "" } = tokens[at] ?? {};
    const next = tokens[at + 1]?.raw ?? "";
    if (kind === "unclosed") refuseCommand(raw === "\\" ? "a backslash at the end of a line" : "an unclosed quote");
    if (kind === "blank") continue;
    const number = kind === "word" && /^\d+$/.test(raw) && /^[<>]/.test(next) ? raw : "";
    const operator = number === "" ? raw : next;
    if (kind === "word" && raw.startsWith("#")) at = endOfComment(tokens, at);
    else if (kind === "word" && number === "") command.words.push(readWord(raw, home));
    else if (operator.includes("<") || operator.includes(">")) {
      if (number !== "") at++;
      // Only blanks may precede the file.
      if (/^[ \t]+$/.test(tokens[at + 1]?.raw ?? "")) at++;
      const target = tokens[++at];
      if (target?.kind !== "word") refuseCommand(`the redirection ${number}${operator}`);
      const word = readWord(target.raw, home);
      if (operator === "<") command.inputs.push(word);
      else if (!isHarmless(number + operator, word.text))
        refuseCommand(`the redirection ${number}${operator}${word.text}`);
    } else {
      if (!["&&", "||", "|", ";", "\n"].includes(raw) || next.startsWith("&")) refuseCommand(`an unquoted ${raw}`);
      endCommand(raw);
    }
  }
  endCommand("");
  return commands;
}

/** Every path that a word may stand for; too many rather than too few. */
function pathsOf({ text, hasGlob }: Word, cwd: string, disk: Disk): string[] {
  if (hasGlob) refuseOptions(text, cwd, disk);
  const paths: string[] = [];
  for (const reading of readings(text))
    paths.push(...(hasGlob ? expanded(reading, cwd, disk) : [absolute(reading, cwd)]));
  return paths;
}

/** The words that a command gets for one of its words. */
function wordsOf({ text, hasGlob }: Word, cwd: string, disk: Disk): string[] {
  const found = hasGlob ? expanded(text, cwd, disk) : [];
  return found.length > 0 ? found : [text];
}

/** The last token of a comment. It has no operators and no quotes, in case a shell does not treat it as a comment. */
function endOfComment(tokens: readonly ShellToken[], from: number): number {
  const newline = tokens.findIndex(({ raw }, at) => at > from && raw === "\n");
  const end = newline === -1 ? tokens.length : newline;
  const isPlain = ({ kind, raw }: ShellToken) => (kind === "word" || kind === "blank") && !/[`$\\'"]/.test(raw);
  if (!tokens.slice(from, end).every(isPlain)) refuseCommand("a word that begins with #");
  return end - 1;
}

function isHarmless(redirection: string, to: string): boolean {
  return redirection.endsWith(">&") ? /^[12]$/.test(to) : /^(&|\d*)>>?$/.test(redirection) && to === "/dev/null";
}

function readWord(raw: string, home: string): Word {
  // Also as a file name after a redirection, where shells take it for a comment.
  if (raw.startsWith("=") || raw.startsWith("#")) refuseCommand(`a word that begins with ${raw[0]}`);
  const isInHome = raw.startsWith("~");
  if (isInHome && (raw[1] ?? "/") !== "/") refuseCommand("the home folder of another user");
  const pieces = wordPieces(raw);
  let text = "";
  let hasGlob = false;
  let hasStatus = false;
  let at = 0;
  // One loop: the engine has to compile `entries`, `map` and `some` when they are first used.
  for (const piece of pieces) {
    // `{}` is an argument of find, and means nothing to a shell.
    if (raw !== "{}") refuseExpansion(piece, pieces[at - 1], pieces[at + 1]);
    text += piece.text;
    hasGlob ||= piece.quote === "" && /[*?[]/.test(piece.raw);
    hasStatus ||= (piece.quote === "" || piece.quote === '"') && unescaped(piece).includes("$?");
    at++;
  }
  return { text: isInHome ? home + text.slice(1) : text, hasGlob, hasStatus };
}

/** Refuses a piece that is not, character by character, what the command gets. */
function refuseExpansion(piece: WordPiece, before: WordPiece | undefined, after: WordPiece | undefined): void {
  const { quote, raw } = piece;
  if (quote === "'") return;
  const written = unescaped(piece);
  // The shell joins both lines, for example a $ and a name.
  if (quote === "\\" ? raw === "\n" : written.includes("\\\n")) refuseCommand("a backslash at the end of a line");
  if (quote === "\\") return;
  const isQuoting = quote === "" && raw.endsWith("$") && /^["']$/.test(after?.quote ?? "");
  if (isQuoting || /`|\$[\w{([!@#*$-]/.test(written)) refuseCommand("a variable or a substitution");
  if (quote === '"') return;
  const [special] = /[{\s]/.exec(raw) ?? [];
  if (special !== undefined) refuseCommand(`an unquoted ${special}`);
  const escaped = before?.quote === "\\" ? before.raw : "";
  if (/[=:]~/.test(escaped + raw)) refuseCommand("~ in the middle of a word");
}

/** The piece as written, with a blank for every escaped character. */
function unescaped({ quote, raw }: WordPiece): string {
  return quote === '"' ? raw.replaceAll(/\\[$`"\\]/g, " ") : raw;
}

/** The whole word, even if it looks like an option; the value of an option in it; the file in `file::test`. */
function readings(text: string): string[] {
  const found = [text];
  if (text.includes("=")) found.push(text.slice(text.indexOf("=") + 1));
  if (text.includes(":")) found.push(text.replace(/::?[^/]*$/, ""));
  // In `-abVALUE`, the value may start after any letter.
  const [, letters = ""] = /^-(\w*)(?!$)/.exec(text) ?? [];
  // Each reading is looked up on the disk.
  if (letters.length > MOST_LETTERS) refuseCommand(`a value behind more than ${MOST_LETTERS} letters of options`);
  // A loop, because the engine has to compile its own `Array.from` when it is first used.
  for (let at = 2; at < letters.length + 2; at++) found.push(text.slice(at));
  return found;
}

const MOST_LETTERS = 100;

/** A wildcard may expand to a file name with a leading dash, which the program takes for an option. */
function refuseOptions(text: string, cwd: string, disk: Disk): void {
  const isOption = /^-[^=]*[*?[]/.test(text) || expanded(text, cwd, disk).some((path) => path.startsWith(`${cwd}/-`));
  if (isOption && !/^--?\w[\w-]*=/.test(text)) refuseCommand(`${text}, which may stand for options`);
}

function expanded(pattern: string, cwd: string, disk: Disk): string[] {
  const path = absolute(pattern, cwd);
  const [root = "", ...parts] = path.split("/");
  let found = [root];
  for (const part of parts) {
    if (part.includes("**")) refuseCommand("the wildcard **");
    found = /[*?[]/.test(part)
      ? found.flatMap((folder) => matches(part, folder, disk))
      : found.map((each) => `${each}/${part}`);
    if (found.length > MOST_PATHS) refuseCommand(`${pattern}, which stands for too many files`);
  }
  return found;
}

const MOST_PATHS = 2_000;

/** The names that the part of a pattern may stand for, in any shell and with any encoding of names: rather too many. */
function matches(part: string, folder: string, disk: Disk): string[] {
  // The end of a class depends on what is in it, as in []a] and [[:alpha:]]. Without an end it is text.
  const [begin, end] = [part.indexOf("["), part.search(/[^[\]*?]*$/)];
  const plain = begin < 0 ? part : `${part.slice(0, begin)}*${part.slice(end)}`;
  const source = plain.replace(/[*?]|[^*?]+/g, (piece) =>
    // One character may be several bytes, or two units of UTF-16.
    piece === "*" || piece === "?" ? ".*" : piece.replace(/[\\^$.|+(){}[\]]/g, "\\$&"),
  );
  const isMatch = new RegExp(`^${source}$`, "s");
  return disk.list(folder || "/").flatMap(({ name }) => (isMatch.test(name) ? [`${folder}/${name}`] : []));
}
