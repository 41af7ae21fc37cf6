import type { Layers } from "../claude/layers.ts";
import type { Settings } from "../claude/settings.ts";
import type { LoadedConfig } from "../config/load.ts";
import { CccError } from "../errors.ts";
import type { Json } from "../text/json.ts";
import type { Env } from "../world.ts";
import { configuredSettings } from "./configured-settings.ts";
import {
  hasCredential,
  type Identity,
  mergeIdentity,
  refuseManaged,
  requireCredential,
  shadowStoredKey,
} from "./isolate.ts";
import { type Reference, referenceOf, withKeyCommand } from "./references.ts";

/** All that decides what launching a provider means. */
export interface ProviderSituation {
  readonly loaded: Pick<LoadedConfig, "config" | "providers">;
  readonly provider: string;
  readonly env: Env;
  readonly managed: Layers["managed"];
  /** Whether Claude Code has stored a key that it would send beside the provider's token. */
  readonly hasStoredKey: boolean;
  /** The command by which Claude Code gets a key that is a reference. */
  readonly keyCommand: () => string;
}

/** What launching a provider means. The launch acts on it, and the commands report it. */
export interface ProviderLaunch {
  readonly provider: string;
  /** Why it cannot be launched. */
  readonly problem: CccError | undefined;
  /** The provider's settings over the shared ones. */
  readonly settings: Json;
  /** The identity in ccc.json; as written, if a ${NAME} in it cannot be replaced. */
  readonly configured: Identity;
  /** The reference that stands in place of the key. */
  readonly reference: Reference | undefined;
  /** The identity that Claude Code gets. */
  readonly identity: Identity;
  /** Whether that identity keeps a stored key from being sent. */
  readonly shadowsStoredKey: boolean;
  /** Whether requests carry the user's Claude login, because the provider has no key. */
  readonly usesLogin: boolean;
}

/** The one answer to "what happens if this provider is launched?". */
export function providerLaunch(situation: ProviderSituation): ProviderLaunch {
  const { loaded, provider, env } = situation;
  const own = loaded.providers.get(provider) ?? {};
  try {
    const { settings, identity } = configuredSettings(loaded.config, provider, own, env);
    return withIdentity(situation, settings, identity);
  } catch (error) {
    const shared = loaded.config.settings ?? {};
    return refused(error, provider, {}, mergeIdentity(asWritten(shared), asWritten(own)));
  }
}

function withIdentity(situation: ProviderSituation, settings: Json, configured: Identity): ProviderLaunch {
  const { provider, managed, hasStoredKey, keyCommand } = situation;
  try {
    requireCredential(configured, provider);
    refuseManaged(configured, managed, provider);
    const reference = referenceOf(configured, provider);
    const keyed = reference === undefined ? configured : withKeyCommand(configured, keyCommand());
    const identity = hasStoredKey ? shadowStoredKey(keyed) : keyed;
    const shadowsStoredKey = identity !== keyed;
    const usesLogin = !hasCredential(configured);
    return { provider, problem: undefined, settings, configured, reference, identity, shadowsStoredKey, usesLogin };
  } catch (error) {
    return refused(error, provider, settings, configured);
  }
}

function refused(error: unknown, provider: string, settings: Json, configured: Identity): ProviderLaunch {
  if (!(error instanceof CccError)) throw error;
  return {
    provider,
    problem: error,
    settings,
    configured,
    reference: undefined,
    identity: configured,
    shadowsStoredKey: false,
    usesLogin: false,
  };
}

function asWritten({ env, apiKeyHelper }: Settings): Identity {
  const values = Object.entries(env ?? {}).map(([name, value]) => [name, String(value ?? "")] as const);
  return { env: Object.fromEntries(values), apiKeyHelper: apiKeyHelper ?? "" };
}
