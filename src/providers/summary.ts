import { configuredModel } from "../claude/model.ts";
import type { ChosenProvider } from "../config/choose-provider.ts";
import type { LoadedConfig } from "../config/load.ts";
import { withoutUrlSecrets } from "../text/look-alikes.ts";
import { redact } from "../text/redact.ts";
import { maskSecret } from "../text/secret.ts";
import { defaultsForServer, type Elsewhere } from "./defaults-for-server.ts";
import type { Identity } from "./isolate.ts";
import type { ProviderLaunch } from "./provider-launch.ts";
import { isReference } from "./references.ts";
import { shownReference } from "./shown-reference.ts";
import { reasonFor } from "./variable-reasons.ts";
import { isSecretVariable, KEYS } from "./variables.ts";

/** A provider without its secrets, as `--json` prints it. */
export interface Summary {
  readonly name: string;
  /** Whether a launch without a provider name uses it. */
  readonly current: boolean;
  /** Whether the folder is pinned to it. */
  readonly pinned: boolean;
  /** Whether it is the supervisor.provider. */
  readonly reviewer: boolean;
  readonly base_url: string | null;
  readonly model: string | null;
  /** At most the last four characters of the key, or where it is kept. */
  readonly key: string | null;
  /** Its environment, keys masked. */
  readonly env: Readonly<Record<string, string>>;
  /** Why ccc or a preset sets some of these variables, by their names. */
  readonly reasons: Readonly<Record<string, string>>;
  /** What a launch sets beside them, and why. */
  readonly defaults: readonly ShownDefault[];
  /** Why it cannot be launched. */
  readonly problem: string | null;
}

interface ShownDefault {
  readonly name: string;
  readonly value: string;
  readonly reason: string;
  /** The settings file that decides the value, or "shell"; null if ccc does. */
  readonly decided_by: string | null;
}

export function summarize(
  launch: ProviderLaunch,
  loaded: LoadedConfig,
  { provider: current, why }: ChosenProvider,
  elsewhere: Elsewhere,
): Summary {
  const defaults = launch.problem === undefined ? defaultsForServer(launch.configured.env, elsewhere) : [];
  return {
    name: launch.provider,
    current: launch.provider === current,
    pinned: launch.provider === current && why === "pinned",
    reviewer: launch.provider === loaded.config.supervisor?.provider,
    ...described(launch.configured),
    defaults: defaults.map(({ decidedBy, ...each }) => ({ ...each, decided_by: decidedBy ?? null })),
    problem: launch.problem?.message ?? null,
  };
}

/** What is special about it, after its name. */
export function shownMarks({ current, pinned, reviewer }: Summary): string {
  const marks = [pinned ? "pinned here" : current ? "current" : "", reviewer ? "reviewer" : ""].filter(Boolean);
  return marks.length === 0 ? "" : ` (${marks.join(", ")})`;
}

function described({ env, apiKeyHelper }: Identity) {
  const key = KEYS.map((name) => env[name]).find(Boolean) ?? "";
  const shown = Object.entries(env).map(([name, value]) => [name, shownValue(name, value)] as const);
  return {
    base_url: withoutUrlSecrets(env.ANTHROPIC_BASE_URL ?? "") || null,
    model: configuredModel(env) ?? null,
    key: key === "" && apiKeyHelper !== "" ? "from apiKeyHelper" : shownKey(key) || null,
    env: Object.fromEntries(shown),
    reasons: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => {
        const reason = reasonFor(name, value);
        return reason === undefined ? [] : [[name, reason]];
      }),
    ),
  };
}

function shownKey(key: string): string {
  if (isReference(key)) return shownReference(key);
  return /^\$\{\w+\}$/.test(key) ? key : maskSecret(key);
}

/** A variable of a provider for display: secrets masked, references as they are. */
export function shownValue(name: string, value: string): string {
  return isSecretVariable(name, value) ? shownKey(value) : redact(withoutUrlSecrets(value), []);
}
