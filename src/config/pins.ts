/** Pins: the providers of folders. */
import { addedFolders } from "../claude/arguments.ts";
import { type CccError, usageError } from "../errors.ts";
import { isAbsolute, join } from "../os/path.ts";
import { optional, type World } from "../world.ts";
import type { LoadedConfig } from "./load.ts";
import type { Config } from "./schema.ts";

/** The pin that applies in a folder, if any. */
export function folderPin(
  { config }: Pick<LoadedConfig, "config">,
  { files, platform, cwd }: Pick<World, "files" | "platform" | "cwd">,
  folder = cwd,
): Pin | undefined {
  // A folder may not exist, or not on this machine.
  const resolve = (path: string) => optional(() => files.realPath(path)) ?? path;
  return pinOf(folder, allPins(config), { platform, resolve });
}

/** A folder's provider, from `folders` in ccc.json. */
export interface Pin {
  /** As written in ccc.json. */
  readonly folder: string;
  readonly provider: string;
  /** Whether every other provider is refused there. */
  readonly only: boolean;
}

export function allPins({ folders }: Pick<Config, "folders">): Pin[] {
  return Object.entries(folders ?? {}).map(([folder, pin]) =>
    typeof pin === "string"
      ? { folder, provider: pin, only: false }
      : { folder, provider: pin.provider, only: pin.only === true },
  );
}

/**
 * The pin of a folder: its own, or that of the nearest folder above it. `resolve` follows links, since one folder may have
 * several paths.
 */
export function pinOf(
  folder: string,
  pins: readonly Pin[],
  { platform, resolve }: { readonly platform: NodeJS.Platform; readonly resolve: (path: string) => string },
): Pin | undefined {
  const parts = partsOf(resolve(folder), platform);
  let best: { readonly pin: Pin; readonly depth: number } | undefined;
  for (const pin of pins) {
    const above = partsOf(resolve(pin.folder), platform);
    if (above.length > parts.length || above.some((part, index) => part !== parts[index])) continue;
    // Two paths of one folder: the stricter pin wins.
    const isNearer = best === undefined || above.length > best.depth;
    if (isNearer || (above.length === best?.depth && pin.only)) best = { pin, depth: above.length };
  }
  return best?.pin;
}

/** Windows and macOS ignore case, and Windows has two kinds of slashes. */
function partsOf(path: string, platform: NodeJS.Platform): string[] {
  const ignoresCase = platform === "win32" || platform === "darwin";
  const parts = path.split(platform === "win32" ? /[\\/]+/ : /\/+/).filter((part) => part !== "");
  return ignoresCase ? parts.map((part) => part.normalize("NFC").toLowerCase()) : parts;
}

/** The pins that a launch has to respect. */
export interface LaunchPins {
  /** That of the folder in which claude runs. */
  readonly here: Pin | undefined;
  /** The pins with `only` of all folders that claude may read. */
  readonly strict: readonly Pin[];
}

export function launchPins(args: readonly string[], loaded: LoadedConfig, world: World): LaunchPins {
  const here = folderPin(loaded, world);
  const added = addedFolders(args).map((folder) =>
    folderPin(loaded, world, isAbsolute(folder) ? folder : join(world.cwd, folder)),
  );
  return { here, strict: [here, ...added].filter((pin) => pin !== undefined).filter((pin) => pin.only) };
}

/** The error if a provider must not see the files of a folder. `anyway` is the command that allows it. */
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
