import { dirname, join, resolve } from "node:path";
import { usageError } from "../../errors.ts";
import type { World } from "../../world.ts";

/**
 * The path of the page that `--html FILE` names; an error if nothing can be written there. `example` is a name for the
 * page, should it be a folder.
 */
export function pagePath({ cwd, files }: Pick<World, "cwd" | "files">, file: string, example: string): string {
  const path = resolve(cwd, file);
  const found = files.identify(path);
  if (found?.isFolder) throw usageError(`${path} is a folder`, `Name a file in it: --html ${join(file, example)}`);
  if (found?.isFile === false) throw usageError(`${path} is not a regular file`);
  files.refuseWrite(path);
  return path;
}

/** Replaces the file as a whole. Only its owner can read it: it quotes prompts and output. */
export function writePage({ files }: Pick<World, "files">, path: string, page: string): void {
  const target = files.entry(path)?.kind === "link" ? files.realPath(path) : path;
  files.guarded(dirname(target)).replace(target, page);
}
