/** The system's own store for secrets: the keychain of macOS, the credential manager of Windows, a secret service on Linux. */
export interface Keychain {
  get(name: string): Promise<string | null>;
  set(name: string, value: string): Promise<void>;
  remove(name: string): Promise<void>;
}

const service = "ccc";

export const systemKeychain: Keychain = {
  get: (name) => Bun.secrets.get({ service, name }),
  set: (name, value) => Bun.secrets.set({ service, name, value }),
  remove: async (name) => {
    await Bun.secrets.delete({ service, name });
  },
};
