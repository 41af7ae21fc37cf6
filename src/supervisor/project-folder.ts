import type { Files } from "../io/files.ts";
import { join } from "../io/path.ts";

/** In a supervised project: the folder of state, output and log. */
export const STATE_FOLDER = ".claude/ccc";

export function stateFolder(project: string): string {
  return join(project, STATE_FOLDER);
}

/** Makes it, so that it ignores itself in git. One that is there already is left alone. */
export function makeStateFolder(files: Files, folder: string): void {
  if (files.makeFolder(folder)) files.writePrivate(join(folder, ".gitignore"), "*\n");
}
