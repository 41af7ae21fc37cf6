/** The env blocks of ccc.json, in which `${NAME}` stands for a variable of the shell. */
import { CccError } from "../errors.ts";
import { asObject } from "../text/json.ts";
import type { Env } from "../world.ts";

type EnvBlock = Readonly<Record<string, string | number | boolean | undefined>>;

/** Converts an env block of ccc.json for Claude Code: strings, with ${NAME} replaced from the environment. */
export function expandEnv(block: EnvBlock, env: Env, field: string): Record<string, string> {
  const expanded: Record<string, string> = {};
  for (const [name, value] of Object.entries(block)) {
    // A newline at the end, from a file for example, is not part of a key, and spaces alone are not a key.
    if (value !== undefined) expanded[name] = expand(String(value), env, `${field}.${name}`).trim();
  }
  return expanded;
}

/** The values of a block as strings, without replacing ${NAME}. */
export function writtenEnv(block: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(asObject(block)).map(([name, value]) => [name, String(value ?? "")]));
}

/** The variables that these values refer to. */
export function namedIn(values: readonly unknown[]): string[] {
  const text = values.join("\n");
  return text.includes("${") ? [...new Set([...text.matchAll(NAMED)].map(([, name = ""]) => name))] : [];
}

/** The variable that a reference to a key names; undefined for a file, a command or the keychain. */
export function referencedVariable(reference: string): string | undefined {
  return reference.startsWith("env:") ? reference.slice("env:".length).trim() : undefined;
}

const NAMED = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function expand(text: string, env: Env, field: string): string {
  // Usually there is nothing to replace, and then a launch need not compile the expression.
  if (!text.includes("${")) return text;
  return text.replace(NAMED, (reference, name: string) => {
    const value = env[name];
    if (value !== undefined) return value;
    throw new CccError(`${field}: ${reference} is not set in the environment`, {
      advice: `Set it (export ${name}=…), or write the value into ccc.json.`,
    });
  });
}
