import { LAUNCH_MARK } from "../../marks.ts";
import { ALWAYS_BLANK } from "../../providers/always-blank.ts";
import { type Identity, shadowStoredKey } from "../../providers/isolate.ts";
import { BLANKS, kindOf, providerVariables } from "../../providers/variables.ts";
import type { Json } from "../../text/json.ts";
import { asObject } from "../../text/json.ts";
import type { Env } from "../../world.ts";

export interface UseSources {
  /** The settings of an unsupervised launch on this provider, including blanks. */
  readonly launch: Json;
  /** The variables in it that ccc set by itself. */
  readonly defaults: readonly string[];
  /** What supervision adds, if requested. */
  readonly supervision: Json | undefined;
  /** The user's settings.json without ccc's changes. */
  readonly base: Json;
  readonly shell: Env;
}

/**
 * The settings that make plain claude behave like a launch on the provider: the provider's settings, and blanks for
 * variables that would override them, now or in common cases.
 */
export function wantedSettings({ launch, defaults, supervision = {}, base, shell }: UseSources): Json {
  const { env: block, apiKeyHelper, ...rest } = launch;
  const usersEnv = asObject(base.env);
  const isDecided = (name: string) => defaults.includes(name) && Object.hasOwn(usersEnv, name);
  const isSet = (name: string) => Boolean(shell[name]) || Object.hasOwn(usersEnv, name);
  const identity = shadowStoredKey({ env: nonBlank(block, isDecided), apiKeyHelper: String(apiKeyHelper ?? "") });
  const blanks = [...Object.keys(BLANKS), ...providerVariables({ ...shell, ...asStrings(usersEnv) })].filter(
    (name) => Object.hasOwn(ALWAYS_BLANK, name) || isSet(name),
  );
  // A variable that disables hooks is overridden in the user's file; in a shell it is a decision about one run.
  const supervising = Object.entries(asStrings(asObject(supervision.env))).filter(
    ([name, value]) => value !== "" || name === LAUNCH_MARK || Object.hasOwn(usersEnv, name),
  );
  const env = {
    ...Object.fromEntries(blanks.map((name) => [name, ""])),
    ...identity.env,
    ...Object.fromEntries(supervising),
  };
  return withHooksOn({ ...rest, env, ...helper(identity, base) }, supervision, base);
}

/** An empty apiKeyHelper cancels the user's own; without one, nothing is written. */
function helper({ apiKeyHelper }: Identity, base: Json): Json {
  return apiKeyHelper !== "" || base.apiKeyHelper ? { apiKeyHelper } : {};
}

/** Adds the hook, and turns off the switches in the file that would disable it. */
function withHooksOn(settings: Json, { hooks }: Json, base: Json): Json {
  if (hooks === undefined) return settings;
  const switches = ["disableAllHooks", "allowManagedHooksOnly"].filter((name) => base[name] ?? settings[name]);
  return {
    ...settings,
    ...Object.fromEntries(switches.map((name) => [name, false])),
    hooks: merged(asObject(settings.hooks), asObject(hooks)),
  };
}

function merged(hooks: Json, more: Json): Json {
  const events = [...new Set([...Object.keys(hooks), ...Object.keys(more)])];
  return Object.fromEntries(events.map((event) => [event, [...listOf(hooks[event]), ...listOf(more[event])]]));
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Without the launch mark: sessions of plain claude are not launches. */
function nonBlank(block: unknown, isDecided: (name: string) => boolean): Record<string, string> {
  const values = Object.entries(asStrings(asObject(block))).filter(([name]) => !isDecided(name));
  return Object.fromEntries(
    values.filter(([name, value]) => (value !== "" || kindOf(name) === undefined) && name !== LAUNCH_MARK),
  );
}

function asStrings(block: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(block).map(([name, value]) => [name, String(value)]));
}
