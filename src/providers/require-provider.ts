import type { LoadedConfig } from "../config/load.ts";
import { usageError } from "../errors.ts";
import { nearest } from "../text/nearest.ts";
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
