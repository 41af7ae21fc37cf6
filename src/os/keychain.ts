import { CccError } from "../errors.ts";
import type { Env } from "../world.ts";

/** The system's store for secrets: Keychain on macOS, Credential Manager on Windows, Secret Service on Linux. */
export interface Keychain {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The system's keychain, unless the user has switched it off. */
export function keychainOf(env: Env): Keychain {
  return env.CCC_KEYCHAIN === "0" ? NONE : SYSTEM;
}

const service = "ccc";

const SYSTEM: Keychain = {
  get: (name) => Bun.secrets.get({ service, name }),
  set: (name, value) => Bun.secrets.set({ service, name, value }),
  remove: async (name) => {
    await Bun.secrets.delete({ service, name });
  },
};

const switchedOff = async () => {
  throw new CccError("CCC_KEYCHAIN is 0");
};

const NONE: Keychain = { get: switchedOff, set: switchedOff, remove: switchedOff };
