import { CccError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { asObject, parseJson, valueAt } from "../text/json.ts";
import type { Env } from "../world.ts";
import { claudeFolder, claudeState, homedir, mainRepository, managedFolder } from "./places.ts";

/** Where settings come from. Project settings, including local ones, may have been written by somebody else. */
export type Scope = "user" | "project" | "local" | "managed";

/** The part of a settings file that matters for providers. */
export interface Layer {
  readonly path: string;
  readonly scope: Scope;
  /** As in the file: strings, numbers and booleans. */
  readonly env: Readonly<Record<string, unknown>>;
  readonly apiKeyHelper: unknown;
  readonly statusLine?: unknown;
  /** Whether it keeps the user's hooks from running, unless overridden. */
  readonly forbidsHooks: boolean;
}

export interface Layers {
  /** User, project and local settings: `--settings` overrides them. */
  readonly settings: readonly Layer[];
  /** The organization's policy: it overrides everything. */
  readonly managed: readonly Layer[];
  /** The text of the user's own settings, empty if there are none. */
  readonly usersText: string;
}

export interface Place {
  readonly env: Env;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

export function readLayers(files: Files, place: Place): Layers {
  const { user } = settingsPaths(place);
  const usersText = files.read(user);
  return {
    usersText: usersText ?? "",
    settings: [
      ...(usersText === undefined ? [] : [asLayer(user, parseJson(usersText), "user")]),
      ...readFolders(files, place),
    ],
    managed: readManaged(files, place.platform),
  };
}

/** The settings of the user and of the folder, in ascending precedence, for commands that need no policy. */
export function readUsersSettings(files: Files, place: Place): Layer[] {
  const { user } = settingsPaths(place);
  return [...readEach(files, [user], (path, json) => asLayer(path, json, "user")), ...readFolders(files, place)];
}

function readFolders(files: Files, place: Place): Layer[] {
  const { project, local } = settingsPaths(place);
  return [
    ...readEach(files, [project], (path, json) => asLayer(path, json, "project")),
    ...readEach(files, [local, ...repositorysLocal(files, place)], (path, json) => asLayer(path, json, "local")),
  ];
}

/** The policy of the organization. */
export function readManaged(files: Files, platform: NodeJS.Platform): Layer[] {
  return readEach(files, managedFiles(files, platform), (path, json) => {
    // A policy that ccc cannot read may say anything, and would override the rest.
    if (json === undefined) throw unreadablePolicy(path);
    return asLayer(path, json, "managed");
  });
}

/** In subfolders and worktrees, newer versions also read the repository's local settings, which then take precedence. */
function repositorysLocal(files: Files, { env, cwd, platform }: Place): string[] {
  const root = mainRepository(files, cwd);
  const isOther = root !== undefined && root !== cwd && root !== homedir(env, platform);
  return isOther ? [join(root, ".claude/settings.local.json")] : [];
}

/** The settings files of the user and of the folder, in ascending precedence. */
export function settingsPaths({ env, cwd, platform }: Place) {
  const project = join(cwd, ".claude");
  return {
    user: join(claudeFolder(env, platform), "settings.json"),
    project: join(project, "settings.json"),
    local: join(project, "settings.local.json"),
  };
}

/** The files that exist. A broken one is read as undefined: Claude Code reports it itself. */
function readEach(files: Files, paths: readonly string[], asLayer: (path: string, json: unknown) => Layer): Layer[] {
  const layers: Layer[] = [];
  for (const path of paths) {
    const text = files.read(path);
    if (text !== undefined) layers.push(asLayer(path, parseJson(text)));
  }
  return layers;
}

function unreadablePolicy(path: string): CccError {
  return new CccError(`your organization's policy ${path} is not valid JSON, so ccc cannot tell where keys would go`, {
    advice: "Ask whoever maintains that policy, or run claude itself.",
  });
}

function asLayer(path: string, json: unknown, scope: Scope): Layer {
  const settings = asObject(json);
  return {
    path,
    scope,
    env: variablesIn(settings.env),
    apiKeyHelper: settings.apiKeyHelper,
    statusLine: settings.statusLine,
    forbidsHooks:
      settings.disableAllHooks === true ||
      settings.allowManagedHooksOnly === true ||
      Boolean(settings.strictPluginOnlyCustomization),
  };
}

/** Lists and objects are not variables, and not every object can be converted to a string. */
function variablesIn(block: unknown): Layer["env"] {
  return Object.fromEntries(Object.entries(asObject(block)).filter(([, value]) => typeof value !== "object"));
}

function managedFiles(files: Files, platform: NodeJS.Platform): string[] {
  const folder = managedFolder(platform);
  const dropIns = join(folder, "managed-settings.d");
  const names = files.list(dropIns).filter((name) => name.endsWith(".json"));
  return [join(folder, "managed-settings.json"), ...names.map((name) => join(dropIns, name))];
}

/** Credentials that earlier logins stored for Claude Code. */
export interface Logins {
  /** The key of a login by API key. */
  readonly key: string | undefined;
  /** The token of a subscription. On macOS it is in the keychain: ccc can only tell that there is one. */
  readonly token: string | undefined;
  /** The files that hold them. */
  readonly keyPath: string;
  readonly tokenPath: string;
}

export function readLogins(files: Files, { env, platform }: Pick<Place, "env" | "platform">): Logins {
  const keyPath = claudeState(env, platform);
  const tokenPath = join(claudeFolder(env, platform), ".credentials.json");
  const state = asObject(parseJson(files.read(keyPath) ?? "{}"));
  const token = asObject(asObject(parseJson(files.read(tokenPath) ?? "{}")).claudeAiOauth).accessToken;
  const isInKeychain = platform === "darwin" && state.oauthAccount !== undefined;
  return {
    key: textOf(state.primaryApiKey),
    token: textOf(token) ?? (isInKeychain ? "in the keychain" : undefined),
    keyPath,
    tokenPath,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Whether a login stored an API key. Claude Code sends such a key along with any provider's token. */
export function hasStoredKey(files: Files, { env, platform }: Place): boolean {
  const state = files.read(claudeState(env, platform)) ?? "";
  // On macOS the key itself is in the keychain; the file only shows the account.
  return state.includes('"primaryApiKey"') || (platform === "darwin" && state.includes('"oauthAccount"'));
}

/** Whether the user has accepted Claude Code's trust dialog for this folder. */
export function isTrusted(files: Files, { env, platform, cwd }: Place): boolean {
  const state = parseJson(files.read(claudeState(env, platform)) ?? "{}");
  const folder = platform === "win32" ? cwd.replaceAll("\\", "/") : cwd;
  return valueAt(state, ["projects", folder, "hasTrustDialogAccepted"]) === true;
}
