import { isDeepStrictEqual } from "node:util";
import { CccError } from "../errors.ts";
import { valueAt } from "../text/json.ts";
import { type Path, removeIn, setIn } from "../text/json-text.ts";
import { checkConfig } from "./check.ts";
import type { Config } from "./schema.ts";

/** A change of one value in ccc.json; undefined takes it away. */
export interface Change {
  readonly path: Path;
  readonly value: unknown;
}

/** The text of a ccc.json after some changes, with every other byte as it was; checked before and after. */
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
  if (changes.some((each) => !isDeepStrictEqual(valueAt(config, each.path), each.value))) {
    throw new CccError(`${path} has a key twice, so ccc cannot change it safely`, {
      advice: "Take one of the two out; nothing was changed.",
    });
  }
  return after;
}

const EMPTY = "{}\n";
