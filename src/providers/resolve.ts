import type { Settings } from "../claude/settings.ts";
import { expandEnv } from "../config/expand.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { World } from "../world.ts";
import { isOtherReference, type Reference } from "./references.ts";
import { resolveKey, resolveReference } from "./secrets.ts";

/** A key that cannot be had stops a launch before anything starts. The keys are kept by nobody but who has to hide them. */
export async function checkReferences(references: readonly Reference[], world: World): Promise<string[]> {
  const keys: string[] = [];
  for (const { reference, field } of references) keys.push(await resolveKey(reference, field, world));
  return keys;
}

/**
 * ccc.json with every reference resolved that Claude Code has no command for: only a provider's key can be asked for
 * later, any other secret has to be there from the start.
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
  for (const name of names) providers.set(name, await resolve(providers.get(name) ?? {}, `providers.${name}`));
  const settings = await resolve(loaded.config.settings ?? {}, "settings");
  return { ...loaded, providers, config: { ...loaded.config, settings } };
}
