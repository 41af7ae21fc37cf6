import { isClaude, TOOL_SEARCH } from "../claude/foreign-models.ts";
import { COMPACT_WINDOW, CONTEXT_WINDOW, type Models, modelVariables } from "../claude/model.ts";
import type { Preset } from "./presets.ts";

/** A preset's env block, without the key and the variables that the user must fill in. */
export function presetEnv(preset: Preset): Record<string, string> {
  const { baseUrl, models = {} } = preset;
  const env: Record<string, string> = baseUrl === undefined ? {} : { ANTHROPIC_BASE_URL: baseUrl };
  const variables = modelVariables(inAllRoles(models));
  const isForeign = models.opus !== undefined && !isClaude(models.opus);
  return { ...env, ...variables, ...windowEnv(preset), ...(isForeign ? NO_TOOL_SEARCH : {}), ...preset.extraEnv };
}

/** Providers' instructions seldom mention the fable role, and without a model Claude Code requests one of Anthropic's. */
function inAllRoles(models: Models): Models {
  return models.opus === undefined ? models : { ...models, fable: models.fable ?? models.opus };
}

/** Claude Code assumes 1M tokens for an unknown model, and would compact too late. */
function windowEnv({ contextWindow, compactWindow, models = {} }: Preset): Record<string, string> {
  const isInName = Object.values(models).some((model) => model.endsWith("[1m]"));
  return {
    ...(contextWindow === undefined || isInName ? {} : { [CONTEXT_WINDOW]: String(contextWindow) }),
    ...(compactWindow === undefined ? {} : { [COMPACT_WINDOW]: String(compactWindow) }),
  };
}

/** Only Claude is known to understand `tool_reference`: another model would never find the tools behind it. */
export const NO_TOOL_SEARCH: Readonly<Record<string, string>> = { [TOOL_SEARCH]: "false" };
