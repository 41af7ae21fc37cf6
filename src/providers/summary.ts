import { configuredModel } from "../claude/model.ts";
import type { Settings } from "../claude/settings.ts";
import type { LoadedConfig } from "../config/load.ts";
import { CccError, messageOf } from "../errors.ts";
import { withoutUrlSecrets } from "../text/look-alikes.ts";
import { redact } from "../text/redact.ts";
import { maskSecret } from "../text/secret.ts";
import type { Env } from "../world.ts";
import { configuredSettings } from "./configured-settings.ts";
import { type Identity, mergeIdentity, requireCredential } from "./isolate.ts";
import { isReference, referenceOf } from "./references.ts";
import { shownReference } from "./shown-reference.ts";
import { isSecretVariable, KEYS } from "./variables.ts";

/** A provider as a person may see it. What `--json` prints; null is none. */
export interface Summary {
  readonly name: string;
  /** Whether a launch that names none uses it. */
  readonly current: boolean;
  /** Whether it reviews for the others. */
  readonly reviewer: boolean;
  readonly base_url: string | null;
  readonly model: string | null;
  /** The last four characters of the key at the most, or where it is kept. */
  readonly key: string | null;
  /** Its environment, keys masked. */
  readonly env: Readonly<Record<string, string>>;
  /** Why it could not be launched. */
  readonly problem: string | null;
}

export function summarize(loaded: LoadedConfig, name: string, current: string, env: Env): Summary {
  const place = { name, current: name === current, reviewer: loaded.config.supervisor?.provider === name };
  const own = loaded.providers.get(name) ?? {};
  try {
    const { identity } = configuredSettings(loaded.config, name, own, env);
    return { ...place, ...described(identity), problem: problemOf(identity, name) };
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    const asWritten = mergeIdentity(written(loaded.config.settings ?? {}), written(own));
    return { ...place, ...described(asWritten), problem: error.message };
  }
}

/** As it stands in the file, with every ${NAME}. */
function written({ env, apiKeyHelper }: Settings): Identity {
  const values = Object.entries(env ?? {}).map(([name, value]) => [name, String(value ?? "")] as const);
  return { env: Object.fromEntries(values), apiKeyHelper: apiKeyHelper ?? "" };
}

function described({ env, apiKeyHelper }: Identity) {
  const key = KEYS.map((name) => env[name]).find(Boolean) ?? "";
  const shown = Object.entries(env).map(([name, value]) => [name, shownValue(name, value)] as const);
  return {
    base_url: withoutUrlSecrets(env.ANTHROPIC_BASE_URL ?? "") || null,
    model: configuredModel(env) ?? null,
    key: key === "" && apiKeyHelper !== "" ? "from apiKeyHelper" : shownKey(key) || null,
    env: Object.fromEntries(shown),
  };
}

function shownKey(key: string): string {
  if (isReference(key)) return shownReference(key);
  return /^\$\{\w+\}$/.test(key) ? key : maskSecret(key);
}

function shownValue(name: string, value: string): string {
  return isSecretVariable(name, value) ? shownKey(value) : redact(withoutUrlSecrets(value), []);
}

function problemOf(identity: Identity, name: string): string | null {
  try {
    requireCredential(identity, name);
    referenceOf(identity, name);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
