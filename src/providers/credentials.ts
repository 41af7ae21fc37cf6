import type { LoadedConfig } from "../config/load.ts";
import type { World } from "../world.ts";
import { configuredSettings } from "./configured-settings.ts";
import { type Identity, requireCredential } from "./isolate.ts";
import { referenceOf } from "./references.ts";
import { resolveKey } from "./secrets.ts";
import { TOKENS } from "./variables.ts";

/** A provider's identity with its key at hand, for commands of ccc that talk to a server themselves. */
export async function launchIdentity(loaded: LoadedConfig, provider: string, world: World): Promise<Identity> {
  const own = loaded.providers.get(provider) ?? {};
  const { identity } = configuredSettings(loaded.config, provider, own, world.env);
  requireCredential(identity, provider);
  const reference = referenceOf(identity, provider);
  if (reference === undefined) return identity;
  const key = await resolveKey(reference.reference, reference.field, world);
  const env: Record<string, string> = { ...identity.env };
  for (const name of TOKENS) if (env[name]) env[name] = key;
  return { ...identity, env };
}
