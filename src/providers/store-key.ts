import { CccError, messageOf } from "../io/errors.ts";
import type { Env, World } from "../world.ts";

/** Where a key has been put: what stands in ccc.json for it, and how a person is told. */
export interface StoredKey {
  readonly value: string;
  readonly place: string;
}

export type Store = "keychain" | "file";

/** Puts a key into the system's keychain where there is one, else into ccc.json, which is its owner's alone. */
export async function storeKey(name: string, key: string, store: Store | undefined, world: World): Promise<StoredKey> {
  const inFile = { value: key, place: "in ccc.json, which only you can read" };
  if (store === "file") return inFile;
  try {
    const entry = keychainEntry(name, world.env);
    await world.keychain.set(entry, key);
    return { value: `keychain:${entry}`, place: `in the keychain of this system, as "${entry}" of ccc` };
  } catch (error) {
    if (store === undefined) return inFile;
    throw new CccError(`the keychain of this system cannot be used: ${messageOf(error)}`, {
      advice: "Without --store keychain, the key is put into ccc.json. Nothing was changed.",
    });
  }
}

/** A keychain is one for all: providers of one name in two ccc.json have an entry each. */
export function keychainEntry(name: string, env: Env): string {
  const folder = env.CCC_CONFIG_DIR || env.CLAUDE_CONFIG_DIR;
  return folder ? `${name}@${folder}` : name;
}
