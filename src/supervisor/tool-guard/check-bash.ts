import { checkGit } from "./check-git.ts";
import { absolute, checkTree, checkWord, placeOf } from "./check-paths.ts";
import { isTestCommand } from "./check-test.ts";
import { checkOptions } from "./command-options.ts";
import { unsafeKeys } from "./git-overrides.ts";
import type { Look } from "./machine.ts";
import { parseShell, type Step } from "./parse-shell.ts";
import { checkPlace, isWithin, type Places } from "./places.ts";
import { checkFind, checkSed, READERS } from "./readers.ts";
import { Refusal, refuseCommand } from "./refusal.ts";
import { TEST_VARIABLE } from "./test-commands.ts";

export interface Situation {
  readonly cwd: string;
  readonly places: Places;
  readonly look: Look;
  /** Git configuration keys that the reviewer's environment overrides. */
  readonly overridden: ReadonlySet<string>;
  readonly platform: NodeJS.Platform;
}

/** Refuses a command line unless every program in it is allowed with these arguments, and every path readable. */
export function checkBash(line: string, situation: Situation): void {
  let { cwd } = situation;
  let isBeginning = true;
  for (const step of parseShell(line, situation.places.home)) {
    checkWords(step, cwd, situation);
    const isPrinted = ["echo", "printf"].includes(step.words[0]?.text ?? "");
    if (!isPrinted && step.words.some(({ hasStatus }) => hasStatus)) refuseCommand("$? where it is not printed");
    if (step.words[0]?.text === "cd") {
      // Elsewhere the shell may skip it, or undo it at the end of a pipe.
      if (!isBeginning || step.isPiped) refuseCommand("cd anywhere but at the beginning");
      cwd = enter(step, cwd, situation.look);
    } else {
      isBeginning = false;
      checkStep(
        step.words.map(({ text }) => text),
        cwd,
        situation,
      );
    }
  }
}

function checkWords({ words, inputs }: Step, cwd: string, { places, look, platform }: Situation): void {
  for (const word of [...words, ...inputs]) {
    // Git Bash reads /c/ as a drive; Windows does not.
    if (platform === "win32" && /^\/(?!dev\/null$)/.test(word.text))
      throw new Refusal(`not part of the project: ${word.text}`);
    checkWord(word, cwd, places, look);
  }
}

function enter({ words }: Step, cwd: string, look: Look): string {
  const [, to] = words;
  if (to === undefined || to.hasGlob || words.length > 2 || to.text.startsWith("-"))
    refuseCommand("cd without a folder");
  return placeOf(to.text, cwd, look) ?? refuseCommand(`cd to ${to.text}, where there is nothing`);
}

function checkStep(words: readonly string[], cwd: string, situation: Situation): void {
  const { look, places } = situation;
  const [program = "", ...args] = withoutPrefix(words);
  const isThere = (path: string) => path !== "" && placeOf(path, cwd, look) !== undefined;
  if (isTestCommand([program, ...args], isThere)) return;
  const isKnown = Object.hasOwn(READERS, program) || ["find", "sed", "git"].includes(program);
  if (!isKnown) refuseCommand(`the command ${program || "(none)"}`);
  refusePlanted(program, situation);
  if (program === "find") checkFind(args);
  else if (program === "sed") checkSed(args);
  else if (program === "git") checkRepository(checkGit(args).folders, cwd, situation);
  else if (READERS[program] !== undefined) {
    const { letters, operands } = checkOptions(program, args, READERS[program]);
    const folders = operands.flatMap((word) => folderAt(word, cwd, look) ?? []);
    // It would follow links in them.
    if (program === "diff" && folders.length > 0) refuseCommand("diff of folders");
    if (!/grep$/.test(program)) return;
    const isEverywhere = folders.length === 0 && (letters.has("r") || args.includes("--recursive"));
    for (const folder of isEverywhere ? [cwd] : folders) checkTree(folder, places, look);
  }
}

function folderAt(word: string, cwd: string, look: Look): string | undefined {
  const path = word === "" ? undefined : placeOf(word, cwd, look);
  return path !== undefined && look.list(path).length > 0 ? path : undefined;
}

/** Drops prefixes such as `CI=1` and `timeout 60`. */
function withoutPrefix(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !TEST_VARIABLE.test(word));
  const rest = start === -1 ? [] : words.slice(start);
  return rest[0] === "timeout" && /^\d+[smh]?$/.test(rest[1] ?? "") ? rest.slice(2) : rest;
}

/** Refuses a program of the project with the name of a system program. */
function refusePlanted(program: string, { look, places }: Situation): void {
  const path = look.program(program);
  if (path !== undefined && places.folders.some((folder) => isWithin(path, folder)))
    refuseCommand(`${program}, which is a program of the project (${path})`);
}

/** Another repository may configure programs that are not overridden, or a work tree elsewhere. */
function checkRepository(folders: readonly string[], cwd: string, { look, places, overridden }: Situation): void {
  const folder = folders.reduce((at, each) => absolute(each, at), cwd);
  const keys = look.gitKeys(folder) ?? refuseCommand("git, since its configuration cannot be read");
  const [unsafe] = unsafeKeys(keys).filter((key) => !overridden.has(key));
  if (unsafe !== undefined) refuseCommand(`git in a repository whose configuration sets ${unsafe}`);
  if (!keys.includes("core.worktree")) return;
  const top = look.gitTop(folder);
  if (top !== undefined) checkPlace(top, places);
}
