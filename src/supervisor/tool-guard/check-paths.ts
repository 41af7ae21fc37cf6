import type { Disk } from "./machine.ts";
import type { Word } from "./parse-shell.ts";
import { checkPlace, isSecret, isWindowsPath, type ReadablePlaces } from "./readable-places.ts";
import { Refusal, refuseCommand } from "./refusal.ts";

/** Checks every path that a word may stand for. A path to nothing passes: there is nothing to read. */
export function checkWord(word: Word, cwd: string, places: ReadablePlaces, machine: Disk): void {
  if (word.hasGlob) checkOptionsByName(word.text, cwd, machine);
  for (const reading of readings(word.text)) {
    const paths = word.hasGlob ? expand(reading, cwd, machine) : [absolute(reading, cwd)];
    for (const path of paths) {
      const real = machine.realPath(path);
      if (real !== undefined) checkPlace(real, places);
    }
  }
}

/** A wildcard may expand to a file name with a leading dash, which the program takes for an option. */
function checkOptionsByName(text: string, cwd: string, machine: Disk): void {
  const isOption = /^-[^=]*[*?[]/.test(text) || expand(text, cwd, machine).some((path) => path.startsWith(`${cwd}/-`));
  if (isOption && !/^--?\w[\w-]*=/.test(text)) refuseCommand(`${text}, which may stand for options`);
}

/** The real path of a word; undefined if nothing is there. */
export function placeOf(text: string, cwd: string, machine: Disk): string | undefined {
  return machine.realPath(absolute(text, cwd));
}

/** The whole word, even if it looks like an option; the value of an option in it; the file in `file::test`. */
function readings(text: string): string[] {
  const found = [text];
  if (text.includes("=")) found.push(text.slice(text.indexOf("=") + 1));
  if (text.includes(":")) found.push(text.replace(/::?[^/]*$/, ""));
  // In `-abVALUE`, the value may start after any letter.
  const [, letters = ""] = /^-(\w*)(?!$)/.exec(text) ?? [];
  // Each of them is looked up on the disk.
  if (letters.length > MOST_LETTERS) refuseCommand(`a value behind more than ${MOST_LETTERS} letters of options`);
  // A loop, because the engine has to compile its own `Array.from` when it is first used.
  for (let at = 2; at < letters.length + 2; at++) found.push(text.slice(at));
  return found;
}

const MOST_LETTERS = 100;

/** Elsewhere than on Windows, a name may begin with a backslash or with `C:`. */
export function absolute(path: string, cwd: string): string {
  const isAbsolute = isWindowsPath(cwd) ? /^([A-Za-z]:)?[/\\]/.test(path) : path.startsWith("/");
  return isAbsolute ? path : `${cwd}/${path}`;
}

/** The paths that a word with wildcards may stand for; too many rather than too few. */
function expand(pattern: string, cwd: string, machine: Disk): string[] {
  const path = absolute(pattern, cwd);
  const [root = "", ...parts] = path.split("/");
  let found = [root];
  for (const part of parts) {
    if (part.includes("**")) refuseCommand("the wildcard **");
    found = /[*?[]/.test(part)
      ? found.flatMap((folder) => matches(part, folder, machine))
      : found.map((each) => `${each}/${part}`);
    if (found.length > MOST_PATHS) refuseCommand(`${pattern}, which stands for too many files`);
  }
  return found;
}

const MOST_PATHS = 2_000;

function matches(part: string, folder: string, machine: Disk): string[] {
  const source = part.replace(/\[[^\]]*\]?|[*?]|[^[*?]+/g, (piece) => {
    if (piece === "*") return ".*";
    return piece === "?" || piece.startsWith("[") ? "." : piece.replace(/[\\^$.|+(){}]/g, "\\$&");
  });
  const isMatch = new RegExp(`^${source}$`, "s");
  return machine.list(folder || "/").flatMap(({ name }) => (isMatch.test(name) ? [`${folder}/${name}`] : []));
}

/** Refuses a recursive search of a folder with secrets in it. `isGitSearched`: whether the search includes `.git`. */
export function checkTree(folder: string, places: ReadablePlaces, machine: Disk, isGitSearched = false): void {
  let seen = 0;
  for (let folders = [folder]; folders.length > 0; ) {
    const deeper: string[] = [];
    for (const each of folders) {
      for (const { name, isFolder } of machine.list(each)) {
        const path = `${each}/${name}`;
        if ((name === ".git" && !isGitSearched) || name === "node_modules") continue;
        if (++seen > MOST_SEARCHED)
          throw new Refusal(`${folder} has too many files: search a subfolder, or use git grep`);
        if (isSecret(path, places)) {
          throw new Refusal(
            `not part of the project: ${path} may contain secrets. Search other folders, or use git grep`,
          );
        }
        if (isFolder) deeper.push(path);
      }
    }
    folders = deeper;
  }
}

const MOST_SEARCHED = 20_000;
