import { isDeepStrictEqual } from "node:util";
import { applyEdits, type JSONPath, modify } from "jsonc-parser";
import { CccError } from "../io/errors.ts";
import { checkConfig } from "./check.ts";
import type { Config } from "./schema.ts";

/** A change of one value in ccc.json; undefined takes it away. */
export interface Change {
  readonly path: JSONPath;
  readonly value: unknown;
}

/** The text of a ccc.json after some changes, with every other byte as it was; checked before and after. */
export function changeConfig(
  text: string | undefined,
  path: string,
  change: (config: Config) => readonly Change[],
): string {
  const [mark, before] = text?.startsWith("\uFEFF") ? ["\uFEFF", text.slice(1)] : ["", text ?? EMPTY];
  const changes = change(checkConfig(before, path));
  const formattingOptions = formatOf(before);
  let after = before;
  for (const each of changes) after = applyEdits(after, modify(after, each.path, each.value, { formattingOptions }));
  const config = checkConfig(after, path);
  if (changes.some((each) => !isDeepStrictEqual(valueAt(config, each.path), each.value))) {
    throw new CccError(`${path} has a key twice, so ccc cannot change it safely`, {
      advice: "Take one of the two out; nothing was changed.",
    });
  }
  return mark + after;
}

const EMPTY = "{}\n";

function formatOf(text: string) {
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? "  ";
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  return { insertSpaces: !indent.startsWith("\t"), tabSize: indent.startsWith("\t") ? 1 : indent.length, eol };
}

function valueAt(config: unknown, path: JSONPath): unknown {
  return path.reduce((value: unknown, key) => (value as Record<string, unknown> | undefined)?.[key], config);
}
