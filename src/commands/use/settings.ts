import { CccError } from "../../errors.ts";
import { LAUNCH_MARKER } from "../../markers.ts";
import type { HeldFile } from "../../os/files.ts";
import type { Identity } from "../../providers/identity.ts";
import { shadowStoredKey } from "../../providers/isolation.ts";
import { ALWAYS_BLANK, kindOf, PROVIDER_VARIABLES, providerVariables } from "../../providers/variables.ts";
import { asObject, isObject, type Json, valueAt } from "../../text/json.ts";
import { appendIn, type Path, parseText, removeEntry, removeIn, setIn } from "../../text/json-text.ts";
import type { Env } from "../../world.ts";
import type { UseRecord } from "./switch.ts";

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
  const blanks = [...PROVIDER_VARIABLES, ...providerVariables({ ...shell, ...asStrings(usersEnv) })].filter(
    (name) => Object.hasOwn(ALWAYS_BLANK, name) || isSet(name),
  );
  // A variable that disables hooks is overridden in the user's file; in a shell it is a decision about one run.
  const supervising = Object.entries(asStrings(asObject(supervision.env))).filter(
    ([name, value]) => value !== "" || name === LAUNCH_MARKER || Object.hasOwn(usersEnv, name),
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
    values.filter(([name, value]) => (value !== "" || kindOf(name) === undefined) && name !== LAUNCH_MARKER),
  );
}

function asStrings(block: Json): Record<string, string> {
  return Object.fromEntries(Object.entries(block).map(([name, value]) => [name, String(value)]));
}

/** What becomes of settings.json when `ccc use` is undone. */
export interface WithoutUse {
  /** Undefined if the file goes, or is gone. */
  readonly file: HeldFile["found"];
  /** Values that the user changed since, and that stay. */
  readonly kept: readonly Path[];
  readonly outcome: "restored" | "reverted" | "removed" | "gone";
}

/** The file without ccc's changes: the original bytes, or, if it was edited since, only ccc's changes undone. */
export function withoutUse({ found, path }: HeldFile, { original, states }: UseRecord): WithoutUse {
  const before = original === null ? undefined : { text: original.text, mode: original.mode };
  if (found === undefined) return { file: undefined, kept: [], outcome: before === undefined ? "removed" : "gone" };
  const hash = hashOf(found.text);
  if (hash === original?.hash || states.some((state) => state.hash === hash)) {
    return { file: before, kept: [], outcome: before === undefined ? "removed" : "restored" };
  }
  parseSettings(found.text, path);
  const base = parseSettings(before?.text, path);
  const changes = states.flatMap((state) => state.changes);
  const { text, kept } = revertChanges(found.text, changes, base);
  const rest = parseSettings(text, path);
  if (before === undefined && Object.keys(rest).length === 0) return { file: undefined, kept, outcome: "removed" };
  return {
    file: { text, mode: found.mode === PRIVATE ? (before?.mode ?? PRIVATE) : found.mode },
    kept,
    outcome: "reverted",
  };
}

/** The file may hold a key. */
export const PRIVATE = 0o600;

export function parseSettings(text: string | undefined, path: string): Json {
  if (text === undefined || text.trim() === "") return {};
  const value = parseText(text);
  if (isObject(value)) return value;
  throw new CccError(`${path} is not valid JSON`, { advice: "Fix the file first. Nothing was changed." });
}

export function hashOf(text: string): string {
  return new Bun.CryptoHasher("sha256").update(text).digest("hex");
}

/** One change to a settings file: a value is set, or entries are added to a list. */
export type SettingsChange = SetValue | AddEntries;

interface SetValue {
  readonly path: Path;
  /** Absent if there was no value. */
  readonly before?: unknown;
  readonly after: unknown;
}

interface AddEntries {
  readonly path: Path;
  readonly added: readonly unknown[];
}

/**
 * Edits the text of a settings file so that it contains `wanted`, and keeps the rest byte for byte. Undefined if that goes
 * wrong, as in a file with a duplicate key: nothing but the intended value may be written.
 */
export function editSettings(
  text: string,
  base: Json,
  wanted: Json,
): { text: string; changes: SettingsChange[] } | undefined {
  const changes = changesFor(base, wanted);
  const edited = applyChanges(text.trim() === "" ? "{}\n" : text, changes);
  return Bun.deepEquals(parseText(edited), mergeWanted(base, wanted), true) ? { text: edited, changes } : undefined;
}

/**
 * The changes that make `base` contain `wanted`. Objects are merged and lists extended, as Claude Code does with several
 * settings files; everything else is replaced.
 */
function changesFor(base: unknown, wanted: unknown, path: Path = []): SettingsChange[] {
  if (isObject(wanted) && (isObject(base) || base === undefined)) {
    if (base === undefined && Object.keys(wanted).length === 0) return [{ path, after: {} }];
    return Object.entries(wanted).flatMap(([key, value]) => {
      const below = isObject(base) && Object.hasOwn(base, key) ? base[key] : undefined;
      return key === "__proto__" ? [] : changesFor(below, value, [...path, key]);
    });
  }
  if (Array.isArray(wanted) && (Array.isArray(base) || base === undefined)) {
    const added = missingIn(base, wanted);
    return added.length === 0 && base !== undefined ? [] : [{ path, added }];
  }
  if (Bun.deepEquals(base, wanted, true)) return [];
  return [base === undefined ? { path, after: wanted } : { path, before: base, after: wanted }];
}

/** `base` after those changes, as a value. */
function mergeWanted(base: unknown, wanted: unknown): unknown {
  if (isObject(wanted) && (isObject(base) || base === undefined)) {
    const merged: Record<string, unknown> = { ...base };
    for (const [key, value] of Object.entries(wanted)) {
      const below = Object.hasOwn(merged, key) ? merged[key] : undefined;
      if (key !== "__proto__") merged[key] = mergeWanted(below, value);
    }
    return merged;
  }
  if (Array.isArray(wanted) && Array.isArray(base)) return [...base, ...missingIn(base, wanted)];
  return wanted;
}

function missingIn(base: readonly unknown[] | undefined, wanted: readonly unknown[]): unknown[] {
  return wanted.filter((entry) => !base?.some((each) => Bun.deepEquals(each, entry, true)));
}

function applyChanges(text: string, changes: readonly SettingsChange[]): string {
  let edited = text;
  for (const change of changes) {
    if ("after" in change) edited = setIn(edited, change.path, change.after);
    else {
      if (valueAt(parseText(edited), change.path) === undefined) edited = setIn(edited, change.path, []);
      for (const entry of change.added) edited = appendIn(edited, change.path, entry);
    }
  }
  return edited;
}

/**
 * Reverts changes in a text that may have been edited since. A value that is no longer what ccc wrote belongs to the user:
 * it stays and is returned in `kept`. Several changes may concern one path, if it is unknown which was written last.
 */
function revertChanges(
  text: string,
  changes: readonly SettingsChange[],
  base: unknown,
): { text: string; kept: Path[] } {
  let edited = text;
  const kept: Path[] = [];
  for (const path of distinct(changes.map((change) => change.path))) {
    const about = changes.filter((change) => Bun.deepEquals(change.path, path, true));
    for (const change of about) {
      for (const entry of "added" in change ? change.added : []) edited = removeEntry(edited, path, entry);
    }
    const values = about.filter((change): change is SetValue => "after" in change);
    const current = valueAt(parseText(edited), path);
    const match = values.find(({ after }) => Bun.deepEquals(current, after, true));
    if (match !== undefined) {
      edited = "before" in match ? setIn(edited, path, match.before) : removeIn(edited, path);
    } else if (values.length > 0 && !values.some(({ before }) => Bun.deepEquals(current, before, true)))
      kept.push(path);
    edited = withoutEmptied(edited, path, base);
  }
  return { text: edited, kept };
}

/** Removes objects and lists that ccc created and that are empty now. */
function withoutEmptied(text: string, path: Path, base: unknown): string {
  let edited = text;
  for (let length = path.length; length > 0; length--) {
    const outer = path.slice(0, length);
    const value = valueAt(parseText(edited), outer);
    if (value === undefined) continue;
    const isEmpty = typeof value === "object" && value !== null && Object.keys(value).length === 0;
    if (!isEmpty || valueAt(base, outer) !== undefined) break;
    edited = removeIn(edited, outer);
  }
  return edited;
}

function distinct(paths: readonly Path[]): Path[] {
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}
