import { beforeDoubleDash } from "../claude/arguments.ts";
import { usageError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { isAbsolute, join } from "../os/path.ts";
import { isObject, type Json, parseJson } from "../text/json.ts";

/** Claude's arguments without `--settings`, and the settings of the last one. */
export interface Folded {
  readonly args: readonly string[];
  readonly settings: Json | undefined;
}

/**
 * Removes `--settings` (a file or JSON) from claude's arguments: Claude Code respects only the last one, which must be
 * ccc's. Words after `--` are not options.
 */
export function foldSettings(args: readonly string[], files: Files, cwd: string): Folded {
  const options = beforeDoubleDash(args);
  const kept: string[] = [];
  let given: string | undefined;
  for (let index = 0; index < options.length; index++) {
    const word = options[index] ?? "";
    // If the value is missing, claude reports it.
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
  if (text === undefined) throw usageError(`--settings: no such file: ${path}`);
  return parse(text, `--settings: ${path}`);
}

function parse(text: string, what: string): Json {
  const value = parseJson(text);
  if (isObject(value)) return value;
  throw usageError(`${what} is not a JSON object`);
}
