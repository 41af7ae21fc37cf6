import { namedIn } from "../config/expand.ts";
import { CccError } from "../errors.ts";
import type { Identity } from "./isolate.ts";
import { isSecretVariable, kindOf, TOKENS } from "./variables.ts";

/** Where a key is kept: a variable, a file, a command's output, the system's keychain. */
export const KINDS = ["env:", "file:", "cmd:", "keychain:"] as const;

/** A launch asks for every value, so this calls nothing that the engine would compile. */
export function isReference(value: string): boolean {
  return (KINDS as readonly string[]).includes(value.slice(0, value.indexOf(":") + 1));
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
    throw removedVariable(field, reference);
  }
  return { field, reference };
}

/** Refuses a key from a variable that the helper will not see. `written` is the key as it stands in ccc.json. */
export function refuseRemoved(written: unknown, field: string): void {
  const removed = namedIn([written]).find((name) => kindOf(name) !== undefined);
  if (removed !== undefined) throw removedVariable(field, `\${${removed}}`);
}

function removedVariable(field: string, reference: string): CccError {
  return new CccError(`${field} is ${reference}, which ccc takes out of claude's environment`, {
    advice: "Give that variable a name of its own, GLM_API_KEY for instance.",
  });
}

/** Whether a provider's key is in ccc.json, as it is or as a reference, so that ccc can be asked for it. */
export function hasKey({ env }: Identity): boolean {
  return TOKENS.some((name) => env[name]);
}

/**
 * An identity as Claude Code gets it: it asks `command` for the key whenever it needs one, sends it in both headers, and the
 * key is in no settings file and no environment.
 */
export function withKeyCommand(identity: Identity, command: string): Identity {
  const { ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: key, ...env } = identity.env;
  if (!token || !key || token === key) return { env, apiKeyHelper: command };
  // Two different keys: the helper's is the token, and a header takes the place of the other.
  const headers = [env.ANTHROPIC_CUSTOM_HEADERS, `x-api-key: ${key}`].filter(Boolean).join("\n");
  return { env: { ...env, ANTHROPIC_CUSTOM_HEADERS: headers }, apiKeyHelper: command };
}
