import type { Settings } from "../claude/settings.ts";
import { expandEnv } from "../config/expand.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { World } from "../world.ts";
import { isOtherReference, type Reference } from "./references.ts";
import { resolveKey, resolveReference } from "./secrets.ts";

/** Resolves keys before a launch, so that a missing one stops it. Callers use them only for redaction. */
export async function checkReferences(references: readonly Reference[], world: World): Promise<string[]> {
  const keys: string[] = [];
  for (const { reference, field } of references) keys.push(await resolveKey(reference, field, world));
  return keys;
}

/**
 * Resolves all references except keys: Claude Code can ask for a provider's key later, but needs any other secret from the
 * start.
 */
export async function withResolvedEnv(
  loaded: LoadedConfig,
  names: readonly string[],
  world: World,
): Promise<LoadedConfig> {
  const resolve = async (settings: Settings, field: string): Promise<Settings> => {
    const env = { ...settings.env };
    for (const [name, value] of Object.entries(env)) {
      const place = `${field}.env.${name}`;
      if (!isOtherReference(name, value)) continue;
      const { [name]: reference = "" } = expandEnv({ [name]: value }, world.env, `${field}.env`);
      env[name] = await resolveReference(reference, place, world);
    }
    return { ...settings, env };
  };
  const providers = new Map(loaded.providers);
  for (const name of names) {
    const own = providers.get(name);
    // An unknown one stays unknown: the launch reports it.
    if (own !== undefined) providers.set(name, await resolve(own, `providers.${name}`));
  }
  const settings = await resolve(loaded.config.settings ?? {}, "settings");
  return { ...loaded, providers, config: { ...loaded.config, settings } };
}
