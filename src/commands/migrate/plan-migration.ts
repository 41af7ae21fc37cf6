import { isDeepStrictEqual } from "node:util";
import { misspeltVariable } from "../../config/misplaced-keys.ts";
import { requireCredential } from "../../providers/isolate.ts";
import { kindOf } from "../../providers/variables.ts";
import { asObject } from "../../text/json.ts";
import type { Path } from "../../text/json-text.ts";
import { type FormerHook, formerHooks } from "./former-hooks.ts";
import { freeName, guessName } from "./provider-names.ts";

/** What an earlier ccc left on this machine, or the user configured by hand. */
export interface Leftovers {
  /** Claude Code's settings.json, parsed. */
  readonly settings: unknown;
  /** Whether `ccc use` wrote the provider in it. */
  readonly isInUse: boolean;
  /** The providers in ccc.json. */
  readonly providers: Readonly<Record<string, unknown>>;
  /** Paths of slash commands that call a command that ccc no longer has. */
  readonly commands: readonly string[];
  readonly patch: Patch | undefined;
}

/** A claude that was replaced by a script that runs ccc. */
export interface Patch {
  readonly claude: string;
  readonly real: string;
  /** Why ccc cannot undo it; undefined if it can. */
  readonly obstacle: string | undefined;
}

export interface Migration {
  readonly provider: NewEntry | undefined;
  /** A server in settings.json without a key, which ccc cannot use as a provider. */
  readonly keyless: string | undefined;
  /** What to remove from settings.json. */
  readonly remove: readonly Path[];
  readonly hooks: readonly FormerHook[];
  readonly commands: readonly string[];
  readonly patch: Patch | undefined;
}

export interface NewEntry {
  readonly name: string;
  readonly settings: { readonly env: Readonly<Record<string, string>>; readonly apiKeyHelper?: string };
  /** Whether ccc.json has it already. */
  readonly isThere: boolean;
}

export function planMigration(found: Leftovers, name?: string): Migration {
  const settings = asObject(found.settings);
  const entry = found.isInUse ? undefined : providerIn(settings, found.providers, name);
  const isKeyless = entry !== undefined && lacksKey(entry.settings);
  const provider = isKeyless ? undefined : entry;
  const names = Object.keys(provider?.settings.env ?? {});
  return {
    provider,
    keyless: isKeyless ? entry.settings.env.ANTHROPIC_BASE_URL : undefined,
    remove: [
      ...names.map((each) => ["env", each]),
      ...(provider?.settings.apiKeyHelper === undefined ? [] : [["apiKeyHelper"]]),
    ],
    hooks: formerHooks(settings),
    commands: found.commands,
    patch: found.patch,
  };
}

export function isNothing({ provider, hooks, commands, patch }: Migration): boolean {
  return provider === undefined && hooks.length === 0 && commands.length === 0 && patch === undefined;
}

/** A launch would refuse such a provider: Claude Code would send the user's login to that server. */
function lacksKey({ env, apiKeyHelper = "" }: NewEntry["settings"]): boolean {
  try {
    requireCredential({ env, apiKeyHelper }, "");
    return false;
  } catch {
    return true;
  }
}

/** A model alone is not a provider: there must be a key or a server. */
function providerIn(
  settings: Readonly<Record<string, unknown>>,
  providers: Leftovers["providers"],
  wanted: string | undefined,
): NewEntry | undefined {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(asObject(settings.env))) {
    const isProviders = kindOf(name) !== undefined && misspeltVariable(name) === undefined;
    if (isProviders && value !== "" && isPlain(value)) env[name] = String(value);
  }
  if (!Object.keys(env).some((name) => kindOf(name) !== "model")) return undefined;
  const helper = settings.apiKeyHelper;
  const entry = { env, ...(typeof helper === "string" && helper !== "" ? { apiKeyHelper: helper } : {}) };
  const same = Object.keys(providers).find((name) => isDeepStrictEqual(providers[name], entry));
  if (same !== undefined) return { name: same, settings: entry, isThere: true };
  return { name: wanted ?? freeName(guessName(env), Object.keys(providers)), settings: entry, isThere: false };
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
