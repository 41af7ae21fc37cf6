import { parseArgs } from "node:util";
import type { ArgDef, ArgsDef, ParsedArgs } from "citty";
import { type CccError, usageError } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import { SECRET_NAME, SHORTEST_KEY } from "../text/secret.ts";

/**
 * Parses the arguments of a command. citty's own parser is not used: it ignores unknown options and extra arguments, and
 * drops every word that starts with --no-.
 */
export function parseArguments(words: readonly string[], defined: ArgsDef): ParsedArgs {
  const positional = Object.keys(defined).filter((name) => defined[name]?.type === "positional");
  const names = Object.keys(defined).filter((name) => !positional.includes(name));
  const isBoolean = (name: string) => defined[name]?.type === "boolean";
  const options = Object.fromEntries(names.map((name) => [name, { type: isBoolean(name) ? BOOLEAN : STRING }]));
  const { tokens, values, positionals } = parseArgs({ args: [...words], options, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    if (!names.includes(token.name)) throw unknownOption(token.rawName, names);
    if (isBoolean(token.name) && token.value !== undefined) throw usageError(`${token.rawName} takes no value`);
    if (!isBoolean(token.name)) checkValue(token.rawName, token.value, defined[token.name]);
  }
  const [extra] = positionals.slice(positional.length);
  if (extra !== undefined) throw usageError(`unexpected argument${quoted(extra)}`);
  const missing = positional.slice(positionals.length).find((name) => defined[name]?.required !== false);
  if (missing !== undefined) throw usageError(`the ${MEANINGS[missing] ?? missing} is missing`);
  const given = { ...values, ...Object.fromEntries(positionals.map((word, index) => [positional[index], word])) };
  const args = Object.keys(defined).map((name) => [name, given[name] ?? defined[name]?.default]);
  return { ...Object.fromEntries(args), _: positionals };
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

const MEANINGS: Readonly<Record<string, string>> = {
  name: "provider's name",
  "new-name": "new name",
  provider: "provider's name",
};

const BOOLEAN = "boolean" as const;
const STRING = "string" as const;
