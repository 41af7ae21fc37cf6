import type { LoadedConfig } from "../../config/load.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { resolvedIdentity } from "../../providers/credentials.ts";
import type { Identity } from "../../providers/isolate.ts";
import { withResolvedEnv } from "../../providers/resolve.ts";
import { resolveKey } from "../../providers/secrets.ts";
import { TOKENS } from "../../providers/variables.ts";
import type { World } from "../../world.ts";

/** What a launch on this provider would send, with references and key helpers resolved. */
export async function requestIdentity(loaded: LoadedConfig, provider: string, world: World): Promise<Identity> {
  const resolved = await withResolvedEnv(loaded, [provider], world);
  const identity = await resolvedIdentity(currentLaunch(world, resolved, provider), world);
  const own = loaded.providers.get(provider) ?? {};
  const model = own.model ?? loaded.config.settings?.model;
  const env: Record<string, string> = { ...identity.env };
  if (typeof model === "string") env.ANTHROPIC_MODEL ||= model;
  if (identity.apiKeyHelper === "")
    return { ...identity, env: inBothHeaders(env, env.ANTHROPIC_AUTH_TOKEN || env.ANTHROPIC_API_KEY || "") };
  const field = own.apiKeyHelper === undefined ? "settings.apiKeyHelper" : `providers.${provider}.apiKeyHelper`;
  const key = await resolveKey(`cmd:${identity.apiKeyHelper}`, field, world);
  return { env: inBothHeaders(env, key), apiKeyHelper: "" };
}

/** Claude Code sends what a helper prints in both headers, unless a variable sets one of them. */
function inBothHeaders(env: Readonly<Record<string, string>>, key: string): Record<string, string> {
  const both: Record<string, string> = { ...env };
  for (const name of TOKENS) both[name] ||= key;
  return both;
}
