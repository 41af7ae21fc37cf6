import { join } from "node:path";
import type { Files } from "../io/files.ts";

/** Makes the folder of state, output and log, which ignores itself in git. One that is there already is left alone. */
export function makeStateFolder(files: Files, folder: string): void {
  if (files.makeFolder(folder)) files.writePrivate(join(folder, ".gitignore"), "*\n");
}
