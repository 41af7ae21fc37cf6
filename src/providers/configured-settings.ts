import type { Settings } from "../claude/settings.ts";
import { isUrl } from "../claude/url.ts";
import { expandEnv } from "../config/expand.ts";
import type { Config } from "../config/schema.ts";
import { CccError } from "../errors.ts";
import { isObject, type Json } from "../text/json.ts";
import type { Env } from "../world.ts";
import { refuseForbidden } from "./forbidden.ts";
import { type Identity, mergeIdentity } from "./isolate.ts";

/** A provider's settings merged over the shared ones of ccc.json, before isolation. */
export function configuredSettings(config: Config, provider: string, own: Settings, env: Env) {
  const shared = config.settings ?? {};
  const identity = mergeIdentity(identityOf(shared, env, "settings"), identityOf(own, env, `providers.${provider}`));
  return { settings: mergeSettings(shared, own), identity };
}

/** Merges objects and replaces everything else, as the Go ccc did. */
export function mergeSettings(base: Json, over: Json): Json {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (key === "__proto__") continue;
    const below = Object.hasOwn(merged, key) ? merged[key] : undefined;
    merged[key] = isObject(below) && isObject(value) ? mergeSettings(below, value) : value;
  }
  return merged;
}

function identityOf(settings: Settings, env: Env, field: string): Identity {
  const block = settings.env ?? {};
  refuseForbidden(Object.keys(block), `${field}.env`);
  const expanded = expandEnv(block, env, `${field}.env`);
  if (!isUrl(expanded.ANTHROPIC_BASE_URL ?? "")) throw new CccError(`${field}.env.ANTHROPIC_BASE_URL: must be a URL`);
  return { env: expanded, apiKeyHelper: settings.apiKeyHelper ?? "" };
}
