import type { World } from "../world.ts";
import type { LoadedConfig } from "./load.ts";
import { allPins, type Pin, pinOf } from "./pins.ts";

/** The pin that counts in a folder, if there is one. */
export function folderPin(
  { config }: Pick<LoadedConfig, "config">,
  { files, platform, cwd }: Pick<World, "files" | "platform" | "cwd">,
  folder = cwd,
): Pin | undefined {
  const resolve = (path: string): string => {
    try {
      return files.realPath(path);
    } catch {
      // It does not exist, or not on this machine.
      return path;
    }
  };
  return pinOf(folder, allPins(config), { platform, resolve });
}
