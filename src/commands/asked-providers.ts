import type { LoadedConfig } from "../config/load.ts";
import { usageError } from "../errors.ts";
import { providerHere } from "../providers/require-provider.ts";
import type { World } from "../world.ts";

/** The providers that a command is about: the named one, with --all all of them, else the one of this folder. */
export function askedProviders(
  loaded: LoadedConfig,
  named: string | undefined,
  all: boolean,
  world: World,
): readonly string[] {
  if (all && named !== undefined) throw usageError("--all cannot be combined with a provider");
  return all ? [...loaded.providers.keys()] : [providerHere(named, loaded, world)];
}

const LONGEST_SECONDS = 3600;

/** The value of --timeout, in milliseconds. */
export function timeoutIn(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  const number = Number(seconds);
  if (number > 0 && number <= LONGEST_SECONDS) return number * 1000;
  throw usageError(`--timeout takes seconds, above 0 and up to ${LONGEST_SECONDS}`);
}
