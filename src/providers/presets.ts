import { leavesAnthropic } from "../claude/connection.ts";
import {
  COMPACT_WINDOW,
  CONTEXT_WINDOW,
  inEveryRole,
  isClaude,
  modelsIn,
  modelVariables,
  SIMPLE_SYSTEM_PROMPT,
} from "../claude/models.ts";
import { writtenEnv } from "../config/env.ts";
import type { PresetNote, ProviderEntry } from "../config/schema.ts";
import type { Preset } from "./preset-data.ts";
import { NO_TOOL_SEARCH, PRESETS, presetEnv } from "./preset-list.ts";
import { kindOf } from "./variables.ts";

/** Everything needed to add a provider to ccc.json, except its key. */
export interface NewProvider {
  readonly preset: Preset | undefined;
  readonly baseUrl: string | undefined;
  readonly model: string | undefined;
  /** The model's, in tokens. */
  readonly contextWindow: string | undefined;
  /** Whether the key is sent as x-api-key, even if the preset sends it as a bearer token. */
  readonly asApiKey: boolean;
  /** Whether a model that Claude Code does not know gets its full system prompt. */
  readonly fullPrompt: boolean;
  /** Answers to the preset's questions. */
  readonly asked: Readonly<Record<string, string>>;
}

/** The entry in ccc.json, with what it remembers of its preset. `key` is the key or a reference. */
export function newSettings(provider: NewProvider, key: string | undefined): ProviderEntry {
  const { preset, baseUrl, model, contextWindow, fullPrompt, asked } = provider;
  const token = tokenVariable(provider);
  const env: Record<string, string> = {};
  const base = baseUrl ?? preset?.baseUrl;
  if (base !== undefined) env.ANTHROPIC_BASE_URL = base;
  if (token !== undefined && key !== undefined) env[token] = key;
  const known = preset === undefined ? {} : presetEnv({ ...preset, ...(model === undefined ? {} : OTHER_MODEL) });
  Object.assign(env, { ...known, ...(base === undefined ? {} : { ANTHROPIC_BASE_URL: base }) }, asked, modelEnv(model));
  if (isForeign({ baseUrl: base, model })) Object.assign(env, NO_TOOL_SEARCH);
  if (contextWindow !== undefined) env[CONTEXT_WINDOW] = contextWindow;
  if (fullPrompt) env[SIMPLE_SYSTEM_PROMPT] = "0";
  return {
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(preset === undefined ? {} : { preset: presetNote(preset) }),
  };
}

/** The variable for the key; undefined if the provider takes no key. */
function tokenVariable({ preset, asApiKey }: Pick<NewProvider, "preset" | "asApiKey">): string | undefined {
  if (preset !== undefined && preset.token === undefined) return undefined;
  return asApiKey ? "ANTHROPIC_API_KEY" : (preset?.token ?? "ANTHROPIC_AUTH_TOKEN");
}

/** A model chosen by the user serves every role: the provider may have no other. */
function modelEnv(model: string | undefined): Record<string, string> {
  return model === undefined ? {} : modelVariables(inEveryRole(model));
}

interface ServedModel {
  readonly baseUrl?: string | undefined;
  readonly model: string | undefined;
}

/** Whether a model other than Claude is on a server other than Anthropic's. */
export function isForeign({ baseUrl, model }: ServedModel): boolean {
  return leavesAnthropic(baseUrl) && model !== undefined && !isClaude(model);
}

/** Whether Claude Code would assume a window of 1M tokens: it compacts too late then, and long conversations fail. */
export function lacksWindow(served: ServedModel, window: number | string | undefined): boolean {
  return isForeign(served) && window === undefined && !served.model?.endsWith("[1m]");
}

/** A preset's facts about its models do not apply to another model. */
const OTHER_MODEL = { models: {}, contextWindow: undefined, compactWindow: undefined };

function presetNote(preset: Preset): PresetNote {
  return { name: preset.name, as_of: preset.asOf, env: presetEnv(preset) };
}

/** The preset that a provider was made from: noted in ccc.json, or guessed from its server. */
type PresetOrigin =
  | { readonly kind: "noted"; readonly note: PresetNote; readonly preset: Preset | undefined }
  | { readonly kind: "guessed"; readonly preset: Preset }
  | { readonly kind: "none" };

export function presetOrigin(name: string, { preset: note, env }: ProviderEntry): PresetOrigin {
  if (note !== undefined) return { kind: "noted", note, preset: PRESETS.find((each) => each.name === note.name) };
  const guess = guessedPreset(name, env?.ANTHROPIC_BASE_URL);
  return guess === undefined ? { kind: "none" } : { kind: "guessed", preset: guess };
}

/** Several presets may share a server: then only the provider's name tells which one it is. */
function guessedPreset(name: string, baseUrl: string | undefined): Preset | undefined {
  if (baseUrl === undefined) return undefined;
  const found = PRESETS.filter((each) => each.baseUrl !== undefined && sameUrl(each.baseUrl, baseUrl));
  return found.find((each) => each.name === name) ?? (found.length === 1 ? found[0] : undefined);
}

function sameUrl(one: string, other: string): boolean {
  const comparable = (url: string) => url.trim().toLowerCase().replace(/\/+$/, "");
  return comparable(one) === comparable(other);
}

/** What the current preset would change in a provider that was made from an earlier one. */
export interface PresetUpdate {
  readonly preset: Preset;
  /** The day of the preset that the provider has; undefined if that is not known. */
  readonly from: string | undefined;
  /** Whether the preset is a guess from the server: then it is unknown which values are the user's own. */
  readonly isGuess: boolean;
  /** Whether a value changes. */
  readonly isNeeded: boolean;
  /** Whether a model changes. */
  readonly hasOtherModels: boolean;
  readonly after: ProviderEntry;
  /** Changes of the preset that are not applied, because the user has set another value. */
  readonly kept: readonly KeptValue[];
}

interface KeptValue {
  readonly name: string;
  /** Undefined: the user has removed it. */
  readonly own: string | undefined;
  /** Undefined: the preset no longer has it. */
  readonly preset: string | undefined;
}

/** Undefined if the provider was not made from a preset that ccc has. */
export function presetUpdate(name: string, entry: ProviderEntry): PresetUpdate | undefined {
  const origin = presetOrigin(name, entry);
  if (origin.kind === "none" || origin.preset === undefined) return undefined;
  const { preset } = origin;
  const isGuess = origin.kind === "guessed";
  const own = writtenEnv(entry.env);
  const theirs = presetEnv(preset);
  // Without a note it is unknown which values an earlier preset had: any value may come from it.
  const base = isGuess
    ? Object.fromEntries(Object.entries(own).filter(([variable]) => Object.hasOwn(theirs, variable)))
    : origin.note.env;
  const hasOwnModel = modelsIn(own).configured !== modelsIn(base).configured;
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
  const isNeeded = !Bun.deepEquals(env, { ...entry.env }, true);
  const next = writtenEnv(env);
  const hasOtherModels = Object.keys({ ...own, ...next }).some(
    (each) => kindOf(each) === "model" && own[each] !== next[each],
  );
  const from = isGuess ? undefined : origin.note.as_of;
  const after = { ...entry, env, preset: presetNote(preset) };
  return { preset, from, isGuess, isNeeded, hasOtherModels, after, kept };
}

/** A preset's windows apply only to its own model. */
const WINDOWS: readonly string[] = [CONTEXT_WINDOW, COMPACT_WINDOW];
