import { CONTEXT_WINDOW, modelVariables } from "../claude/model.ts";
import type { Preset } from "./presets.ts";

/** A preset's env block, without the key and the variables that the user must fill in. */
export function presetEnv(preset: Preset): Record<string, string> {
  const env: Record<string, string> = {};
  if (preset.baseUrl !== undefined) env.ANTHROPIC_BASE_URL = preset.baseUrl;
  return { ...env, ...modelVariables(preset.models ?? {}), ...windowEnv(preset), ...preset.extraEnv };
}

/** Claude Code assumes 1M tokens for an unknown model, and would compact too late. */
function windowEnv({ contextWindow, models = {} }: Preset): Record<string, string> {
  const isInName = Object.values(models).some((model) => model.endsWith("[1m]"));
  return contextWindow === undefined || isInName ? {} : { [CONTEXT_WINDOW]: String(contextWindow) };
}
