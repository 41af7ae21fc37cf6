import type { Files } from "../../os/files.ts";
import { join } from "../../os/path.ts";
import type { Git } from "./own-git.ts";

/** Clears the marks in a copied index that make git ignore changes to a file. A file that is not there keeps its mark. */
export async function clearMarks(files: Files, git: Git, top: string): Promise<void> {
  const { assumed, skipped } = parseMarks(await git(["ls-files", "-v", "-z"]));
  const isThere = (path: string) => files.entry(join(top, path)) !== undefined;
  for (const [option, paths] of [
    ["--no-assume-unchanged", assumed.filter(isThere)],
    ["--no-skip-worktree", skipped.filter(isThere)],
  ] as const) {
    const list = paths.map((path) => `${path}\0`).join("");
    if (list !== "") await git(["update-index", option, "-z", "--stdin"], list);
  }
}

/** From `git ls-files -v -z`: a small letter stands for an assumed file, S for a skipped one. */
export function parseMarks(output: string): { readonly assumed: string[]; readonly skipped: string[] } {
  const entries = output.split("\0").map((entry) => ({ tag: entry.slice(0, 1), path: entry.slice(2) }));
  const tagged = (pattern: RegExp) => entries.filter(({ tag }) => pattern.test(tag)).map(({ path }) => path);
  return { assumed: tagged(/[a-z]/), skipped: tagged(/S/i) };
}
