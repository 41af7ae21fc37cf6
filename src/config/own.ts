import type { World } from "../world.ts";
import { type LoadedConfig, loadConfig } from "./load.ts";
import { cccPaths, type Paths } from "./paths.ts";

/** Where ccc keeps its own files in this world. */
export function ownPaths({ env, platform }: Pick<World, "env" | "platform">): Paths {
  return cccPaths(env, platform);
}

/** The ccc.json of this world. */
export function loadOwn(world: World): LoadedConfig {
  return loadConfig(world.files, ownPaths(world), world.version);
}
