import { ALWAYS_BLANK } from "../../providers/always-blank.ts";
import { type Identity, shadowStoredKey } from "../../providers/isolate.ts";
import { BLANKS, kindOf, providerVariables } from "../../providers/variables.ts";
import { LAUNCH_MARK } from "../../supervisor/guard.ts";
import type { Json } from "../../text/json.ts";
import { asObject } from "../../text/json.ts";
import type { Env } from "../../world.ts";

export interface Sources {
  /** The settings of a launch without supervisor on this provider, with all their blanks. */
  readonly launch: Json;
  /** What supervision adds, if it is wanted. */
  readonly supervision: Json | undefined;
  /** The user's settings.json without anything of ccc's. */
  readonly base: Json;
  readonly shell: Env;
}

/**
 * What settings.json has to say so that plain claude does what a launch on the provider would do: its settings, and
 * blanks for whatever else would decide about the provider, now or in the usual cases.
 */
export function wantedSettings({ launch, supervision = {}, base, shell }: Sources): Json {
  const { env: block, apiKeyHelper, ...rest } = launch;
  const usersEnv = asObject(base.env);
  const isSet = (name: string) => Boolean(shell[name]) || Object.hasOwn(usersEnv, name);
  const identity = shadowStoredKey({ env: nonBlank(block), apiKeyHelper: String(apiKeyHelper ?? "") });
  const blanks = [...Object.keys(BLANKS), ...providerVariables({ ...shell, ...asStrings(usersEnv) })].filter(
    (name) => Object.hasOwn(ALWAYS_BLANK, name) || isSet(name),
  );
  // A variable that switches hooks off is taken back in the user's file; in a shell it is a decision about one run.
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

/** A command of the user's that prints a key is cancelled by an empty one; where there is none, nothing is written. */
function helper({ apiKeyHelper }: Identity, base: Json): Json {
  return apiKeyHelper !== "" || base.apiKeyHelper ? { apiKeyHelper } : {};
}

/** The hook, and no switch that would keep it from running. A switch that is not there is left alone. */
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

/** Without the mark of a launch: what plain claude starts is none. */
function nonBlank(block: unknown): Record<string, string> {
  const values = Object.entries(asStrings(asObject(block)));
  return Object.fromEntries(
    values.filter(([name, value]) => (value !== "" || kindOf(name) === undefined) && name !== LAUNCH_MARK),
  );
}

function asStrings(block: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(block).map(([name, value]) => [name, String(value)]));
}

/** The provider variables that another settings file sets: a project's wins over the user's own. */
export function winningVariables(env: Json): string[] {
  return Object.keys(env).filter((name) => kindOf(name) !== undefined);
}
