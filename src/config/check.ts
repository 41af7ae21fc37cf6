import type { ParseError } from "jsonc-parser";
import { parse as parseTolerant } from "jsonc-parser/lib/esm/impl/parser.js";
import * as v from "valibot";
import { settingsChecker } from "../claude/accepted-settings.ts";
import { CccError } from "../errors.ts";
import { isObject, type Json, parseJson } from "../text/json.ts";
import { misplacedKeys } from "./misplaced-keys.ts";
import { checkProviderNames } from "./names.ts";
import { type Config, ConfigSchema } from "./schema.ts";

/** Parses and validates ccc.json. Errors name the problem but quote no values, which may be keys. */
export function checkConfig(text: string, path: string): Config {
  const json = parseJson(text);
  if (json === undefined) throw broken(text, path);
  checkProviderNames(json, path);
  const result = v.safeParse(ConfigSchema, withoutLists(json));
  const invalid = result.success
    ? passedOn(result.output)
    : // Every schema has its own message: valibot's would quote the value, which may be a key.
      result.issues.map((issue) => `${v.getDotPath(issue) ?? "the file"}: ${issue.message}`);
  const problems = [...misplacedKeys(json), ...invalid];
  if (result.success && problems.length === 0) return result.output;
  throw new CccError(`${path} is not valid\n${problems.map((problem) => `  ${problem}`).join("\n")}`, {
    advice: "Correct the file; nothing was changed.",
  });
}

/** Mistakes in the settings that are passed on to Claude Code. */
function passedOn({ settings, providers }: Config): string[] {
  const own = Object.entries(providers ?? {}).map(([name, each]) => [`providers.${name}`, each ?? {}] as const);
  const all = [["settings", settings ?? {}] as const, ...own].filter(([, each]) => Object.keys(each).length > 0);
  if (all.length === 0) return [];
  const problems = settingsChecker();
  return all.flatMap(([field, each]) => problems(each, field));
}

/** valibot accepts a list as an object, so lists are replaced by an invalid value, and validation fails. */
function withoutLists(json: unknown): unknown {
  if (Array.isArray(json)) return A_LIST;
  if (!isObject(json)) return json;
  const { settings, providers, supervisor, folders } = json;
  const named = isObject(providers) ? mapValues(providers, withoutListInEnv) : providers;
  const parts = { settings: withoutListInEnv(settings), providers: named, supervisor, folders };
  const present = Object.entries(parts).filter(([key]) => Object.hasOwn(json, key));
  return { ...json, ...mapValues(Object.fromEntries(present), instead) };
}

const A_LIST = "a list";

function instead(value: unknown): unknown {
  return Array.isArray(value) ? A_LIST : value;
}

function withoutListInEnv(settings: unknown): unknown {
  if (!isObject(settings)) return instead(settings);
  return "env" in settings ? { ...settings, env: instead(settings.env) } : settings;
}

function mapValues(object: Json, map: (value: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value)]));
}

function broken(text: string, path: string): CccError {
  return new CccError(`${path} is not valid JSON: ${whereBroken(text)}`, {
    advice: "Correct the file; nothing was changed.",
  });
}

/** Where a text stops being JSON, in words. */
export function whereBroken(text: string): string {
  const errors: ParseError[] = [];
  try {
    parseTolerant(text, errors, { disallowComments: true, allowEmptyContent: false });
  } catch {
    return "it is nested too deeply";
  }
  const [first] = errors;
  if (first === undefined) return "it cannot be read";
  const before = text.slice(0, first.offset).split("\n");
  const what = PARSE_ERRORS[first.error - 1] ?? "a mistake";
  return `${what} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** By the parser's codes, which begin with 1. */
const PARSE_ERRORS = [
  "invalid symbol",
  "invalid number format",
  "property name expected",
  "value expected",
  "colon expected",
  "comma expected",
  "close brace expected",
  "close bracket expected",
  "end of file expected",
  "invalid comment token",
  "unexpected end of comment",
  "unexpected end of string",
  "unexpected end of number",
  "invalid unicode",
  "invalid escape character",
  "invalid character",
];
