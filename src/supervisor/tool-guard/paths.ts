import type { Look } from "./look.ts";
import { checkPlace, isSecret, type Places } from "./places.ts";
import { Refusal, refuseCommand } from "./refusal.ts";
import type { Word } from "./shell.ts";

/** Checks everything that a word may mean as a path. What leads nowhere cannot be read, and passes. */
export function checkWord(word: Word, cwd: string, places: Places, look: Look): void {
  for (const reading of readings(word.text)) {
    const paths = word.hasGlob ? expand(reading, cwd, look) : [absolute(reading, cwd)];
    for (const path of paths) {
      const real = look.realPath(path);
      if (real !== undefined) checkPlace(real, places);
    }
  }
}

/** Where a word leads, if there is something. */
export function placeOf(text: string, cwd: string, look: Look): string | undefined {
  return look.realPath(absolute(text, cwd));
}

/** A path as a whole, the value of an option, or a test in a file. */
function readings(text: string): string[] {
  const equals = text.indexOf("=");
  const value = equals === -1 ? [] : [text.slice(equals + 1)];
  if (text.startsWith("--")) return value;
  if (!text.startsWith("-")) return [text, ...value, text.replace(/::?[^/]*$/, "")];
  // Letters may stand before the value of the last of them.
  const suffixes = Array.from({ length: Math.min(text.length - 2, MOST_LETTERS) }, (_, index) => text.slice(index + 2));
  const slash = text.indexOf("/");
  return [...suffixes, ...(slash === -1 ? [] : [text.slice(slash)]), ...value];
}

const MOST_LETTERS = 12;

export function absolute(path: string, cwd: string): string {
  return /^([A-Za-z]:)?[/\\]/.test(path) ? path : `${cwd}/${path}`;
}

/** The paths that a word with wildcards may stand for, rather too many than too few. */
function expand(pattern: string, cwd: string, look: Look): string[] {
  const path = absolute(pattern, cwd);
  const [root = "", ...parts] = path.split("/");
  let found = [root];
  for (const part of parts) {
    if (part.includes("**")) refuseCommand("the wildcard **");
    found = /[*?[]/.test(part)
      ? found.flatMap((folder) => matches(part, folder, look))
      : found.map((each) => `${each}/${part}`);
    if (found.length > MOST_PATHS) refuseCommand(`${pattern}, which stands for too many files`);
  }
  return found;
}

const MOST_PATHS = 2_000;

function matches(part: string, folder: string, look: Look): string[] {
  const source = part.replace(/\[[^\]]*\]?|[*?]|[^[*?]+/g, (piece) => {
    if (piece === "*") return ".*";
    return piece === "?" || piece.startsWith("[") ? "." : piece.replace(/[\\^$.|+(){}]/g, "\\$&");
  });
  const isMatch = new RegExp(`^${source}$`, "s");
  return look.list(folder || "/").flatMap(({ name }) => (isMatch.test(name) ? [`${folder}/${name}`] : []));
}

/** Refuses to search a folder through and through that has secrets in it. */
export function checkTree(folder: string, places: Places, look: Look): void {
  let seen = 0;
  for (let folders = [folder]; folders.length > 0; ) {
    const deeper: string[] = [];
    for (const each of folders) {
      for (const { name, isFolder } of look.list(each)) {
        const path = `${each}/${name}`;
        if (name === ".git" || name === "node_modules") continue;
        if (++seen > MOST_SEARCHED) throw new Refusal(`${folder} holds too many files: name a folder, or use git grep`);
        if (isSecret(path, places)) {
          throw new Refusal(`not part of the project: ${path} may hold secrets. Name other folders, or use git grep`);
        }
        if (isFolder) deeper.push(path);
      }
    }
    folders = deeper;
  }
}

const MOST_SEARCHED = 20_000;
