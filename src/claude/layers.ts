import { join } from "node:path";
import type { Files } from "../io/files.ts";
import type { Env } from "../world.ts";
import { claudeFolder, claudeState, managedFolder } from "./paths.ts";

/** What one of Claude Code's settings files says that bears on providers. */
export interface Layer {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  readonly apiKeyHelper: string;
}

export interface Layers {
  /** User, project and local settings: what `--settings` says wins over them. */
  readonly settings: readonly Layer[];
  /** Policy of the organization: it wins over everything. */
  readonly managed: readonly Layer[];
}

interface Place {
  readonly env: Env;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
}

export function readLayers(files: Files, place: Place): Layers {
  const project = join(place.cwd, ".claude");
  const settings = [
    join(claudeFolder(place.env, place.platform), "settings.json"),
    join(project, "settings.json"),
    join(project, "settings.local.json"),
  ];
  return {
    settings: settings.map((path) => readLayer(files, path)),
    managed: managedFiles(files, place.platform).map((path) => readLayer(files, path)),
  };
}

/** A file that is missing or broken says nothing here; Claude Code complains about it itself. */
export function readLayer(files: Files, path: string): Layer {
  const settings = parseRecord(files.read(path) ?? "{}");
  const env = Object.entries(asRecord(settings.env)).filter((entry): entry is [string, string] => isText(entry[1]));
  return {
    path,
    env: Object.fromEntries(env),
    apiKeyHelper: isText(settings.apiKeyHelper) ? settings.apiKeyHelper : "",
  };
}

/** Whether a login by API key is stored: Claude Code sends that key beside the token of any provider. */
export function hasStoredKey(files: Files, { env, platform }: Place): boolean {
  const state = files.read(claudeState(env, platform)) ?? "";
  // On macOS the key itself is in the keychain, and only the account shows in the file.
  return state.includes('"primaryApiKey"') || (platform === "darwin" && state.includes('"oauthAccount"'));
}

function managedFiles(files: Files, platform: NodeJS.Platform): string[] {
  const folder = managedFolder(platform);
  const dropIns = join(folder, "managed-settings.d");
  return [join(folder, "managed-settings.json"), ...files.list(dropIns).map((name) => join(dropIns, name))];
}

function parseRecord(text: string): Record<string, unknown> {
  try {
    return asRecord(JSON.parse(text));
  } catch {
    return {};
  }
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
