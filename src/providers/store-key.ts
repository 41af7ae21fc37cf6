import { CccError, messageOf } from "../errors.ts";
import type { Env, World } from "../world.ts";

/** Where a key goes: what stands in ccc.json for it, how a person is told, and how it gets there. */
export interface KeyPlace {
  readonly value: string;
  readonly told: string;
  /** Puts it there, once ccc.json says so: another ccc may have come first, and its key is not to be overwritten. */
  readonly put: () => Promise<void>;
}

export type Store = "keychain" | "file";

/** The system's keychain where there is one, else ccc.json, which is its owner's alone. */
export async function keyPlace(name: string, key: string, store: Store | undefined, world: World): Promise<KeyPlace> {
  const inFile = { value: key, told: "in ccc.json, which only you can read", put: async () => {} };
  if (store === "file") return inFile;
  const entry = keychainEntry(name, world.env);
  try {
    await world.keychain.get(entry);
  } catch (error) {
    if (store === undefined) return inFile;
    throw new CccError(`this system has no keychain that ccc can use (${messageOf(error)})`, {
      advice: "Without --store keychain, the key is put into ccc.json. Nothing was changed.",
    });
  }
  return {
    value: `keychain:${entry}`,
    told: `in the keychain of this system, as "${entry}" of ccc`,
    put: () => putInto(entry, key, name, world),
  };
}

async function putInto(entry: string, key: string, name: string, world: World): Promise<void> {
  try {
    await world.keychain.set(entry, key);
  } catch (error) {
    throw new CccError(`the key could not be put into the keychain: ${messageOf(error)}`, {
      advice: `Once more, into ccc.json: ccc provider add ${name} --replace --store file`,
    });
  }
}

/** A keychain is one for all: providers of one name in two ccc.json have an entry each. */
function keychainEntry(name: string, env: Env): string {
  const folder = env.CCC_CONFIG_DIR || env.CLAUDE_CONFIG_DIR;
  return folder ? `${name}@${folder}` : name;
}

/** Takes a key out of the keychain that ccc put there for this provider, if `value` says that it did. */
export async function forgetEntry(value: unknown, name: string, world: World): Promise<string | undefined> {
  const entry = keychainEntry(name, world.env);
  if (value !== `keychain:${entry}`) return undefined;
  try {
    await world.keychain.remove(entry);
    return "its key is no longer in the keychain";
  } catch (error) {
    return `its key is still in the keychain, as "${entry}" of ccc: ${messageOf(error)}`;
  }
}
