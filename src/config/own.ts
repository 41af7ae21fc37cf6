import type { World } from "../world.ts";
import { checkConfig } from "./check.ts";
import { type LoadedConfig, readConfig } from "./load.ts";
import { cccPaths } from "./paths.ts";

/** The ccc.json of this world, for commands: a launch reads it without loading the check. */
export function loadConfig(world: Pick<World, "files" | "version" | "env" | "platform">): LoadedConfig {
  return readConfig(world, cccPaths(world), checkConfig);
}
