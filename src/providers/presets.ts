import { ANTHROPIC_PRESETS, CLAUDE_CLOUD_PRESETS } from "./preset-data/anthropic-presets.ts";
import { CLOUD_PRESETS } from "./preset-data/cloud-presets.ts";
import { GATEWAY_PRESETS, LOCAL_PRESETS } from "./preset-data/gateway-presets.ts";
import { LAB_PRESETS } from "./preset-data/lab-presets.ts";
import type { Preset } from "./preset-data/preset.ts";

export type { Preset } from "./preset-data/preset.ts";

export const PRESETS: readonly Preset[] = [
  ...ANTHROPIC_PRESETS,
  ...LAB_PRESETS,
  ...CLOUD_PRESETS,
  ...GATEWAY_PRESETS,
  ...CLAUDE_CLOUD_PRESETS,
  ...LOCAL_PRESETS,
];

/** The presets that a search finds, by name, label, address or alias. */
export function searchPresets(search: string): Preset[] {
  return PRESETS.filter((preset) => searchText(preset).includes(search.trim().toLowerCase()));
}

export function searchText({ name, label, aliases = [], baseUrl, baseUrlForm = "" }: Preset): string {
  return [name, label, ...aliases, baseUrl ?? baseUrlForm].join(" ").toLowerCase();
}

export const PRESET_NAMES: readonly string[] = PRESETS.map(({ name }) => name);

/** Words such as "ollama" that are not secret and may occur anywhere. */
export const PLACEHOLDER_KEYS: ReadonlySet<string> = new Set(PRESETS.flatMap(({ tokenDefault = [] }) => tokenDefault));
