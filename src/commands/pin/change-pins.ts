import type { Paths } from "../../config/ccc-paths.ts";
import { changeConfig } from "../../config/edit.ts";
import { folderPin } from "../../config/folder-pin.ts";
import { allPins, type Pin } from "../../config/pins.ts";
import type { Config } from "../../config/schema.ts";
import type { World } from "../../world.ts";

/** Pins a folder, instead of whatever pins it has by this or another path. */
export function setPin({ folder, provider, only }: Pin, paths: Paths, world: World): void {
  const value = only ? { provider, only } : provider;
  world.files.edit(paths.config, (text) =>
    changeConfig(text, paths.config, (config) => [
      ...ownPins(folder, config, world)
        .filter((pin) => pin.folder !== folder)
        .map(remove),
      { path: ["folders", folder], value },
    ]),
  );
}

/** Removes the folder's own pins, and returns one of them; undefined if there was none. */
export function removePin(folder: string, paths: Paths, world: World): Pin | undefined {
  let removed: Pin | undefined;
  world.files.edit(paths.config, (text) => {
    if (text === undefined) return undefined;
    return changeConfig(text, paths.config, (config) => {
      const own = ownPins(folder, config, world);
      [removed] = own;
      const isLast = own.length > 0 && own.length === Object.keys(config.folders ?? {}).length;
      return isLast ? [{ path: ["folders"], value: undefined }] : own.map(remove);
    });
  });
  return removed;
}

/** The pins of exactly this folder: one folder may have several paths. */
function ownPins(folder: string, config: Config, world: World): Pin[] {
  const isSame = (pin: Pin) => {
    const only = (one: string) => ({ config: { folders: { [one]: pin.provider } } });
    return folderPin(only(pin.folder), world, folder) !== undefined && folderPin(only(folder), world, pin.folder);
  };
  return allPins(config).filter(isSame);
}

function remove({ folder }: Pin) {
  return { path: ["folders", folder], value: undefined };
}
