import type { Config } from "./schema.ts";

/** A folder's provider, from `folders` in ccc.json. */
export interface Pin {
  /** As ccc.json has it. */
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
    // Two paths of one folder: the stricter pin counts.
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
