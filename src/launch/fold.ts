import { beforeDoubleDash } from "../claude/arguments.ts";
import { usageError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { isAbsolute, join } from "../os/path.ts";
import { isObject, type Json, parseJson } from "../text/json.ts";

/** Claude's arguments without `--settings`, and what the last of them said. */
export interface Folded {
  readonly args: readonly string[];
  readonly settings: Json | undefined;
}

/**
 * Takes `--settings` out of claude's arguments: Claude Code heeds the last one alone, and that has to be ours.
 * It may be a file or JSON. What comes after `--` is no option.
 */
export function foldSettings(args: readonly string[], files: Files, cwd: string): Folded {
  const options = beforeDoubleDash(args);
  const kept: string[] = [];
  let given: string | undefined;
  for (let index = 0; index < options.length; index++) {
    const word = options[index] ?? "";
    // Without a value it is a mistake that claude reports itself.
    if (word === "--settings" && index + 1 < options.length) given = options[++index];
    else if (word.startsWith("--settings=")) given = word.slice("--settings=".length);
    else kept.push(word);
  }
  const rest = args.slice(options.length);
  return { args: [...kept, ...rest], settings: given === undefined ? undefined : readSettings(given, files, cwd) };
}

function readSettings(given: string, files: Files, cwd: string): Json {
  if (given.trim().startsWith("{")) return parse(given, "the JSON given with --settings");
  const path = isAbsolute(given) ? given : join(cwd, given);
  const text = files.read(path);
  if (text === undefined) throw usageError(`--settings: there is no file ${path}`);
  return parse(text, `--settings: ${path}`);
}

function parse(text: string, what: string): Json {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw usageError(`${what} is not a JSON object`);
}
