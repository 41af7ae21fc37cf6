import type { Settings } from "../claude/settings.ts";
import { CccError } from "../errors.ts";
import { parseJson } from "../text/json.ts";
import type { World } from "../world.ts";
import type { Paths } from "./ccc-paths.ts";
import type { Config } from "./schema.ts";

/** ccc.json, validated, with its providers in the order of the file. */
export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
  /** Their settings. The notes about presets are in `config` only. */
  readonly providers: ReadonlyMap<string, Settings>;
  /** A hash of this text and this version of ccc. A launch stores it, so that the next one can skip validation. */
  readonly stamp: string;
  /** Whether an earlier launch stored it. */
  readonly isStamped: boolean;
}

/** Raise it when validation refuses more than before: stamps of earlier launches no longer count then. */
const RULES = 4;

/** Nothing is configured yet. */
export class NoProviders extends CccError {}

/** Reads ccc.json. `check` is called only if no earlier launch has validated this text. */
export function readConfig(
  { files, version }: Pick<World, "files" | "version">,
  paths: Paths,
  check: (text: string, path: string) => Config,
): LoadedConfig {
  const path = paths.config;
  const text = files.read(path);
  if (text === undefined) throw new NoProviders(`there is no ${path} yet`, { advice: firstConfig(path) });
  const stamp = `${Bun.hash(`${version} ${RULES}\n${text}`).toString(36)}\n`;
  const isStamped = files.read(paths.checked) === stamp;
  // An earlier launch has validated this text.
  const config = isStamped ? (parseJson(text) as Config) : check(text, path);
  const providers = new Map<string, Settings>();
  for (const name in config.providers) {
    // The note about the preset is not a setting.
    const { preset: _, ...settings } = config.providers[name] ?? {};
    providers.set(name, settings);
  }
  if (providers.size === 0) throw new NoProviders(`${path} has no providers`, { advice: firstConfig(path) });
  return { path, config, providers, stamp, isStamped };
}

function firstConfig(path: string): string {
  return `Add a provider:
  ccc provider add                                 in a terminal: asks for everything it needs
  ccc provider add glm --token-stdin < key.txt     asks nothing; for the names: ccc provider presets
or write ${path} by hand: ccc help all shows an example.
To try it without a key: ccc demo`;
}
