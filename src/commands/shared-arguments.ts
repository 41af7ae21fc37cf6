import { parseArgs } from "node:util";

export const JSON_FLAG = { type: "boolean", default: false, description: "print JSON for programs" } as const;

export const PROVIDER_OR_CURRENT = {
  type: "positional",
  required: false,
  description: "a provider in ccc.json (default: the current one)",
} as const;

/** Every value of an option that may be given several times, in order. */
export function everyValue(words: readonly string[], name: string): readonly string[] {
  const options = { [name]: { type: "string", multiple: true } } as const;
  const { values } = parseArgs({ args: [...words], options, strict: false });
  const given = values[name];
  return Array.isArray(given) ? given.map(String) : [];
}
