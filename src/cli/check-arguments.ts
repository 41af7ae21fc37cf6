import { parseArgs } from "node:util";
import type { ArgDef, ArgsDef } from "citty";
import { type CccError, usageError } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import { SECRET_NAME, SHORTEST_KEY } from "../text/secret.ts";

/** Refuses what citty ignores (unknown options, extra arguments) and reports missing arguments in ccc's own words. */
export function checkArguments(args: readonly string[], defined: ArgsDef): void {
  const isBoolean = (name: string) => defined[name]?.type === "boolean";
  const isPositional = (name: string) => defined[name]?.type === "positional";
  const names = Object.keys(defined).filter((name) => !isPositional(name));
  const options = Object.fromEntries(names.map((name) => [name, { type: isBoolean(name) ? BOOLEAN : STRING }]));
  const { tokens, positionals } = parseArgs({ args: [...args], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (!names.includes(token.name)) throw unknownOption(token.rawName, names);
    if (isBoolean(token.name) && token.value !== undefined) throw usageError(`${token.rawName} takes no value`);
    if (!isBoolean(token.name)) checkValue(token.rawName, token.value, defined[token.name]);
  }
  const wanted = Object.keys(defined).filter(isPositional);
  const [extra] = positionals.slice(wanted.length);
  if (extra !== undefined) throw usageError(`unexpected argument${quoted(extra)}`);
  const missing = wanted.slice(positionals.length).find((name) => defined[name]?.required !== false);
  if (missing !== undefined) throw usageError(`the ${MEANINGS[missing] ?? missing} is missing`);
}

function unknownOption(name: string, known: readonly string[]): CccError {
  const meant = nearest(name.replace(/^-+/, ""), known);
  if (meant !== undefined) return usageError(`unknown option ${name}: did you mean --${meant}?`);
  const isKey = SECRET_NAME.test(name) || /pass|auth/.test(name);
  const why = "keys are never passed as arguments, because every user of this machine could read them";
  return usageError(`unknown option ${name}${isKey ? `: ${why}` : ""}`);
}

/** "hook or loop" */
export function either(words: readonly string[]): string {
  return words.join(", ").replace(/, ([^,]*)$/, " or $1");
}

function checkValue(option: string, value: string | undefined, defined: ArgDef | undefined): void {
  const values = defined?.type === "enum" ? (defined.options ?? []) : [];
  if (values.length > 0 && !values.includes(value ?? "")) throw usageError(`${option} takes ${either(values)}`);
  if (value === undefined) throw usageError(`${option} needs a value`);
}

/** A long word may be a key: do not print it again. */
function quoted(word: string): string {
  if (word.length < SHORTEST_KEY) return ` "${word}"`;
  return ". Never pass a key as an argument: if this was one, it is now in your shell history";
}

const MEANINGS: Readonly<Record<string, string>> = { name: "provider's name", provider: "provider's name" };

const BOOLEAN = "boolean" as const;
const STRING = "string" as const;
