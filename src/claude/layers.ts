/** The settings files that Claude Code reads, and their precedence. */
import { CccError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { isWindowsPath, join } from "../os/path.ts";
import { asObject, parseJson } from "../text/json.ts";
import { type Env, homedir } from "../world.ts";

/** Where settings come from. Somebody else may have written a project's, including the local ones. */
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

/** Throws if the policy cannot be read. Callers that do not need it pass an empty one. */
export function readLayers(files: Files, place: Place, managed = readManaged(files, place.platform)): Layers {
  const { user } = settingsPaths(place);
  const usersText = files.read(user);
  return {
    usersText: usersText ?? "",
    settings: [
      ...(usersText === undefined ? [] : [asLayer(user, parseJson(usersText), "user")]),
      ...readFolders(files, place),
    ],
    managed,
  };
}

function readFolders(files: Files, place: Place): Layer[] {
  const { project, local } = settingsPaths(place);
  return [
    ...readEach(files, [project], (path, json) => asLayer(path, json, "project")),
    ...readEach(files, [local, ...repositoryLocal(files, place)], (path, json) => asLayer(path, json, "local")),
  ];
}

/** The policy of the organization, which may forbid a launch by itself. */
export function readManaged(files: Files, platform: NodeJS.Platform): Layer[] {
  return readEach(files, managedFiles(files, platform), (path, json) => {
    // A policy that ccc cannot read may say anything, and would override the rest.
    if (json === undefined) throw unreadablePolicy(path);
    return asLayer(path, json, "managed");
  });
}

/** In subfolders and worktrees, newer versions also read the repository's local settings, which then take precedence. */
function repositoryLocal(files: Files, { env, cwd, platform }: Place): string[] {
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
    advice: "Ask the administrator who maintains that policy, or run claude itself.",
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

/** Claude Code's configuration folder. */
export function claudeFolder(env: Env, platform: NodeJS.Platform): string {
  return env.CLAUDE_CONFIG_DIR || join(requireHome(env, platform), ".claude");
}

/** The folder of the organization's policy, which overrides all other settings. */
export function managedFolder(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  if (platform === "win32") return "C:\\Program Files\\ClaudeCode";
  return "/etc/claude-code";
}

/** Without this check, ccc would take the root folder for the user's home. */
function requireHome(env: Env, platform: NodeJS.Platform): string {
  const name = platform === "win32" ? "USERPROFILE" : "HOME";
  if (env[name]) return env[name];
  throw new CccError(`${name} is not set, so ccc cannot find your ccc.json and Claude Code's settings`, {
    advice: `Set ${name} to your home folder, or CLAUDE_CONFIG_DIR to Claude Code's folder.`,
  });
}

/** The root of the git repository that contains a folder; for a worktree, the root of its main repository. */
function mainRepository(files: Files, folder: string): string | undefined {
  for (let root = folder; ; root = above(root)) {
    const git = join(root, ".git");
    if (files.exists(git)) return isFolder(files, git) ? root : (owner(files, git) ?? root);
    if (root === above(root)) return undefined;
  }
}

/** In a worktree, .git is a file that names the main repository. */
function owner(files: Files, git: string): string | undefined {
  return /^gitdir: ((?:[A-Za-z]:)?\/.*)\/\.git\/worktrees\/[^/]+\s*$/.exec(files.read(git) ?? "")?.[1];
}

function isFolder(files: Files, path: string): boolean {
  return files.exists(join(path, "."));
}

function above(folder: string): string {
  const isWindows = isWindowsPath(folder);
  const end = Math.max(folder.lastIndexOf("/"), isWindows ? folder.lastIndexOf("\\") : -1);
  const isDrive = isWindows && end === 2;
  return folder.slice(0, isDrive ? 3 : end) || "/";
}
