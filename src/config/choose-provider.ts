import { CccError } from "../errors.ts";
import type { LoadedConfig } from "./load.ts";
import type { Pin } from "./pins.ts";

/** The provider of a launch that names none, and why it is that one. */
export interface ChosenProvider {
  readonly provider: string;
  readonly why: "pinned" | "last used" | "first";
}

/** The provider that this folder is pinned to, else the current one, else the first in the file. */
export function chooseProvider({ config, providers, path }: LoadedConfig, pin: Pin | undefined): ChosenProvider {
  const names = [...providers.keys()];
  const wanted = pin?.provider ?? (config.current_provider || undefined);
  if (wanted === undefined) return { provider: names[0] ?? "", why: "first" };
  if (providers.has(wanted)) return { provider: wanted, why: pin === undefined ? "last used" : "pinned" };
  if (pin !== undefined) {
    throw new CccError(`${pin.folder} is pinned to "${wanted}", which is not one of the providers in ${path}`, {
      advice: `Pin it to another, there: ccc pin NAME\nYour providers: ${names.join(", ")}`,
    });
  }
  throw new CccError(`current_provider in ${path} is "${wanted}", which is not one of its providers`, {
    advice: `Choose one: ${names.map((name) => `ccc ${name}`).join(", ")}`,
  });
}
