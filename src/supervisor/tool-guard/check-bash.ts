import { unsafeKeys } from "../git-overrides.ts";
import { isTestCommand } from "./check-test.ts";
import { checkGit } from "./git.ts";
import type { Look } from "./look.ts";
import { checkOptions } from "./options.ts";
import { absolute, checkTree, checkWord, placeOf } from "./paths.ts";
import { checkPlace, isWithin, type Places } from "./places.ts";
import { checkFind, checkSed, READERS } from "./readers.ts";
import { Refusal, refuseCommand } from "./refusal.ts";
import { parseShell, type Step } from "./shell.ts";
import { TEST_VARIABLE } from "./test-commands.ts";

export interface Situation {
  readonly cwd: string;
  readonly places: Places;
  readonly look: Look;
  /** Keys of git's configuration that the reviewer's environment overrides. */
  readonly overridden: ReadonlySet<string>;
  readonly platform: NodeJS.Platform;
}

/** Refuses a command line unless every program in it may be run so, and all that it names may be read. */
export function checkBash(line: string, situation: Situation): void {
  let { cwd } = situation;
  let isBeginning = true;
  for (const step of parseShell(line, situation.places.home)) {
    checkWords(step, cwd, situation);
    const isTold = ["echo", "printf"].includes(step.words[0]?.text ?? "");
    if (!isTold && step.words.some(({ hasStatus }) => hasStatus)) refuseCommand("$? where it is not printed");
    if (step.words[0]?.text === "cd") {
      // Anywhere else it may be skipped, or be undone at the end of a pipe.
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
    // To Git Bash /c/ is a drive, which Windows itself does not know.
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
    if (!/grep$/.test(program) || !(letters.has("r") || args.includes("--recursive"))) return;
    const folders = operands.map((word) => placeOf(word, cwd, look)).filter((path) => path !== undefined);
    for (const folder of folders.length === 0 ? [cwd] : folders) checkTree(folder, places, look);
  }
}

/** `CI=1` and `timeout 60` stand before another command. */
function withoutPrefix(words: readonly string[]): readonly string[] {
  const start = words.findIndex((word) => !TEST_VARIABLE.test(word));
  const rest = start === -1 ? [] : words.slice(start);
  return rest[0] === "timeout" && /^\d+[smh]?$/.test(rest[1] ?? "") ? rest.slice(2) : rest;
}

/** A program of the project by the name of one of the system's. */
function refusePlanted(program: string, { look, places }: Situation): void {
  const path = look.program(program);
  if (path !== undefined && places.folders.some((folder) => isWithin(path, folder)))
    refuseCommand(`${program}, which is a program of the project (${path})`);
}

/** A repository that is not the project's own may name programs that nothing overrides, or look at other files. */
function checkRepository(folders: readonly string[], cwd: string, { look, places, overridden }: Situation): void {
  const folder = folders.reduce((at, each) => absolute(each, at), cwd);
  const keys = look.gitKeys(folder) ?? refuseCommand("git, which does not tell its configuration");
  const [unsafe] = unsafeKeys(keys).filter((key) => !overridden.has(key));
  if (unsafe !== undefined) refuseCommand(`git where ${unsafe} of its configuration names a program`);
  if (!keys.includes("core.worktree")) return;
  const top = look.gitTop(folder);
  if (top !== undefined) checkPlace(top, places);
}
