/** ccc.json as every launch reads it, without loading the validation. */
import type { Settings } from "../claude/accepted-settings.ts";
import { CccError } from "../errors.ts";
import { parseJson } from "../text/json.ts";
import { optional, type World } from "../world.ts";
import { cccPaths, type Paths } from "./paths.ts";
import type { Pin } from "./pins.ts";
import type { Config } from "./schema.ts";

/** ccc.json, validated, with its providers in the order of the file. */
export interface LoadedConfig {
  readonly path: string;
  readonly config: Config;
  /** Their settings, without the notes about presets, which only `config` has. */
  readonly providers: ReadonlyMap<string, Settings>;
  /** A hash of this text and this version of ccc. A launch stores it, so that the next one can skip validation. */
  readonly stamp: string;
  /** Whether an earlier launch stored it. */
  readonly isStamped: boolean;
}

/** Increase it when validation becomes stricter, so that stamps of earlier launches no longer count. */
const RULES = 5;

export class NoProviders extends CccError {}

/** Reads ccc.json for a command or a hook. */
export function loadConfig(world: Pick<World, "files" | "version" | "env" | "platform">): LoadedConfig {
  return readConfig(world, cccPaths(world), (text, path) => {
    // Loaded only if the text has changed: loading the schemas takes longer than reading ccc.json.
    const { checkConfig }: typeof import("./check.ts") = require("./check.ts");
    return checkConfig(text, path);
  });
}

/** Reads ccc.json. `check` is called only if no earlier launch has validated this text. */
export function readConfig(
  { files, version }: { readonly files: Pick<World["files"], "read">; readonly version: string },
  paths: Pick<Paths, "config" | "checked">,
  check: (text: string, path: string) => Config,
): LoadedConfig {
  const path = paths.config;
  const found = readStamped({ files, version }, paths);
  if (found === undefined) throw new NoProviders(`there is no ${path} yet`, { advice: firstConfig(path) });
  const { text, stamp, validated } = found;
  const config = validated ?? check(text, path);
  const providers = new Map<string, Settings>();
  for (const name in config.providers) {
    const { preset: _, ...settings } = config.providers[name] ?? {};
    providers.set(name, settings);
  }
  if (providers.size === 0) throw new NoProviders(`${path} has no providers`, { advice: firstConfig(path) });
  return { path, config, providers, stamp, isStamped: validated !== undefined };
}

/** The text of ccc.json with its stamp, and its content if an earlier launch has validated this text. */
export function readStamped(
  { files, version }: { readonly files: Pick<World["files"], "read">; readonly version: string },
  paths: Pick<Paths, "config" | "checked">,
): { readonly text: string; readonly stamp: string; readonly validated: Config | undefined } | undefined {
  const text = files.read(paths.config);
  if (text === undefined) return undefined;
  const stamp = stampOf(text, version);
  const isValidated = optional(() => files.read(paths.checked)) === stamp;
  return { text, stamp, validated: isValidated ? (parseJson(text) as Config) : undefined };
}

/** Identifies a valid text of ccc.json. */
export function stampOf(text: string, version: string): string {
  return `${Bun.hash(`${version} ${RULES}\n${text}`).toString(36)}\n`;
}

function firstConfig(path: string): string {
  return `Add a provider:
  ccc provider add                                 in a terminal: asks for everything it needs
  ccc provider add glm --token-stdin < key.txt     asks nothing; for the names: ccc provider presets
or write ${path} by hand: ccc help all shows an example.
To try it without a key: ccc demo`;
}

/** The provider of a launch that names none, and why that one. */
export interface ChosenProvider {
  readonly provider: string;
  readonly why: "pinned" | "default" | "last used" | "first";
}

/** The provider that this folder is pinned to, else the default, else the last one used, else the first in the file. */
export function chooseProvider({ config, providers, path }: LoadedConfig, pin: Pin | undefined): ChosenProvider {
  const names = [...providers.keys()];
  const key = config.default_provider ? "default_provider" : "current_provider";
  const wanted = pin?.provider ?? (config[key] || undefined);
  if (wanted === undefined) return { provider: names[0] ?? "", why: "first" };
  const usual = key === "default_provider" ? "default" : "last used";
  if (providers.has(wanted)) return { provider: wanted, why: pin === undefined ? usual : "pinned" };
  if (pin !== undefined) {
    throw new CccError(`${pin.folder} is pinned to "${wanted}", which is not one of the providers in ${path}`, {
      advice: `Pin it to another, there: ccc pin NAME\nYour providers: ${names.join(", ")}`,
    });
  }
  const choose = key === "default_provider" ? "ccc default" : "ccc";
  throw new CccError(`${key} in ${path} is "${wanted}", which is not one of its providers`, {
    advice: `Choose one: ${names.map((name) => `${choose} ${name}`).join(", ")}`,
  });
}
