import type { PresetNote, ProviderEntry } from "../config/schema.ts";
import { presetEnv } from "./preset-env.ts";
import { PRESETS, type Preset } from "./presets.ts";

/** The settings of a new provider, with what it remembers of its preset. */
export function withPresetNote(settings: ProviderEntry, preset: Preset | undefined): ProviderEntry {
  return preset === undefined ? settings : { ...settings, preset: presetNote(preset) };
}

export function presetNote(preset: Preset): PresetNote {
  return { name: preset.name, as_of: preset.asOf, env: presetEnv(preset) };
}

/** Where a provider comes from: as it remembers it, or as its server suggests. */
export type PresetOrigin =
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
