import { checkGit, LIST_KEYS, overriddenKeys, repositoryKeys, unsafeKeys } from "./git.ts";
import type { ToolContext } from "./judge.ts";
import { absolute, checkPlace, checkTree, type Disk, isWithin, Refusal, refuseCommand } from "./places.ts";
import { checkReader, isTestCommand, TEST_VARIABLE } from "./programs.ts";
import { hasSecretName } from "./secret-names.ts";
import { parseShell, pathsOf, type ShellCommand } from "./shell.ts";

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
  /** The configuration keys that a folder's repository sets; undefined if git fails. */
  readonly gitKeys: (folder: string) => readonly string[] | undefined;
  /** The tracked files among these paths, or in the folder. */
  readonly tracked: (folder: string, paths: readonly string[]) => readonly string[];
  /** The top folder of git's work tree. */
  readonly gitTop: (folder: string) => string | undefined;
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
    tracked: (folder, paths) => (git(folder, "ls-files", "-z", "--", ...paths) ?? "").split("\0"),
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
    const words = command.words.map(({ text }) => text);
    const [program = ""] = withoutPrefix(words);
    const isPrinted = program === "echo" || program === "printf";
    for (const { hasStatus, hasGlob } of command.words) {
      if (hasStatus && !isPrinted) refuseCommand("$? where it is not printed");
      // A file name would be the format.
      if (hasGlob && program === "printf") refuseCommand("printf with an unquoted wildcard");
    }
    if (words[0] === "cd") {
      // Elsewhere the shell may skip it, or undo it at the end of a pipe.
      if (!isBeginning || command.isPiped) refuseCommand("cd anywhere but at the beginning");
      cwd = enter(command, cwd, context.machine);
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
    for (const path of pathsOf(word, cwd, machine)) {
      const real = machine.realPath(path);
      if (real !== undefined) checkPlace(real, places);
    }
  }
}

function enter({ words }: ShellCommand, cwd: string, machine: Machine): string {
  const [, to] = words;
  if (to === undefined || to.hasGlob || words.length > 2 || /^[-+]/.test(to.text)) refuseCommand("cd without a folder");
  return placeOf(to.text, cwd, machine) ?? refuseCommand(`cd to ${to.text}, where there is nothing`);
}

function checkCommand(words: readonly string[], cwd: string, context: GuardContext): void {
  const { machine, places } = context;
  const [program = "", ...args] = withoutPrefix(words);
  if (program === "git") {
    refusePlanted(program, context);
    const { folders, searched } = checkGit(args);
    const folder = folders.reduce((at, each) => absolute(each, at), cwd);
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
  // It would follow links in them.
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

/** Another repository may configure programs that are not overridden, or a work tree elsewhere. */
function checkRepository(folder: string, { machine, places, overridden }: GuardContext): void {
  const keys = machine.gitKeys(folder) ?? refuseCommand("git, since its configuration cannot be read");
  const [unsafe] = unsafeKeys(keys).filter((key) => !overridden.has(key));
  if (unsafe !== undefined) refuseCommand(`git in a repository whose configuration sets ${unsafe}`);
  if (!keys.includes("core.worktree")) return;
  const top = machine.gitTop(folder);
  if (top !== undefined) checkPlace(top, places);
}
