import type { World } from "../world.ts";
import { cccPaths } from "./ccc-paths.ts";
import { checkConfig } from "./check.ts";
import { type LoadedConfig, readConfig } from "./load.ts";

/** Reads ccc.json for a command. A launch calls readConfig itself, so that it need not load the validation. */
export function loadConfig(world: Pick<World, "files" | "version" | "env" | "platform">): LoadedConfig {
  return readConfig(world, cccPaths(world), checkConfig);
}
