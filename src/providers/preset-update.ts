import { isDeepStrictEqual } from "node:util";
import { COMPACT_WINDOW, CONTEXT_WINDOW, configuredModel } from "../claude/model.ts";
import type { ProviderEntry } from "../config/schema.ts";
import { presetEnv } from "./preset-env.ts";
import { presetNote, presetOrigin } from "./preset-note.ts";
import type { Preset } from "./presets.ts";
import { kindOf } from "./variables.ts";

/** What the current preset would change in a provider that was made from an earlier one. */
export interface PresetUpdate {
  readonly preset: Preset;
  /** The day of the preset that the provider has; undefined if that is not known. */
  readonly from: string | undefined;
  /** Whether only its server says that the provider comes from this preset: then nobody knows which values are the user's. */
  readonly isGuess: boolean;
  /** Whether a value changes. */
  readonly isNeeded: boolean;
  readonly after: ProviderEntry;
  /** Changes of the preset that the provider does not get, because the user has a value of their own. */
  readonly kept: readonly KeptValue[];
}

interface KeptValue {
  readonly name: string;
  /** Undefined: the user has removed it. */
  readonly own: string | undefined;
  /** Undefined: the preset no longer has it. */
  readonly preset: string | undefined;
}

/** Undefined if ccc has no preset that the provider comes from. */
export function presetUpdate(name: string, entry: ProviderEntry): PresetUpdate | undefined {
  const origin = presetOrigin(name, entry);
  if (origin.kind === "none" || origin.preset === undefined) return undefined;
  const { preset } = origin;
  const isGuess = origin.kind === "guessed";
  const own = textsOf(entry.env ?? {});
  const theirs = presetEnv(preset);
  // Without a note it is unknown which values an earlier preset had: any value may come from it.
  const base = isGuess
    ? Object.fromEntries(Object.keys(theirs).flatMap((each) => pair(each, own[each])))
    : origin.note.env;
  const hasOwnModel = configuredModel(own) !== configuredModel(base);
  const env: NonNullable<ProviderEntry["env"]> = { ...entry.env };
  const kept: KeptValue[] = [];
  for (const variable of new Set([...Object.keys(base), ...Object.keys(theirs)])) {
    const [was, is, mine] = [base[variable], theirs[variable], own[variable]];
    if (was === is || mine === is) continue;
    const isOwn = mine !== was || (hasOwnModel && WINDOWS.includes(variable));
    if (isOwn) kept.push({ name: variable, own: mine, preset: is });
    else if (is === undefined) delete env[variable];
    else env[variable] = is;
  }
  const isNeeded = !isDeepStrictEqual(env, { ...entry.env });
  const from = isGuess ? undefined : origin.note.as_of;
  return { preset, from, isGuess, isNeeded, after: { ...entry, env, preset: presetNote(preset) }, kept };
}

/** Whether an update would name other models. */
export function hasNewerModels(name: string, entry: ProviderEntry): boolean {
  const update = presetUpdate(name, entry);
  if (update === undefined) return false;
  const [before, after] = [textsOf(entry.env ?? {}), textsOf(update.after.env ?? {})];
  return Object.keys({ ...before, ...after }).some((each) => kindOf(each) === "model" && before[each] !== after[each]);
}

/** A preset's windows are those of its own model. */
const WINDOWS: readonly string[] = [CONTEXT_WINDOW, COMPACT_WINDOW];

function textsOf(env: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
}

function pair(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, value]];
}
