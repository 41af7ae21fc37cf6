/** Validation of ccc.json. */
import type { ParseError } from "jsonc-parser";
import { parse as parseTolerant } from "jsonc-parser/lib/esm/impl/parser.js";
import * as v from "valibot";
import { isVariableName, settingsChecker } from "../claude/accepted-settings.ts";
import { CccError } from "../errors.ts";
import { isCommandName } from "../markers.ts";
import { asObject, isObject, type Json, parseJson } from "../text/json.ts";
import { nearest } from "../text/words.ts";
import { settingsFileName, VARIANTS } from "./paths.ts";
import { type Config, ConfigSchema, unknownSetting } from "./schema.ts";

/** Parses and validates ccc.json. Errors name the problem but quote no values, which may be keys. */
export function checkConfig(text: string, path: string): Config {
  const json = parseJson(text);
  if (json === undefined) throw broken(text, path);
  checkProviderNames(json, path);
  const result = v.safeParse(ConfigSchema, withoutLists(json));
  const invalid = result.success
    ? settingsProblems(result.output)
    : // Every schema has its own message: valibot's would quote the value, which may be a key.
      result.issues.map((issue) => `${v.getDotPath(issue) ?? "the file"}: ${issue.message}`);
  const problems = [...misplacedKeys(json), ...invalid];
  if (result.success && problems.length === 0) return result.output;
  throw new CccError(`${path} is not valid\n${problems.map((problem) => `  ${problem}`).join("\n")}`, {
    advice: "Correct the file; nothing was changed.",
  });
}

/** Mistakes in the settings that Claude Code gets. */
function settingsProblems({ settings, providers }: Config): string[] {
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
    advice:
      text.trim() === ""
        ? "Remove it, then add a provider: ccc provider add"
        : "Correct the file; nothing was changed.",
  });
}

/** The first syntax error in a text that is not JSON, and its position. */
export function whereBroken(text: string): string {
  if (text.trim() === "") return "it is empty";
  const errors: ParseError[] = [];
  try {
    parseTolerant(text, errors, { disallowComments: true });
  } catch {
    return "it is nested too deeply";
  }
  const [first] = errors;
  if (first === undefined) return "it cannot be read";
  const [comma] = /^[}\]]/.test(text.slice(first.offset)) ? (/,\s*$/.exec(text.slice(0, first.offset)) ?? []) : [];
  const before = text.slice(0, first.offset - (comma?.length ?? 0)).split("\n");
  const what = comma === undefined ? (PARSE_ERRORS[first.error - 1] ?? "a mistake") : "a comma too many";
  return `${what} at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** In the order of the parser's error codes, which start at 1. */
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

/**
 * Misspelt and misplaced keys of ccc.json, each with where it belongs: environment variables outside `env`, keys on the wrong
 * level. If they were ignored, requests would go to Anthropic. All other keys are allowed: providers hold settings of any
 * version of Claude Code, and the top level may hold the user's notes.
 */
function misplacedKeys(json: unknown): string[] {
  const top = asObject(json);
  const named = Object.entries(asObject(top.providers));
  return [
    ...problems(top, "", (key) => atTop(key, top[key])),
    ...inBlock(top.settings, "settings"),
    ...named.flatMap(([name, own]) => inBlock(own, `providers.${name}`)),
  ];
}

const TOP = Object.keys(ConfigSchema.entries);
const IDENTITY = ["env", "apiKeyHelper"];

/** What people write for `env`. */
const ENV = ["env", "envVars", "environment", "environmentVariables", "variables"];

function problems(object: unknown, path: string, problem: (key: string) => string | undefined): string[] {
  return Object.keys(asObject(object)).flatMap((key) => {
    const found = problem(key);
    return found === undefined ? [] : [`${path}${key}: ${found}`];
  });
}

function atTop(key: string, value: unknown): string | undefined {
  if (TOP.includes(key) || isNote(key)) return undefined;
  if (isVariableName(key)) return `environment variables belong in ${elsewhere(`env.${key.toUpperCase()}`)}`;
  if (IDENTITY.includes(key)) return `this belongs in ${elsewhere(key)}`;
  const meant = nearest(key, TOP);
  if (meant !== undefined) return unknownSetting(meant);
  return holdsProvider(value) ? `this looks like a provider, which belongs in providers.${key}` : undefined;
}

function elsewhere(key: string): string {
  return `providers.NAME.${key}, or in settings.${key} for all providers`;
}

function inBlock(block: unknown, path: string): string[] {
  return [
    ...problems(block, `${path}.`, (key) => inSettings(key, path)),
    ...problems(asObject(block).env, `${path}.env.`, misspeltVariable),
  ];
}

/** A misspelling of one of these would send requests to another server, or without the key. */
const DECISIVE = ["ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "ANTHROPIC_MODEL"];

/** What is wrong with the name of a variable in `env`, if anything. */
export function misspeltVariable(name: string): string | undefined {
  if (DECISIVE.includes(name) || isNote(name)) return undefined;
  const [, own] = /^anthropic_(.+)$/i.exec(name) ?? [];
  const meant = nearest(name, DECISIVE) ?? (own === undefined ? undefined : meantVariable(own));
  return meant === undefined ? undefined : `unknown variable; did you mean ${meant}?`;
}

/** The variable that people mean by an invented name, such as `baseUrl`. */
function meantVariable(key: string): string | undefined {
  const word = key.toLowerCase().replaceAll(/[_-]/g, "");
  if (ADDRESSES.includes(word)) return "ANTHROPIC_BASE_URL";
  return CREDENTIALS.includes(word) ? "ANTHROPIC_AUTH_TOKEN" : undefined;
}

const ADDRESSES = ["url", "baseurl", "apiurl", "apibase", "apibaseurl", "base", "endpoint"];
const CREDENTIALS = ["key", "apikey", "token", "apitoken", "authtoken"];

function inSettings(key: string, path: string): string | undefined {
  if (IDENTITY.includes(key) || isNote(key)) return undefined;
  if (isVariableName(key)) return `environment variables belong in env: ${path}.env.${key.toUpperCase()}`;
  if (key === "settings") return `move its content one level up: ${path} is itself an object of settings`;
  // $schema is a setting of Claude Code too.
  if (TOP.includes(key) && key !== "$schema") return "this belongs at the top level of ccc.json";
  const variable = meantVariable(key);
  if (variable !== undefined) return `unknown setting; this belongs in ${path}.env.${variable}`;
  if (nearest(key, ENV) !== undefined) return unknownSetting("env");
  const meant = nearest(key, IDENTITY);
  return meant === undefined ? undefined : unknownSetting(meant);
}

/** JSON has no comments, so people disable a key by putting one of these characters before it. */
function isNote(key: string): boolean {
  return /^[_/#]/.test(key);
}

function holdsProvider(value: unknown): boolean {
  const found = asObject(value);
  return [found, asObject(found.env)].some((each) => Object.keys(each).some(isVariableName));
}

/** Refuses provider names that cannot be typed, or whose generated files would overwrite another provider's. */
function checkProviderNames(json: unknown, path: string): void {
  const takenBy = new Map<string, string>();
  for (const name of providerNames(json)) {
    // Older versions had no command of this name.
    const problem = (name === "default" ? undefined : nameProblem(name)) ?? collision(name, takenBy);
    if (problem !== undefined) {
      throw new CccError(`${path}: providers.${name}: ${problem}`, {
        advice: "Give the provider another name; nothing was changed.",
      });
    }
  }
}

/** Why a provider cannot have this name, if it cannot. */
export function nameProblem(name: string): string | undefined {
  if (!/^[A-Za-z0-9._-]+$/.test(name))
    return "a provider name may contain only letters, digits, dots, dashes and underscores";
  if (name.startsWith("-")) return "a provider name may not begin with a dash: it would be read as an option";
  if (isCommandName(name)) return "this word is a command of ccc";
  if (UNUSABLE_KEYS.includes(name)) return "this word cannot be used as a name";
  return undefined;
}

/** Keys that valibot silently drops from a record. */
const UNUSABLE_KEYS = ["__proto__", "prototype", "constructor"];

function collision(name: string, takenBy: Map<string, string>): string | undefined {
  for (const variant of VARIANTS) {
    // The file systems of macOS and Windows ignore case.
    const file = settingsFileName(name, variant).toLowerCase();
    const other = takenBy.get(file);
    if (other !== undefined) return `its generated file ${file} would overwrite that of providers.${other}`;
    takenBy.set(file, name);
  }
  return undefined;
}

function providerNames(json: unknown): string[] {
  return Object.keys(asObject(asObject(json).providers));
}
