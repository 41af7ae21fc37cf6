import type { Settings } from "../claude/settings.ts";
import { CccError } from "../errors.ts";
import { lazy } from "../lazy.ts";
import type { Files } from "../os/files.ts";
import { parseJson } from "../text/json.ts";
import type { Paths } from "./paths.ts";
import type { Config } from "./schema.ts";

/** ccc.json, checked, with its providers in the order of the file. */
export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
  readonly providers: ReadonlyMap<string, Settings>;
  /** Stands for this text and this version of ccc. A launch leaves it behind, so that the next need not check again. */
  readonly stamp: string;
  /** Whether an earlier launch did. */
  readonly isStamped: boolean;
}

/** There is nothing yet to launch. */
export class NoProviders extends CccError {}

export function loadConfig(files: Files, paths: Paths, version: string): LoadedConfig {
  const path = paths.config;
  const text = files.read(path);
  if (text === undefined) throw new NoProviders(`there is no ${path} yet`, { advice: firstConfig(path) });
  const stamp = `${Bun.hash(`${version}\n${text}`).toString(36)}\n`;
  const isStamped = files.read(paths.checked) === stamp;
  // A text with that stamp passed every check at an earlier launch.
  const config = isStamped ? (parseJson(text) as Config) : lazy().checkConfig(text, path);
  const providers = new Map<string, Settings>();
  for (const name in config.providers) providers.set(name, config.providers[name] ?? {});
  if (providers.size === 0) throw new NoProviders(`${path} has no providers`, { advice: firstConfig(path) });
  return { path, config, providers, stamp, isStamped };
}

function firstConfig(path: string): string {
  return `Add one:
  ccc provider add                                 on a terminal, asks for all it needs
  ccc provider add glm --token-stdin < key.txt     asks nothing; the names: ccc provider presets
or write ${path} by hand: ccc --help shows an example.
To see it at work without a key first: ccc demo`;
}
