import { CccError } from "../errors.ts";
import type { Identity } from "./isolate.ts";
import { isSecretVariable, kindOf, TOKENS } from "./variables.ts";

/** Where a key is kept: in a variable, in a file, in what a command prints, in the keychain of the system. */
const KINDS = ["env:", "file:", "cmd:", "keychain:"] as const;

export function isReference(value: string): boolean {
  return KINDS.some((kind) => value.startsWith(kind));
}

/** Whether a variable beside the key holds a reference: one that is secret by its name. `file:` begins many other values. */
export function isOtherReference(name: string, value: unknown): boolean {
  if (typeof value !== "string" || !isReference(value) || (TOKENS as readonly string[]).includes(name)) return false;
  return isSecretVariable(name, value);
}

/** A reference that has to hold before claude starts. */
export interface Reference {
  /** Its place in ccc.json. */
  readonly field: string;
  readonly reference: string;
}

/** The reference in place of a provider's key, if there is one. */
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
 * An identity whose key is a reference, as Claude Code gets it: it asks `command` for the key whenever it needs one, and
 * the key is in no file and no environment.
 */
export function withKeyCommand(identity: Identity, command: string): Identity {
  const env: Record<string, string> = { ...identity.env };
  for (const name of TOKENS) delete env[name];
  return { env, apiKeyHelper: command };
}
