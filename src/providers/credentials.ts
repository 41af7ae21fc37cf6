import type { World } from "../world.ts";
import type { Identity } from "./isolate.ts";
import type { ProviderLaunch } from "./provider-launch.ts";
import { resolveKey } from "./secrets.ts";
import { TOKENS } from "./variables.ts";

/** A provider's identity with its key resolved, for commands of ccc that send requests themselves. */
export async function resolvedIdentity(launch: ProviderLaunch, world: World): Promise<Identity> {
  const { problem, configured, reference } = launch;
  if (problem !== undefined) throw problem;
  if (reference === undefined) return configured;
  const key = await resolveKey(reference.reference, reference.field, world);
  const env: Record<string, string> = { ...configured.env };
  for (const name of TOKENS) if (env[name]) env[name] = key;
  return { ...configured, env };
}
