import { CccError } from "../errors.ts";
import type { LoadedConfig } from "./load.ts";

/** The provider that a launch uses: the named one, else the current, else the first in the file. */
export function chooseProvider({ config, providers, path }: LoadedConfig, named: string | undefined): string {
  const wanted = named ?? (config.current_provider || undefined);
  if (wanted === undefined) return [...providers.keys()][0] ?? "";
  if (providers.has(wanted)) return wanted;
  throw new CccError(`current_provider in ${path} is "${wanted}", which is not among its providers`, {
    advice: `Name one: ${[...providers.keys()].map((name) => `ccc ${name}`).join(", ")}`,
  });
}
