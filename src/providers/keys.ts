import { cloudOf } from "../claude/connection.ts";
import { writtenEnv } from "../config/env.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { ProviderEntry } from "../config/schema.ts";
import { CccError, messageOf } from "../errors.ts";
import type { Env, World } from "../world.ts";
import { presetOrigin } from "./presets.ts";
import { isReference, TOKENS } from "./variables.ts";

/** Why a text cannot be a key, or undefined. */
export function keyProblem(key: string): string | undefined {
  if (key === "") return "a key is required";
  if (/[\s\p{C}]/u.test(key)) return "a key contains no spaces and no control characters";
  if (isReference(key)) return "that is a reference, not a key: pass it with --token-ref";
  if (key.includes("${")) return "that names a variable: pass it with --token-ref env:NAME";
  return undefined;
}

/** The variable that holds a provider's key. Throws if it has none that ccc could change. */
export function keyVariable(name: string, entry: ProviderEntry): string {
  const env = writtenEnv(entry.env);
  const [used, other] = TOKENS.filter((token) => env[token]);
  const byHand = `Change that by hand: ccc provider edit ${name}`;
  if (entry.apiKeyHelper) throw new CccError(`the key of "${name}" comes from its apiKeyHelper`, { advice: byHand });
  if (other !== undefined) {
    throw new CccError(`"${name}" has two keys, ${used} and ${other}`, { advice: byHand });
  }
  if (used !== undefined) return used;
  const origin = presetOrigin(name, entry);
  const preset = origin.kind === "none" ? undefined : origin.preset;
  const cloud = cloudOf(env);
  if (cloud !== undefined || (!env.ANTHROPIC_BASE_URL && preset?.token === undefined)) {
    throw new CccError(
      `"${name}" takes no key, because it uses ${cloud === undefined ? "your Claude login" : `the credentials of ${cloud.host}`}`,
      { advice: "For Anthropic with an API key: ccc provider add anthropic-api" },
    );
  }
  return preset?.token ?? "ANTHROPIC_AUTH_TOKEN";
}

/** Where a key is stored. */
export interface KeyStorage {
  /** The value in ccc.json. */
  readonly value: string;
  /** For messages: "its key is in ccc.json, …". */
  readonly where: string;
  /** Stores the key. For a new provider, call it after ccc.json is saved: before, it could overwrite the key of another ccc. */
  readonly put: () => Promise<void>;
}

export type Store = "keychain" | "file";

/** The system keychain if there is one, or else ccc.json, which only its owner can read. */
export async function keyStorage(
  name: string,
  key: string,
  store: Store | undefined,
  world: World,
): Promise<KeyStorage> {
  const inFile = { value: key, where: "in ccc.json, which only you can read", put: async () => {} };
  if (store === "file") return inFile;
  const entry = keychainEntry(name, world.env);
  try {
    await world.keychain.get(entry);
  } catch (error) {
    if (store === undefined) return inFile;
    throw new CccError(`no usable keychain on this system (${messageOf(error)})`, {
      advice: "Without --store keychain, ccc stores the key in ccc.json. Nothing was changed.",
    });
  }
  return {
    value: `keychain:${entry}`,
    where: `in the system keychain, as "${entry}" of ccc`,
    put: () => putInto(entry, key, name, world),
  };
}

async function putInto(entry: string, key: string, name: string, world: World): Promise<void> {
  try {
    await world.keychain.set(entry, key);
  } catch (error) {
    throw new CccError(`the key could not be stored in the keychain: ${messageOf(error)}`, {
      advice: `To store it in ccc.json: ccc provider edit ${name} --store file`,
    });
  }
}

/** The keychain is shared, so providers with the same name in two ccc.json need two entries. */
function keychainEntry(name: string, env: Env): string {
  const folder = env.CCC_CONFIG_DIR || env.CLAUDE_CONFIG_DIR;
  return folder ? `${name}@${folder}` : name;
}

/** Whether a value of ccc.json says that ccc stored the provider's key in the keychain. */
function isOwnEntry(value: unknown, name: string, env: Env): boolean {
  return value === `keychain:${keychainEntry(name, env)}`;
}

interface ForgottenKey {
  readonly isRemoved: boolean;
  readonly message: string;
}

/** Removes the provider's key from the keychain. Returns undefined if `value` does not say that ccc stored it there. */
export async function forgetEntry(value: unknown, name: string, world: World): Promise<ForgottenKey | undefined> {
  const entry = keychainEntry(name, world.env);
  if (!isOwnEntry(value, name, world.env)) return undefined;
  try {
    await world.keychain.remove(entry);
    return { isRemoved: true, message: "removed its key from the keychain" };
  } catch (error) {
    const message = `its old key is still in the keychain, as "${entry}" of ccc: ${messageOf(error)}`;
    return { isRemoved: false, message };
  }
}

/** References to a key in the keychain, before and after it was copied. */
interface CopiedKey {
  readonly old: string;
  readonly next: string;
  /** Whether another provider uses the old entry too. */
  readonly isShared: boolean;
}

/** Copies the key that ccc stored for a provider to the entry of another name. Returns undefined if it stored none. */
export async function copyEntry(
  providers: LoadedConfig["providers"],
  from: string,
  to: string,
  world: World,
): Promise<CopiedKey | undefined> {
  const users = [...providers].filter(([, { env }]) =>
    Object.values(env ?? {}).some((value) => isOwnEntry(value, from, world.env)),
  );
  if (!users.some(([name]) => name === from)) return undefined;
  const [old, next] = [keychainEntry(from, world.env), keychainEntry(to, world.env)];
  const key = await world.keychain.get(old);
  if (key === null) return undefined;
  await world.keychain.set(next, key);
  return { old: `keychain:${old}`, next: `keychain:${next}`, isShared: users.length > 1 };
}
