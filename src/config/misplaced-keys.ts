import { isVariableName } from "../claude/settings.ts";
import { asObject } from "../text/json.ts";
import { nearest } from "../text/nearest.ts";
import { ConfigSchema, unknownSetting } from "./schema.ts";

/**
 * Keys of ccc.json that have no effect where they stand, each with the right place: environment variables outside `env`,
 * misspelt keys and variables, and keys of another level. Ignored, they would turn a provider into Anthropic. All other keys are allowed:
 * providers hold settings of any version of Claude Code, and the top level may hold the user's notes.
 */
export function misplacedKeys(json: unknown): string[] {
  const top = asObject(json);
  const named = Object.entries(asObject(top.providers));
  return [
    ...problems(top, "", (key) => atTop(key, top[key])),
    ...inBlock(top.settings, "settings"),
    ...named.flatMap(([name, own]) => inBlock(own, `providers.${name}`)),
  ];
}

/** The keys at the top of ccc.json that ccc does not know. */
export function unknownKeys(config: object): string[] {
  return Object.keys(config).filter((key) => !TOP.includes(key));
}

const TOP = Object.keys(ConfigSchema.entries);
const IDENTITY = ["env", "apiKeyHelper"];

/** What people write for `env`. */
const ENV = ["env", "envVars", "environment", "environmentVariables", "variables"];

function problems(object: unknown, place: string, problem: (key: string) => string | undefined): string[] {
  return Object.keys(asObject(object)).flatMap((key) => {
    const found = problem(key);
    return found === undefined ? [] : [`${place}${key}: ${found}`];
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

function inBlock(block: unknown, place: string): string[] {
  return [
    ...problems(block, `${place}.`, (key) => inSettings(key, place)),
    ...problems(asObject(block).env, `${place}.env.`, misspeltVariable),
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

/** The variable that people mean by a name of their own, such as `baseUrl`. */
function meantVariable(key: string): string | undefined {
  const word = key.toLowerCase().replaceAll(/[_-]/g, "");
  if (ADDRESSES.includes(word)) return "ANTHROPIC_BASE_URL";
  return CREDENTIALS.includes(word) ? "ANTHROPIC_AUTH_TOKEN" : undefined;
}

const ADDRESSES = ["url", "baseurl", "apiurl", "apibase", "apibaseurl", "base", "endpoint"];
const CREDENTIALS = ["key", "apikey", "token", "apitoken", "authtoken"];

function inSettings(key: string, place: string): string | undefined {
  if (IDENTITY.includes(key) || isNote(key)) return undefined;
  if (isVariableName(key)) return `environment variables belong in env: ${place}.env.${key.toUpperCase()}`;
  if (key === "settings") return `move its content one level up: ${place} is itself an object of settings`;
  // $schema is a setting of Claude Code too.
  if (TOP.includes(key) && key !== "$schema") return "this belongs at the top level of ccc.json";
  const variable = meantVariable(key);
  if (variable !== undefined) return `unknown setting; this belongs in ${place}.env.${variable}`;
  if (nearest(key, ENV) !== undefined) return unknownSetting("env");
  const meant = nearest(key, IDENTITY);
  return meant === undefined ? undefined : unknownSetting(meant);
}

/** JSON has no comments, so people put such a mark before a key to switch it off. */
function isNote(key: string): boolean {
  return /^[_/#]/.test(key);
}

function holdsProvider(value: unknown): boolean {
  const found = asObject(value);
  return [found, asObject(found.env)].some((each) => Object.keys(each).some(isVariableName));
}
