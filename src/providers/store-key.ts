import { CccError, messageOf } from "../errors.ts";
import type { Env, World } from "../world.ts";

/** Where a key is stored. */
export interface KeyPlace {
  /** The value in ccc.json. */
  readonly value: string;
  /** For messages: "its key is in ccc.json, …". */
  readonly words: string;
  /** Stores the key. For a new provider, call it after ccc.json is saved: before, it could overwrite the key of another ccc. */
  readonly put: () => Promise<void>;
}

export type Store = "keychain" | "file";

/** The system keychain if there is one, or else ccc.json, which only its owner can read. */
export async function keyPlace(name: string, key: string, store: Store | undefined, world: World): Promise<KeyPlace> {
  const inFile = { value: key, words: "in ccc.json, which only you can read", put: async () => {} };
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
    words: `in the system keychain, as "${entry}" of ccc`,
    put: () => putInto(entry, key, name, world),
  };
}

async function putInto(entry: string, key: string, name: string, world: World): Promise<void> {
  try {
    await world.keychain.set(entry, key);
  } catch (error) {
    throw new CccError(`the key could not be stored in the keychain: ${messageOf(error)}`, {
      advice: `To store it in ccc.json: ccc provider set-key ${name} --store file`,
    });
  }
}

/** The keychain is shared, so providers with the same name in two ccc.json need two entries. */
function keychainEntry(name: string, env: Env): string {
  const folder = env.CCC_CONFIG_DIR || env.CLAUDE_CONFIG_DIR;
  return folder ? `${name}@${folder}` : name;
}

/** Whether a value of ccc.json says that ccc stored the provider's key in the keychain. */
export function isOwnEntry(value: unknown, name: string, env: Env): boolean {
  return value === `keychain:${keychainEntry(name, env)}`;
}

export interface ForgottenKey {
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

/** Copies the key that ccc stored for a provider to the entry of another name. Returns both references, if there is a key. */
export async function copyEntry(
  from: string,
  to: string,
  world: World,
): Promise<readonly [string, string] | undefined> {
  const [old, next] = [keychainEntry(from, world.env), keychainEntry(to, world.env)];
  const key = await world.keychain.get(old);
  if (key === null) return undefined;
  await world.keychain.set(next, key);
  return [`keychain:${old}`, `keychain:${next}`];
}
