/** Changes to the text of ccc.json that keep every other byte. */
import { parse } from "node:path";
import { CccError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { isObject, valueAt } from "../text/json.ts";
import { type Path, removeIn, setIn } from "../text/json-text.ts";
import { optional, type World } from "../world.ts";
import { checkConfig } from "./check.ts";
import { stampOf } from "./load.ts";
import type { Paths } from "./paths.ts";
import type { Config } from "./schema.ts";

/** A new value in ccc.json; undefined removes the key. */
export interface Change {
  readonly path: Path;
  readonly value: unknown;
}

/** Applies changes to the text of ccc.json, validated before and after. */
export function changeConfig(
  text: string | undefined,
  path: string,
  change: (config: Config) => readonly Change[],
): string {
  const before = text ?? EMPTY;
  const changes = change(checkConfig(before, path));
  let after = before;
  for (const each of changes)
    after = each.value === undefined ? removeIn(after, each.path) : setIn(after, each.path, each.value);
  const config = checkConfig(after, path);
  if (changes.some((each) => !Bun.deepEquals(valueAt(config, each.path), each.value, true))) {
    throw new CccError(`${path} has a duplicate key, so ccc cannot change it safely`, {
      advice: "Remove one of the two; nothing was changed.",
    });
  }
  return after;
}

const EMPTY = "{}\n";

/** The smallest changes that turn one value of ccc.json into another. */
export function changesBetween(before: unknown, after: unknown, path: Path): Change[] {
  if (Bun.deepEquals(before, after, true)) return [];
  if (!isObject(before) || !isObject(after)) return [{ path, value: after }];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => changesBetween(valueAt(before, [key]), valueAt(after, [key]), [...path, key]));
}

/** Sets current_provider. That keeps a valid text valid, so it is stamped: hooks and the next launch need not check it. */
export function rememberProvider(
  { files, version }: Pick<World, "files" | "version">,
  { config, checked }: Pick<Paths, "config" | "checked">,
  provider: string,
): void {
  let after: string | undefined;
  files.edit(config, (text = "") => {
    if (checkConfig(text, config).current_provider === provider) return undefined;
    after = setIn(text, ["current_provider"], provider);
    return after;
  });
  const stamp = after && stampOf(after, version);
  if (stamp !== undefined) optional(() => files.writePrivate(checked, stamp));
}

/** Saves a copy of a file before it is changed, and keeps the last ten. Returns the path of the copy. */
export function keepBackup(files: Files, folder: string, text: string, now: Date, file = "settings.json"): string {
  const { name, ext } = parse(file);
  const path = join(folder, `${name}-${now.toISOString().replace(/[:.]/g, "-")}${ext}`);
  files.writePrivate(path, text);
  const copies = files.list(folder).filter((each) => each.startsWith(`${name}-2`) && each.endsWith(ext));
  for (const old of copies.slice(0, -KEPT)) files.remove(join(folder, old));
  return path;
}

const KEPT = 10;
