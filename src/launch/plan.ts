import type { Layer, Layers } from "../claude/layers.ts";
import type { Settings } from "../claude/settings.ts";
import { takesSettings } from "../claude/subcommands.ts";
import { oneLaunchsFileName, type SettingsVariant, settingsFileName } from "../config/files.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { Paths } from "../config/paths.ts";
import { lazy } from "../lazy.ts";
import { join } from "../os/path.ts";
import { configuredSettings, mergeSettings } from "../providers/configured-settings.ts";
import { type Decided, overruled } from "../providers/decided.ts";
import {
  hostEnvironment,
  isolate,
  keepFromTokens,
  refuseManaged,
  requireCredential,
  shadowStoredKey,
  unknownVariables,
} from "../providers/isolate.ts";
import { usersNetwork } from "../providers/network.ts";
import { type Reference, referenceOf, withKeyCommand } from "../providers/references.ts";
import { kindOf, MANAGED_BY_HOST, providerVariables } from "../providers/variables.ts";
import { LAUNCH_MARK, REVIEWER_MARK } from "../supervisor/guard.ts";
import type { Supervision } from "../supervisor/supervised-settings.ts";
import { asObject, type Json } from "../text/json.ts";
import type { Env } from "../world.ts";
import type { Folded } from "./fold.ts";

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
  readonly files: readonly PlannedFile[];
  /** Those of them that are settings, by whose they are. */
  readonly settings: SettingsFiles;
  /** Whether one of them is this launch's alone, so that old ones of that kind are to be cleared away. */
  readonly clearOld: boolean;
  /** Whether current_provider becomes this provider. */
  readonly remember: boolean;
  /** Where keys come from that are in no file: each has to be there before claude starts. */
  readonly references: readonly Reference[];
  readonly notices: readonly string[];
}

interface PlannedFile {
  readonly path: string;
  readonly content: Json | string;
}

export interface SettingsFile extends PlannedFile {
  readonly content: Json;
}

export interface SettingsFiles {
  readonly agent: SettingsFile;
  /** Undefined for a launch without supervisor. */
  readonly reviewer: SettingsFile | undefined;
}

/** All that a plan depends on. */
export interface Situation {
  readonly loaded: LoadedConfig;
  readonly paths: Paths;
  readonly provider: string;
  readonly named: boolean;
  readonly claude: string;
  /** Path of ccc, which Claude Code asks for a key that is in no file. */
  readonly self: string;
  readonly folded: Folded;
  readonly layers: Layers;
  readonly decided: Decided;
  /** What marks the launch for the hook of `ccc use`. */
  readonly word: string;
  readonly hasStoredKey: boolean;
  readonly env: Env;
  /** How stops are reviewed, undefined for a launch without supervisor. */
  readonly supervision: Supervision | undefined;
}

export function planLaunch(situation: Situation): Plan {
  const { loaded, provider, folded, layers, decided, env, supervision } = situation;
  const user = folded.settings === undefined ? NO_USER_SETTINGS : userSettings(folded.settings);
  const unknown = unknownVariables(layers.settings);
  const agent = providerSettings(situation, provider, user, unknown);
  const folders = supervision === undefined ? [] : lazy().addedFolders(folded.args);
  const isProvidersAlone =
    folded.settings === undefined && unknown.length === 0 && decided.isBlank && folders.length === 0;
  const file = (variant: SettingsVariant, content: Json) => ({
    path: join(
      situation.paths.generated,
      isProvidersAlone
        ? settingsFileName(provider, variant)
        : oneLaunchsFileName(provider, variant, JSON.stringify(content)),
    ),
    content,
  });
  const reviewer = supervision?.reviewerProvider ?? provider;
  const review = reviewer === provider ? agent : providerSettings(situation, reviewer, NO_USER_SETTINGS, unknown);
  const settings: SettingsFiles =
    supervision === undefined
      ? { agent: file("plain", agent.content), reviewer: undefined }
      : lazy().supervisedFiles(supervision, file, { agent: agent.content, reviewer: review.content, folders });
  return {
    provider,
    file: situation.claude,
    args: takesSettings(folded.args) ? ["--settings", settings.agent.path, ...folded.args] : folded.args,
    // A mark that says "reviewer" would keep the hook of a session that is none from its work.
    unset: env[REVIEWER_MARK] === undefined ? providerVariables(env) : [...providerVariables(env), REVIEWER_MARK],
    // Without the settings there is nothing to put a key in a placeholder's place.
    set: takesSettings(folded.args) || MANAGED_BY_HOST in agent.host ? agent.host : {},
    files: [
      settings.agent,
      ...(settings.reviewer === undefined ? [] : [settings.reviewer]),
      ...(loaded.isStamped ? [] : [{ path: situation.paths.checked, content: loaded.stamp }]),
    ],
    settings,
    clearOld: !isProvidersAlone,
    remember: situation.named && loaded.config.current_provider !== provider,
    references: review === agent ? agent.references : [...agent.references, ...review.references],
    notices: [...ignoredSettings(user, provider), ...overruled(layers.settings), ...managedModels(layers.managed)],
  };
}

/** The settings of a provider with everybody else's identity blanked, and a user's `--settings` over them. */
function providerSettings(
  situation: Situation,
  provider: string,
  user: UserSettings,
  /** Provider variables of other layers that ccc's table does not have. */
  unknown: readonly string[],
) {
  const { loaded, layers, decided, word, env } = situation;
  const own: Settings = loaded.providers.get(provider) ?? {};
  const configured = configuredSettings(loaded.config, provider, own, env);
  requireCredential(configured.identity, provider);
  refuseManaged(configured.identity, layers.managed, provider);
  const reference = referenceOf(configured.identity, provider);
  const keyed =
    reference === undefined
      ? configured.identity
      : withKeyCommand(configured.identity, lazy().keyCommandLine(situation.self, provider, situation.paths.folder));
  const guarded = situation.hasStoredKey ? shadowStoredKey(keyed) : keyed;
  const identity = { ...guarded, env: { ...guarded.env, ...user.env } };
  const isolated = isolate(identity, unknown);
  const settings = mergeSettings(configured.settings, user.rest);
  const content = { ...settings, ...isolated, env: { ...decided.env, ...isolated.env, [LAUNCH_MARK]: word } };
  const host = keepFromTokens(hostEnvironment(identity), layers.settings);
  return {
    content,
    host: MANAGED_BY_HOST in host ? { ...usersNetwork(layers.settings), ...host } : host,
    references: reference === undefined ? [] : [reference],
  };
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
  for (const [name, value] of Object.entries(asObject(block))) {
    const kind = kindOf(name);
    if (kind === "credential" || kind === "route") ignored.push(name);
    else env[name] = String(value);
  }
  return { rest, env, ignored };
}

function ignoredSettings({ ignored }: UserSettings, provider: string): string[] {
  return ignored.map((name) => `--settings sets ${name}; ignored, because the provider "${provider}" decides that`);
}

function managedModels(managed: readonly Layer[]): string[] {
  return managed.flatMap((layer) =>
    Object.keys(layer.env)
      .filter((name) => layer.env[name] && kindOf(name) === "model")
      .map((name) => `your organization's policy sets ${name} (${layer.path}); it wins over the provider's model`),
  );
}
