import type { LoadedConfig } from "../../config/load.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { resolvedIdentity } from "../../providers/credentials.ts";
import type { Identity } from "../../providers/isolate.ts";
import { withResolvedEnv } from "../../providers/resolve.ts";
import { resolveKey } from "../../providers/secrets.ts";
import { TOKENS } from "../../providers/variables.ts";
import type { World } from "../../world.ts";

/** All that a request of a launch on this provider would hold: keys that are elsewhere are fetched. */
export async function askedIdentity(loaded: LoadedConfig, provider: string, world: World): Promise<Identity> {
  const resolved = await withResolvedEnv(loaded, [provider], world);
  const identity = await resolvedIdentity(currentLaunch(world, resolved, provider), world);
  const own = loaded.providers.get(provider) ?? {};
  const model = own.model ?? loaded.config.settings?.model;
  const env: Record<string, string> = { ...identity.env };
  if (typeof model === "string") env.ANTHROPIC_MODEL ||= model;
  if (identity.apiKeyHelper === "") return { ...identity, env };
  const field = own.apiKeyHelper === undefined ? "settings.apiKeyHelper" : `providers.${provider}.apiKeyHelper`;
  const key = await resolveKey(`cmd:${identity.apiKeyHelper}`, field, world);
  // Claude Code sends it in both headers, each unless a variable fills it.
  for (const name of TOKENS) env[name] ||= key;
  return { env, apiKeyHelper: "" };
}
