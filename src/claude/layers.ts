import { CccError } from "../errors.ts";
import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { asObject, parseJson } from "../text/json.ts";
import type { Env } from "../world.ts";
import { mainRepository } from "./git.ts";
import { claudeFolder, homedir, managedFolder } from "./paths.ts";

/** Whose settings a file holds. Those of a project, local ones too, need not be the user's own work. */
export type Scope = "user" | "project" | "local" | "managed";

/** What one of Claude Code's settings files says that bears on providers. */
export interface Layer {
  readonly path: string;
  readonly scope: Scope;
  /** As it stands in the file: strings, numbers and booleans. */
  readonly env: Readonly<Record<string, unknown>>;
  readonly apiKeyHelper: unknown;
  /** Whether no hook of the user's runs under it, where it wins. */
  readonly forbidsHooks: boolean;
}

export interface Layers {
  /** User, project and local settings: what `--settings` says wins over them. */
  readonly settings: readonly Layer[];
  /** Policy of the organization: it wins over everything. */
  readonly managed: readonly Layer[];
  /** The user's own settings as they stand in the file, empty where there are none. */
  readonly usersText: string;
}

export interface Place {
  readonly env: Env;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

export function readLayers(files: Files, place: Place): Layers {
  const { user, project, local } = settingsPaths(place);
  const usersText = files.read(user);
  return {
    usersText: usersText ?? "",
    settings: [
      ...(usersText === undefined ? [] : [asLayer(user, parseJson(usersText), "user")]),
      ...readEach(files, [project], (path, json) => asLayer(path, json, "project")),
      ...readEach(files, [local, ...repositorysLocal(files, place)], (path, json) => asLayer(path, json, "local")),
    ],
    managed: readEach(files, managedFiles(files, place.platform), (path, json) => {
      // A policy that ccc cannot read may say anything, and would win.
      if (json === undefined) throw unreadablePolicy(path);
      return asLayer(path, json, "managed");
    }),
  };
}

/** Newer versions also read the local settings of the repository, from its folders and worktrees, and these win. */
function repositorysLocal(files: Files, { env, cwd, platform }: Place): string[] {
  const root = platform === "win32" ? undefined : mainRepository(files, cwd);
  const isOther = root !== undefined && root !== cwd && root !== homedir(env, platform);
  return isOther ? [join(root, ".claude/settings.local.json")] : [];
}

/** The settings files of the user and of the folder, the weakest first. */
export function settingsPaths({ env, cwd, platform }: Place) {
  const project = join(cwd, ".claude");
  return {
    user: join(claudeFolder(env, platform), "settings.json"),
    project: join(project, "settings.json"),
    local: join(project, "settings.local.json"),
  };
}

/** The files that are there; the JSON of one that is broken is undefined. Claude Code complains about it itself. */
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
    advice: "Ask whoever keeps that policy, or run claude itself.",
  });
}

function asLayer(path: string, json: unknown, scope: Scope): Layer {
  const settings = asObject(json);
  return {
    path,
    scope,
    env: variablesIn(settings.env),
    apiKeyHelper: settings.apiKeyHelper,
    forbidsHooks:
      settings.disableAllHooks === true ||
      settings.allowManagedHooksOnly === true ||
      Boolean(settings.strictPluginOnlyCustomization),
  };
}

/** A list or an object is no variable, and not every object can be made a string. */
function variablesIn(block: unknown): Layer["env"] {
  return Object.fromEntries(Object.entries(asObject(block)).filter(([, value]) => typeof value !== "object"));
}

function managedFiles(files: Files, platform: NodeJS.Platform): string[] {
  const folder = managedFolder(platform);
  const dropIns = join(folder, "managed-settings.d");
  const names = files.list(dropIns).filter((name) => name.endsWith(".json"));
  return [join(folder, "managed-settings.json"), ...names.map((name) => join(dropIns, name))];
}
