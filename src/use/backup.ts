import { join } from "node:path";
import type { Files } from "../io/files.ts";

const KEPT = 10;

/** Keeps a copy of a file before it is changed, and the last ten of them. Returns where it is. */
export function keepBackup(files: Files, folder: string, text: string, now: Date, name = "settings"): string {
  const path = join(folder, `${name}-${now.toISOString().replace(/[:.]/g, "-")}.json`);
  files.writePrivate(path, text);
  const copies = files.list(folder).filter((each) => each.startsWith(`${name}-`));
  for (const old of copies.slice(0, -KEPT)) files.remove(join(folder, old));
  return path;
}
