import { parse } from "node:path";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";

const KEPT = 10;

/** Saves a copy of a file before it is changed, and keeps the last ten. Returns the path of the copy. */
export function keepBackup(files: Files, folder: string, text: string, now: Date, file = "settings.json"): string {
  const { name, ext } = parse(file);
  const path = join(folder, `${name}-${now.toISOString().replace(/[:.]/g, "-")}${ext}`);
  files.writePrivate(path, text);
  const copies = files.list(folder).filter((each) => each.startsWith(`${name}-2`) && each.endsWith(ext));
  for (const old of copies.slice(0, -KEPT)) files.remove(join(folder, old));
  return path;
}
