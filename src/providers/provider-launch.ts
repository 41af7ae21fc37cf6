import type { Layers } from "../claude/layers.ts";
import type { Settings } from "../claude/settings.ts";
import type { LoadedConfig } from "../config/load.ts";
import { CccError } from "../errors.ts";
import type { Json } from "../text/json.ts";
import type { Env } from "../world.ts";
import { configuredSettings } from "./configured-settings.ts";
import { hasCredential, type Identity, mergeIdentity, refuseManaged, requireCredential } from "./isolate.ts";
import { hasKey, type Reference, referenceOf, refuseRemoved, withKeyCommand } from "./references.ts";
import { TOKENS } from "./variables.ts";

/** All that decides what launching a provider means. */
export interface ProviderSituation {
  readonly loaded: Pick<LoadedConfig, "config" | "providers">;
  readonly provider: string;
  readonly env: Env;
  readonly managed: Layers["managed"];
  /** The command by which Claude Code gets the key for this base URL. */
  readonly keyCommand: (server: string) => string;
  /** Whether a key that is in ccc.json is written into the settings instead. */
  readonly writesKey: boolean;
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
  /** Whether Claude Code asks ccc for the key, and sends it in both headers. */
  readonly asksForKey: boolean;
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
  const { provider, managed, keyCommand, writesKey } = situation;
  try {
    requireCredential(configured, provider);
    refuseManaged(configured, managed, provider);
    const reference = referenceOf(configured, provider);
    const isPlainKey = configured.apiKeyHelper === "" && hasKey(configured);
    const asksForKey = reference !== undefined || (isPlainKey && !writesKey);
    if (asksForKey) refuseRemovedIn(situation);
    const identity = asksForKey
      ? withKeyCommand(configured, keyCommand(configured.env.ANTHROPIC_BASE_URL ?? ""))
      : configured;
    const usesLogin = !hasCredential(configured);
    return { provider, problem: undefined, settings, configured, reference, identity, asksForKey, usesLogin };
  } catch (error) {
    return refused(error, provider, settings, configured);
  }
}

function refuseRemovedIn({ loaded, provider }: ProviderSituation): void {
  const own = loaded.providers.get(provider)?.env ?? {};
  for (const name of TOKENS)
    refuseRemoved(own[name] ?? loaded.config.settings?.env?.[name], `providers.${provider}.env.${name}`);
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
    asksForKey: false,
    usesLogin: false,
  };
}

function asWritten({ env, apiKeyHelper }: Settings): Identity {
  const values = Object.entries(env ?? {}).map(([name, value]) => [name, String(value ?? "")] as const);
  return { env: Object.fromEntries(values), apiKeyHelper: apiKeyHelper ?? "" };
}
