import { configuredModel } from "../claude/model.ts";
import type { LoadedConfig } from "../config/load.ts";
import { withoutUrlSecrets } from "../text/look-alikes.ts";
import { redact } from "../text/redact.ts";
import { maskSecret } from "../text/secret.ts";
import type { Identity } from "./isolate.ts";
import type { ProviderLaunch } from "./provider-launch.ts";
import { isReference } from "./reference-kinds.ts";
import { shownReference } from "./shown-reference.ts";
import { isSecretVariable, KEYS } from "./variables.ts";

/** A provider without its secrets, as `--json` prints it. */
export interface Summary {
  readonly name: string;
  /** Whether a launch without a provider name uses it. */
  readonly current: boolean;
  /** Whether it is the supervisor.provider. */
  readonly reviewer: boolean;
  readonly base_url: string | null;
  readonly model: string | null;
  /** At most the last four characters of the key, or where it is kept. */
  readonly key: string | null;
  /** Its environment, keys masked. */
  readonly env: Readonly<Record<string, string>>;
  /** Why it cannot be launched. */
  readonly problem: string | null;
}

export function summarize(launch: ProviderLaunch, loaded: LoadedConfig, current: string): Summary {
  return {
    name: launch.provider,
    current: launch.provider === current,
    reviewer: launch.provider === loaded.config.supervisor?.provider,
    ...described(launch.configured),
    problem: launch.problem?.message ?? null,
  };
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
