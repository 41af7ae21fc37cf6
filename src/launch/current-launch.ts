import { readManaged } from "../claude/layers.ts";
import { cccPaths } from "../config/ccc-paths.ts";
import type { LoadedConfig } from "../config/load.ts";
import { CccError } from "../errors.ts";
import { type ProviderLaunch, providerLaunch } from "../providers/provider-launch.ts";
import type { World } from "../world.ts";
import { keyCommandLine } from "./key-command.ts";

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
