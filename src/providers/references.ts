import { CccError } from "../errors.ts";
import type { Identity } from "./isolate.ts";
import { isSecretVariable, kindOf, TOKENS } from "./variables.ts";

/** Where a key is kept: a variable, a file, a command's output, the system's keychain. */
const KINDS = ["env:", "file:", "cmd:", "keychain:"] as const;

export function isReference(value: string): boolean {
  return KINDS.some((kind) => value.startsWith(kind));
}

/** Whether a variable other than the key holds a reference. Only one with a secret's name: many other values begin with `file:`. */
export function isOtherReference(name: string, value: unknown): boolean {
  if (typeof value !== "string" || !isReference(value) || (TOKENS as readonly string[]).includes(name)) return false;
  return isSecretVariable(name, value);
}

/** A reference that must be resolvable before claude starts. */
export interface Reference {
  /** Where it is in ccc.json. */
  readonly field: string;
  readonly reference: string;
}

/** The reference that a provider has instead of a key. */
export function referenceOf({ env, apiKeyHelper }: Identity, provider: string): Reference | undefined {
  const names = TOKENS.filter((name) => isReference(env[name] ?? ""));
  const [name] = names;
  if (name === undefined) return undefined;
  const field = `providers.${provider}.env.${name}`;
  if (apiKeyHelper !== "" || TOKENS.filter((each) => env[each]).length > 1) {
    throw new CccError(`${field} is a reference, and beside it there is another key or an apiKeyHelper`, {
      advice: "Claude Code would send both: leave one of them out.",
    });
  }
  const reference = env[name] ?? "";
  if (reference.startsWith("env:") && kindOf(reference.slice("env:".length)) !== undefined) {
    throw new CccError(`${field} is ${reference}, which ccc takes out of claude's environment`, {
      advice: "Give that variable a name of its own, GLM_API_KEY for instance.",
    });
  }
  return { field, reference };
}

/**
 * The identity of a provider whose key is a reference: Claude Code runs `command` whenever it needs the key, which is
 * in no file and in no environment.
 */
export function withKeyCommand(identity: Identity, command: string): Identity {
  const env: Record<string, string> = { ...identity.env };
  for (const name of TOKENS) delete env[name];
  return { env, apiKeyHelper: command };
}
