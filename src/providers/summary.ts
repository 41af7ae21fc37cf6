import type { LoadedConfig } from "../config/load.ts";
import { CccError, messageOf } from "../io/errors.ts";
import { maskSecret, SECRET_NAME, withoutUrlSecrets } from "../io/redact.ts";
import { configuredSettings } from "../launch/settings.ts";
import type { Env } from "../world.ts";
import { type Identity, requireCredential } from "./isolate.ts";
import { isReference, referenceOf } from "./references.ts";
import { kindOf } from "./variables.ts";

/** A provider as a person may see it. */
export interface Summary {
  readonly name: string;
  /** Whether a launch that names none uses it. */
  readonly current: boolean;
  /** Whether it reviews for the others. */
  readonly reviewer: boolean;
  readonly baseUrl: string;
  readonly model: string;
  /** The last four characters of the key at the most, or where it is kept. */
  readonly key: string;
  /** Its environment, keys masked. */
  readonly env: Readonly<Record<string, string>>;
  /** Why it could not be launched. */
  readonly problem: string;
}

export function summarize(loaded: LoadedConfig, name: string, current: string, env: Env): Summary {
  const place = { name, current: name === current, reviewer: loaded.config.supervisor?.provider === name };
  try {
    const { identity } = configuredSettings(loaded.config, name, loaded.providers.get(name) ?? {}, env);
    return { ...place, ...described(identity), problem: problemOf(identity, name) };
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    return { ...place, baseUrl: "", model: "", key: "", env: {}, problem: error.message };
  }
}

function described({ env, apiKeyHelper }: Identity) {
  const key = env.ANTHROPIC_AUTH_TOKEN || env.ANTHROPIC_API_KEY || env.CLAUDE_CODE_OAUTH_TOKEN || "";
  const shown = Object.entries(env).map(([name, value]) => [name, shownValue(name, value)] as const);
  return {
    baseUrl: withoutUrlSecrets(env.ANTHROPIC_BASE_URL ?? ""),
    model: env.ANTHROPIC_MODEL || env.ANTHROPIC_DEFAULT_SONNET_MODEL || "",
    key: key === "" && apiKeyHelper !== "" ? "from apiKeyHelper" : shownKey(key),
    env: Object.fromEntries(shown),
  };
}

/** A reference is no secret: it says where the key is. */
function shownKey(key: string): string {
  return isReference(key) ? key : maskSecret(key);
}

function shownValue(name: string, value: string): string {
  return kindOf(name) === "credential" || SECRET_NAME.test(name) ? shownKey(value) : withoutUrlSecrets(value);
}

function problemOf(identity: Identity, name: string): string {
  try {
    requireCredential(identity, name);
    referenceOf(identity, name);
    return "";
  } catch (error) {
    return messageOf(error);
  }
}
