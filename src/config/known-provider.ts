import { usageError } from "../errors.ts";
import { findPreset } from "../providers/new-provider.ts";
import { nearest } from "../text/nearest.ts";
import type { LoadedConfig } from "./load.ts";

/** The name of a provider that has to be there. */
export function known(name: string, { providers }: LoadedConfig): string {
  if (providers.has(name)) return name;
  const names = [...providers.keys()];
  const meant = nearest(name, names);
  throw usageError(
    `there is no provider "${name}"${meant === undefined ? "" : `: did you mean "${meant}"?`}`,
    [`There are: ${names.join(", ")}`, ...(findPreset(name) ? [`Add it: ccc provider add ${name}`] : [])].join("\n"),
  );
}
