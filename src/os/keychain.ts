import { CccError } from "../errors.ts";
import type { Env } from "../world.ts";

/** The system's own store for secrets: the keychain of macOS, the credential manager of Windows, a secret service on Linux. */
export interface Keychain {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** The keychain of this system, unless the user wants none of it. */
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
