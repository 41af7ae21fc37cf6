import { chooseProvider } from "../config/choose-provider.ts";
import { folderPin } from "../config/folder-pin.ts";
import type { LoadedConfig } from "../config/load.ts";
import { usageError } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
import type { World } from "../world.ts";
import { findPreset } from "./new-provider.ts";

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
