/** What commands share: the definition of their arguments, common options, and the provider that they name. */
import type { ArgsDef, SubCommandsDef } from "citty";
import { readManaged } from "../claude/layers.ts";
import { chooseProvider, type LoadedConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { folderPin } from "../config/pins.ts";
import { CccError, usageError } from "../errors.ts";
import { keyCommandLine, type ProviderLaunch, providerLaunch } from "../providers/identity.ts";
import { findPreset } from "../providers/preset-list.ts";
import { nearest } from "../text/words.ts";
import type { World } from "../world.ts";

/** A citty command, whatever its arguments are. */
export type AnyCommand = Exclude<Awaited<SubCommandsDef[string]>, () => unknown>;

/** A citty command with its lazy parts resolved. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  /** The first sentence of the description. */
  readonly summary: string;
  readonly args: ArgsDef;
  readonly children: readonly Definition[];
  /** Works, but is not shown: another command does the same. */
  readonly isHidden: boolean;
  readonly command: AnyCommand;
}

export async function define(command: AnyCommand): Promise<Definition> {
  const meta = await settle(command.meta);
  const children = Object.values((await settle(command.subCommands)) ?? {});
  const description = meta?.description ?? "";
  return {
    name: meta?.name ?? "",
    description,
    summary: firstSentence(description),
    args: (await settle(command.args)) ?? {},
    children: await Promise.all(children.map(async (child) => define(await settle(child)))),
    isHidden: meta?.hidden ?? false,
    command,
  };
}

export const JSON_FLAG = { type: "boolean", default: false, description: "print JSON for programs" } as const;

export const PROVIDER_OR_CURRENT = {
  type: "positional",
  required: false,
  description: "a provider in ccc.json (default: the current one)",
} as const;

/** The providers that a command is about: the named one, or all with --all, else the one of this folder. */
export function askedProviders(
  loaded: LoadedConfig,
  named: string | undefined,
  all: boolean,
  world: World,
): readonly string[] {
  if (all && named !== undefined) throw usageError("--all cannot be combined with a provider");
  return all ? [...loaded.providers.keys()] : [requireProvider(named, loaded, world)];
}

/**
 * The named provider, else the one that plain ccc uses in this folder. A name that ccc.json does not have is a usage error
 * that suggests what was meant.
 */
export function requireProvider(
  named: string | undefined,
  loaded: LoadedConfig,
  world: Pick<World, "files" | "platform" | "cwd">,
): string {
  if (named === undefined) return chooseProvider(loaded, folderPin(loaded, world)).provider;
  if (loaded.providers.has(named)) return named;
  const names = [...loaded.providers.keys()];
  const meant = nearest(named, names);
  throw usageError(
    `unknown provider "${named}"${meant === undefined ? "" : `: did you mean "${meant}"?`}`,
    [`Your providers: ${names.join(", ")}`, ...(findPreset(named) ? [`Add it: ccc provider add ${named}`] : [])].join(
      "\n",
    ),
  );
}

/** What launching a provider would do now, for commands that launch nothing. */
export function currentLaunch(world: World, loaded: LoadedConfig, provider: string): ProviderLaunch {
  const { files, platform, env, self } = world;
  const situation = {
    loaded,
    provider,
    env,
    writesKey: false,
    keyCommand: (server: string) => keyCommandLine(self, provider, cccPaths(world).folder, server),
  };
  try {
    return providerLaunch({ ...situation, managed: readManaged(files, platform) });
  } catch (error) {
    // An unreadable policy prevents every launch, whatever else is wrong.
    if (error instanceof CccError) return { ...providerLaunch({ ...situation, managed: [] }), problem: error };
    throw error;
  }
}

/** The value of --timeout, in milliseconds. */
export function timeoutIn(seconds: string | undefined): number | undefined {
  if (seconds === undefined) return undefined;
  const number = Number(seconds);
  if (number > 0 && number <= LONGEST_SECONDS) return number * 1000;
  throw usageError(`--timeout takes seconds, above 0 and up to ${LONGEST_SECONDS}`);
}

const LONGEST_SECONDS = 3600;

function firstSentence(description: string): string {
  const [paragraph = ""] = description.split("\n\n");
  return paragraph.replaceAll("\n", " ").split(/\.(?:\s|$)/)[0] ?? "";
}

async function settle<T>(value: T | Promise<T> | (() => T | Promise<T>)): Promise<T> {
  return typeof value === "function" ? (value as () => T | Promise<T>)() : value;
}
