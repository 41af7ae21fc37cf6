import { CccError, messageOf } from "../io/errors.ts";
import type { World } from "../world.ts";

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
    await world.keychain.set(name, key);
    return { value: `keychain:${name}`, place: `in the keychain of this system, as "${name}" of ccc` };
  } catch (error) {
    if (store === undefined) return inFile;
    throw new CccError(`the keychain of this system cannot be used: ${messageOf(error)}`, {
      advice: "Without --store keychain, the key is put into ccc.json. Nothing was changed.",
    });
  }
}
