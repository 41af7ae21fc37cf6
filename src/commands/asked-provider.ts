import { readManaged } from "../claude/layers.ts";
import { chooseProvider, type LoadedConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { folderPin } from "../config/pins.ts";
import { CccError, usageError } from "../errors.ts";
import { keyCommandLine, type ProviderLaunch, providerLaunch } from "../providers/identity.ts";
import { findPreset } from "../providers/preset-list.ts";
import { nearest } from "../text/words.ts";
import type { World } from "../world.ts";

/** The providers that a command is about: the named one, with --all all of them, else the one of this folder. */
export function askedProviders(
  loaded: LoadedConfig,
  named: string | undefined,
  all: boolean,
  world: World,
): readonly string[] {
  if (all && named !== undefined) throw usageError("--all cannot be combined with a provider");
  return all ? [...loaded.providers.keys()] : [providerHere(named, loaded, world)];
}

/** The named provider, else the one that plain ccc uses in this folder. */
export function providerHere(
  named: string | undefined,
  loaded: LoadedConfig,
  world: Pick<World, "files" | "platform" | "cwd">,
): string {
  return named === undefined
    ? chooseProvider(loaded, folderPin(loaded, world)).provider
    : requireProvider(named, loaded);
}

/** Returns the name if ccc.json has that provider; otherwise a usage error that suggests what was meant. */
export function requireProvider(name: string, { providers }: LoadedConfig): string {
  if (providers.has(name)) return name;
  const names = [...providers.keys()];
  const meant = nearest(name, names);
  throw usageError(
    `unknown provider "${name}"${meant === undefined ? "" : `: did you mean "${meant}"?`}`,
    [`Your providers: ${names.join(", ")}`, ...(findPreset(name) ? [`Add it: ccc provider add ${name}`] : [])].join(
      "\n",
    ),
  );
}

/** What launching a provider would mean now, for commands that launch nothing. */
export function currentLaunch(world: World, loaded: LoadedConfig, provider: string): ProviderLaunch {
  const { files, platform, env, self } = world;
  const situation = {
    loaded,
    provider,
    env,
    writesKey: false,
    keyCommand: (server: string) => keyCommandLine(self, provider, cccPaths(world).folder, server),
  };
  try {
    return providerLaunch({ ...situation, managed: readManaged(files, platform) });
  } catch (error) {
    // A policy that nobody can read stops every launch, whatever else is wrong.
    if (error instanceof CccError) return { ...providerLaunch({ ...situation, managed: [] }), problem: error };
    throw error;
  }
}
