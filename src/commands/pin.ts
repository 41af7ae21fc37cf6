import { defineCommand } from "citty";
import { docsPage } from "../build-info.ts";
import { changeConfig } from "../config/edit.ts";
import { type ChosenProvider, chooseProvider, type LoadedConfig, loadConfig } from "../config/load.ts";
import { cccPaths, type Paths } from "../config/paths.ts";
import { allPins, folderPin, type Pin } from "../config/pins.ts";
import type { Config } from "../config/schema.ts";
import { CccError, EXIT, usageError } from "../errors.ts";
import { isAbsolute, join } from "../os/path.ts";
import { prettyJson } from "../text/json.ts";
import { columns, outputWidth, wrap } from "../text/table.ts";
import type { World } from "../world.ts";
import { JSON_FLAG, requireProvider } from "./arguments.ts";

const DESCRIPTION = `Choose the provider of this folder and of all folders below it: plain ccc uses it there. Without a
provider, show which one that is. Pins are in your own ccc.json; a repository cannot choose a provider.

Examples
  ccc pin glm             plain ccc uses glm in this folder
  ccc pin glm --only      every other provider is refused here, also as a reviewer
  ccc --anyway kimi       use another one anyway, this once
  ccc pin                 which provider this folder has, and all pins
  ccc pin --remove        remove the pin of this folder

Exit codes
  0    done
  1    the folder has no pin of its own (--remove), or failure
  2    usage error, or unknown provider

JSON
  { folder, pin, pins }, explained in
  ${docsPage("providers.md#pinning-a-folder")}`;

export function pinCommand(world: World) {
  return defineCommand({
    meta: { name: "pin", description: DESCRIPTION },
    args: {
      provider: { type: "positional", required: false, description: "a provider in ccc.json" },
      only: { type: "boolean", default: false, description: "refuse every other provider there" },
      remove: { type: "boolean", default: false, description: "remove the folder's pin" },
      folder: { type: "string", valueHint: "PATH", description: "the folder (default: this one)" },
      json: JSON_FLAG,
    },
    run: ({ args: { provider, only, remove, folder, json } }) => {
      const other = [provider !== undefined && "a provider", only && "--only"].find(Boolean);
      if (remove && other) throw usageError(`--remove cannot be combined with ${other}`);
      if (json && (remove || other)) throw usageError(`--json cannot be combined with ${other || "--remove"}`);
      if (only && provider === undefined) throw usageError("--only needs a provider");
      if (folder?.trim() === "") throw usageError("--folder takes a path");
      const path = absolute(folder, world);
      if (remove) return unpin(path, world);
      if (provider !== undefined) return pin(path, provider, only, world);
      const loaded = loadConfig(world);
      const shown = { folder: path, pin: folderPin(loaded, world, path) ?? null, pins: allPins(loaded.config) };
      world.stdout(json ? prettyJson(shown) : showPins(shown, outputWidth(world)));
      return EXIT.ok;
    },
  });
}

const DEFAULT_DESCRIPTION = `Choose the provider that plain ccc uses from now on, except in folders that are pinned to another.
Without a provider, show which one that is. Without a default, it is the one that you last started a
session with in a terminal, else the first in ccc.json.

Examples
  ccc default glm         plain ccc uses glm, whichever provider is used meanwhile
  ccc default             which provider plain ccc uses, and why
  ccc default --remove    the last one used, again

Exit codes
  0    done
  1    there is no default (--remove), or failure
  2    usage error, or unknown provider

JSON
  { provider, why, default }: why is "pinned", "default", "last used" or "first"`;

export function defaultCommand(world: World) {
  return defineCommand({
    meta: { name: "default", description: DEFAULT_DESCRIPTION },
    args: {
      provider: { type: "positional", required: false, description: "a provider in ccc.json" },
      remove: { type: "boolean", default: false, description: "use the last one used again" },
      json: JSON_FLAG,
    },
    run: ({ args: { provider, remove, json } }) => {
      if (remove && provider !== undefined) throw usageError("--remove cannot be combined with a provider");
      if (json && (remove || provider !== undefined))
        throw usageError(`--json cannot be combined with ${remove ? "--remove" : "a provider"}`);
      const loaded = loadConfig(world);
      if (remove || provider !== undefined) {
        const name = provider === undefined ? undefined : requireProvider(provider, loaded, world);
        return setDefault(name, loaded, world);
      }
      const here = folderPin(loaded, world);
      const chosen = chooseProvider(loaded, here);
      const shown = { ...chosen, default: loaded.config.default_provider || null };
      if (json) world.stdout(prettyJson(shown));
      else say(defaultSentence(chosen, here), world);
      return EXIT.ok;
    },
  });
}

function setDefault(name: string | undefined, { config, providers, path }: LoadedConfig, world: World): number {
  if (name === undefined && !config.default_provider)
    throw new CccError("there is no default", {
      advice: "Plain ccc uses the provider that was used last. See ccc default.",
    });
  world.files.edit(path, (text) => changeConfig(text, path, () => [{ path: ["default_provider"], value: name }]));
  if (name !== undefined) {
    say(`Plain ccc uses ${name} from now on, except in pinned folders. To undo it: ccc default --remove`, world);
    return EXIT.ok;
  }
  const next = config.current_provider && providers.has(config.current_provider) ? `: ${config.current_provider}` : "";
  say(`Plain ccc again uses the provider that was used last${next}.`, world);
  return EXIT.ok;
}

function defaultSentence({ provider, why }: ChosenProvider, here: Pin | undefined): string {
  if (here !== undefined) return pinSentence(here);
  const set = "To set one for good: ccc default NAME";
  switch (why) {
    case "default":
      return `${provider}: the default. To use the last one used instead: ccc default --remove`;
    case "first":
      return `${provider}: the first in ccc.json, because none was used yet. ${set}`;
    default:
      return `${provider}: the one that you used last. ${set}`;
  }
}

function absolute(folder: string | undefined, { cwd }: World): string {
  return folder === undefined ? cwd : isAbsolute(folder) ? folder : join(cwd, folder);
}

function pin(folder: string, named: string, only: boolean, world: World): number {
  const loaded = loadConfig(world);
  const provider = requireProvider(named, loaded, world);
  if (world.files.identify(folder)?.isFolder !== true) throw usageError(`${folder} is not a folder`);
  const path = world.files.realPath(folder);
  const before = folderPin(loaded, world, path);
  setPin({ folder: path, provider, only }, cccPaths(world), world);
  say(pinnedSentence({ folder: path, provider, only }, before), world);
  return EXIT.ok;
}

function unpin(folder: string, world: World): number {
  const removed = removePin(folder, cccPaths(world), world);
  if (removed !== undefined) {
    say(`${removed.folder} is no longer pinned to ${removed.provider}.`, world);
    return EXIT.ok;
  }
  const above = folderPin(loadConfig(world), world, folder);
  if (above === undefined) throw new CccError(`${folder} is not pinned`, { advice: "See all pins: ccc pin" });
  throw new CccError(`${folder} has no pin of its own; it follows that of ${above.folder}: ${above.provider}`, {
    advice: `Remove that one: ccc pin --remove --folder "${above.folder}"`,
  });
}

/** Pins a folder. This replaces its other pins, which may name it by another path. */
function setPin({ folder, provider, only }: Pin, paths: Paths, world: World): void {
  const value = only ? { provider, only } : provider;
  world.files.edit(paths.config, (text) =>
    changeConfig(text, paths.config, (config) => [
      ...ownPins(folder, config, world)
        .filter((pin) => pin.folder !== folder)
        .map(remove),
      { path: ["folders", folder], value },
    ]),
  );
}

/** Removes the folder's own pins, and returns one of them; undefined if there was none. */
function removePin(folder: string, paths: Paths, world: World): Pin | undefined {
  let removed: Pin | undefined;
  world.files.edit(paths.config, (text) => {
    if (text === undefined) return undefined;
    return changeConfig(text, paths.config, (config) => {
      const own = ownPins(folder, config, world);
      [removed] = own;
      const isLast = own.length > 0 && own.length === Object.keys(config.folders ?? {}).length;
      return isLast ? [{ path: ["folders"], value: undefined }] : own.map(remove);
    });
  });
  return removed;
}

/** The pins of exactly this folder: one folder may have several paths. */
function ownPins(folder: string, config: Config, world: World): Pin[] {
  const isSame = (pin: Pin) => {
    const only = (one: string) => ({ config: { folders: { [one]: pin.provider } } });
    return folderPin(only(pin.folder), world, folder) !== undefined && folderPin(only(folder), world, pin.folder);
  };
  return allPins(config).filter(isSame);
}

function remove({ folder }: Pin) {
  return { path: ["folders", folder], value: undefined };
}

interface ShownPins {
  /** The folder that was asked about. */
  readonly folder: string;
  /** Its own pin, or that of a folder above it. */
  readonly pin: Pin | null;
  readonly pins: readonly Pin[];
}

function showPins({ folder, pin, pins }: ShownPins, width: number): string {
  const none = `${folder} is not pinned. To pin it: ccc pin NAME`;
  const first = wrap(pin === null ? none : pinSentence(pin), width);
  if (pins.length === 0) return `${first}\n`;
  const rows = pins.map((each) => [`  ${each.folder}`, `${each.provider}${each.only ? " only" : ""}`]);
  return `${first}\n\nAll pins\n${columns(rows, width)}`;
}

/** What a pin means in its folder. */
export function pinSentence({ folder, provider, only }: Pin): string {
  const effect = only ? " only: other providers are refused here" : ": plain ccc uses it here";
  return `${folder} is pinned to ${provider}${effect}.`;
}

/** What was done, and which pin applied before. */
function pinnedSentence(pin: Pin, before: Pin | undefined): string {
  const effect = pin.only
    ? `Other providers are refused there, also as reviewers; to use one anyway: ccc --anyway NAME`
    : "Plain ccc uses it there and in all folders below.";
  const instead = before === undefined || isSame(before, pin) ? "" : ` Before: ${named(before)}, of ${before.folder}.`;
  return `${pin.folder} is pinned to ${named(pin)}.${instead} ${effect}`;
}

function named({ provider, only }: Pin): string {
  return only ? `${provider} only` : provider;
}

function isSame(one: Pin, other: Pin): boolean {
  return one.folder === other.folder && one.provider === other.provider && one.only === other.only;
}

function say(text: string, world: World): void {
  world.stdout(`${wrap(text, outputWidth(world))}\n`);
}
