import { CONTEXT_WINDOW, modelVariables } from "../claude/model.ts";
import type { Preset } from "./presets.ts";

/** The env block that a preset stands for. The key and what the preset asks for are the user's to add. */
export function presetEnv(preset: Preset): Record<string, string> {
  const env: Record<string, string> = {};
  if (preset.baseUrl !== undefined) env.ANTHROPIC_BASE_URL = preset.baseUrl;
  return { ...env, ...modelVariables(preset.models ?? {}), ...windowEnv(preset), ...preset.extraEnv };
}

/** Claude Code takes a model that it does not know for one with 1M tokens, and would compact too late. */
function windowEnv({ contextWindow, models = {} }: Preset): Record<string, string> {
  const isTold = Object.values(models).some((model) => model.endsWith("[1m]"));
  return contextWindow === undefined || isTold ? {} : { [CONTEXT_WINDOW]: String(contextWindow) };
}
