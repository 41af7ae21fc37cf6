import { addedFolders } from "../claude/arguments.ts";
import { folderPin } from "../config/folder-pin.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Pin } from "../config/pins.ts";
import { type CccError, usageError } from "../errors.ts";
import { isAbsolute, join } from "../os/path.ts";
import type { World } from "../world.ts";

/** The pins that a launch has to respect. */
export interface LaunchPins {
  /** That of the folder in which claude runs. */
  readonly here: Pin | undefined;
  /** Those, of all folders that claude may read, that refuse other providers. */
  readonly strict: readonly Pin[];
}

export function launchPins(args: readonly string[], loaded: LoadedConfig, world: World): LaunchPins {
  const here = folderPin(loaded, world);
  const added = addedFolders(args).map((folder) =>
    folderPin(loaded, world, isAbsolute(folder) ? folder : join(world.cwd, folder)),
  );
  return { here, strict: [here, ...added].filter((pin) => pin !== undefined).filter((pin) => pin.only) };
}

/** Why a provider must not see the files of a folder, if that is so. `anyway` is the command that allows it. */
export function otherProviderProblem(
  provider: string,
  { strict }: Pick<LaunchPins, "strict">,
  anyway = `ccc --anyway ${provider}`,
): CccError | undefined {
  const pin = strict.find((each) => each.provider !== provider);
  if (pin === undefined) return undefined;
  return usageError(
    `${pin.folder} is pinned to ${pin.provider} only: ${provider} must not see its files`,
    `Use ${pin.provider} there. To use ${provider} anyway: ${anyway}`,
  );
}
