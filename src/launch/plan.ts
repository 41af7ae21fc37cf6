import { join } from "node:path";
import type { Layer, Layers } from "../claude/layers.ts";
import type { Settings } from "../claude/settings.ts";
import { takesSettings } from "../claude/subcommands.ts";
import { oneLaunchsFileName, type SettingsVariant, settingsFileName } from "../config/files.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Paths } from "../config/paths.ts";
import {
  hostEnvironment,
  type Identity,
  isolate,
  refuseManaged,
  requireCredential,
  shadowStoredKey,
  unknownVariables,
} from "../providers/isolate.ts";
import { kindOf, providerVariables } from "../providers/variables.ts";
import type { Env } from "../world.ts";
import type { Folded } from "./fold.ts";
import { configuredSettings, type Json, mergeSettings } from "./settings.ts";
import { reviewerSettings, type Supervision, supervisedSettings } from "./supervise.ts";

/** A launch as a value: `--dry-run` prints it, tests compare it, execute() does it. */
export interface Plan {
  readonly provider: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Variables that claude does not inherit from the shell. */
  readonly unset: readonly string[];
  /** Variables that it gets beside those of the shell. */
  readonly set: Readonly<Record<string, string>>;
  /** Files that are there with this content before claude starts. */
  readonly files: readonly SettingsFile[];
  /** Whether current_provider becomes this provider. */
  readonly remember: boolean;
  readonly notices: readonly string[];
}

export interface SettingsFile {
  readonly path: string;
  readonly content: Json | string;
}

/** All that a plan depends on. */
export interface Situation {
  readonly loaded: LoadedConfig;
  readonly paths: Paths;
  readonly provider: string;
  readonly named: boolean;
  readonly claude: string;
  readonly folded: Folded;
  readonly layers: Layers;
  readonly hasStoredKey: boolean;
  readonly env: Env;
  /** How stops are reviewed, undefined for a launch without supervisor. */
  readonly supervision: Supervision | undefined;
}

export function planLaunch(situation: Situation): Plan {
  const { loaded, provider, folded, layers, env, supervision } = situation;
  const user = userSettings(folded.settings ?? {});
  const unknown = unknownVariables(layers.settings);
  const agent = providerSettings(situation, provider, user, unknown);
  const isProvidersAlone = folded.settings === undefined && unknown.length === 0;
  const file = (variant: SettingsVariant, content: Json) => ({
    path: join(
      situation.paths.generated,
      isProvidersAlone
        ? settingsFileName(provider, variant)
        : oneLaunchsFileName(provider, variant, JSON.stringify(content)),
    ),
    content,
  });
  const settings: SettingsFile[] = [];
  if (supervision === undefined) settings.push(file("plain", agent));
  else {
    const { reviewerProvider = provider } = supervision;
    const base =
      reviewerProvider === provider ? agent : providerSettings(situation, reviewerProvider, NO_USER_SETTINGS, unknown);
    const reviewer = file("reviewer", reviewerSettings(base, supervision));
    settings.push(file("supervised", supervisedSettings(agent, supervision, reviewer.path)), reviewer);
  }
  return {
    provider,
    file: situation.claude,
    args: takesSettings(folded.args) ? ["--settings", settings[0]?.path ?? "", ...folded.args] : folded.args,
    unset: providerVariables(env),
    set: hostEnvironment(agent),
    files: [...settings, { path: situation.paths.checked, content: loaded.stamp }],
    remember: situation.named && loaded.config.current_provider !== provider,
    notices: [
      ...user.ignored.map(
        (name) => `--settings sets ${name}; ignored, because the provider "${provider}" decides that`,
      ),
      ...managedModels(layers.managed),
    ],
  };
}

/** The settings of a provider with everybody else's identity blanked, and a user's `--settings` over them. */
function providerSettings(
  situation: Situation,
  provider: string,
  user: UserSettings,
  unknown: readonly string[],
): Json & Identity {
  const { loaded, layers, env } = situation;
  const own: Settings = loaded.providers.get(provider) ?? {};
  const configured = configuredSettings(loaded.config, provider, own, env);
  requireCredential(configured.identity, provider);
  refuseManaged(configured.identity, layers.managed, provider);
  const guarded = situation.hasStoredKey ? shadowStoredKey(configured.identity) : configured.identity;
  const identity = isolate({ ...guarded, env: { ...guarded.env, ...user.env } }, unknown);
  return { ...mergeSettings(configured.settings, user.rest), ...identity };
}

interface UserSettings {
  readonly rest: Json;
  readonly env: Readonly<Record<string, string>>;
  readonly ignored: readonly string[];
}

const NO_USER_SETTINGS: UserSettings = { rest: {}, env: {}, ignored: [] };

/** What a user's `--settings` may change: everything but who the user is and where requests go. */
function userSettings(settings: Json): UserSettings {
  const { env: block, apiKeyHelper, ...rest } = settings;
  const env: Record<string, string> = {};
  const ignored: string[] = apiKeyHelper === undefined ? [] : ["apiKeyHelper"];
  for (const [name, value] of Object.entries(typeof block === "object" && block !== null ? block : {})) {
    const kind = kindOf(name);
    if (kind === "credential" || kind === "route") ignored.push(name);
    else env[name] = String(value);
  }
  return { rest, env, ignored };
}

function managedModels(managed: readonly Layer[]): string[] {
  return managed.flatMap((layer) =>
    Object.keys(layer.env)
      .filter((name) => layer.env[name] && kindOf(name) === "model")
      .map((name) => `your organization's policy sets ${name} (${layer.path}); it wins over the provider's model`),
  );
}
