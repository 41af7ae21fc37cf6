import { join } from "node:path";
import type { Layer, Layers } from "../claude/layers.ts";
import type { Settings } from "../claude/settings.ts";
import { settingsFileName } from "../config/files.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Paths } from "../config/paths.ts";
import {
  type Identity,
  isolate,
  refuseManaged,
  requireCredential,
  shadowStoredKey,
  unknownVariables,
} from "../providers/isolate.ts";
import { kindOf } from "../providers/variables.ts";
import type { Env } from "../world.ts";
import type { Folded } from "./fold.ts";
import { configuredSettings, type Json, mergeSettings } from "./settings.ts";

/** A launch as a value: `--dry-run` prints it, tests compare it, execute() does it. */
export interface Plan {
  readonly provider: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Variables that claude does not inherit from the shell. */
  readonly unset: readonly string[];
  /** Files that are there with this content before claude starts. */
  readonly files: readonly { readonly path: string; readonly content: Json | string }[];
  /** Whether current_provider becomes this provider. */
  readonly remember: boolean;
  readonly notices: readonly string[];
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
}

export function planLaunch(situation: Situation): Plan {
  const { loaded, provider, folded, layers, env } = situation;
  const own: Settings = loaded.providers.get(provider) ?? {};
  const configured = configuredSettings(loaded.config, provider, own, env);
  requireCredential(configured.identity, provider);
  refuseManaged(configured.identity, layers.managed, provider);

  const user = userSettings(folded.settings ?? {});
  const guarded = situation.hasStoredKey ? shadowStoredKey(configured.identity) : configured.identity;
  const unknown = unknownVariables(layers.settings);
  const identity = isolate(withUserEnv(guarded, user.env), unknown);
  const content = { ...mergeSettings(configured.settings, user.rest), ...identity };
  const isProvidersAlone = folded.settings === undefined && unknown.length === 0;
  const path = join(situation.paths.generated, isProvidersAlone ? fileName(provider) : ownFileName(provider, content));
  return {
    provider,
    file: situation.claude,
    args: ["--settings", path, ...folded.args],
    unset: Object.keys(env).filter((name) => kindOf(name) !== undefined),
    files: [
      { path, content },
      { path: situation.paths.checked, content: loaded.stamp },
    ],
    remember: situation.named && loaded.config.current_provider !== provider,
    notices: [
      ...user.ignored.map(
        (name) => `--settings sets ${name}; ignored, because the provider "${provider}" decides that`,
      ),
      ...managedModels(layers.managed),
    ],
  };
}

/** Settings that follow from the provider alone: the same file for all its launches, from every folder and shell. */
function fileName(provider: string): string {
  return settingsFileName(provider, "plain");
}

/** Settings with something of one launch in them have a file of their own. "+" is in no provider's name. */
function ownFileName(provider: string, content: Json): string {
  return fileName(provider).replace(/\.json$/, `+${Bun.hash(JSON.stringify(content)).toString(36)}.json`);
}

/** What a user's `--settings` may change: everything but who the user is and where requests go. */
function userSettings(settings: Json) {
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

function withUserEnv(identity: Identity, env: Readonly<Record<string, string>>): Identity {
  return { ...identity, env: { ...identity.env, ...env } };
}

function managedModels(managed: readonly Layer[]): string[] {
  return managed.flatMap((layer) =>
    Object.keys(layer.env)
      .filter((name) => layer.env[name] && kindOf(name) === "model")
      .map((name) => `your organization's policy sets ${name} (${layer.path}); it wins over the provider's model`),
  );
}
