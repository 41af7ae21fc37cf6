import type { Env } from "../world.ts";

/** The roles that models have in Claude Code, each with the variable that names its model. */
const ROLES = {
  main: "ANTHROPIC_MODEL",
  opus: "ANTHROPIC_DEFAULT_OPUS_MODEL",
  sonnet: "ANTHROPIC_DEFAULT_SONNET_MODEL",
  haiku: "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  subagent: "CLAUDE_CODE_SUBAGENT_MODEL",
} as const;

/** A model for each role, or for some. One that ends in [1m] tells Claude Code of a window of 1M tokens. */
export type Models = { readonly [role in keyof typeof ROLES]?: string };

/** Tells Claude Code how many tokens a model takes that it does not know. */
export const CONTEXT_WINDOW = "CLAUDE_CODE_MAX_CONTEXT_TOKENS";

/** One model for everything. */
export function inEveryRole(model: string): Models {
  return { main: model, opus: model, sonnet: model, haiku: model, subagent: model };
}

/** The variables that give these roles their models. */
export function modelVariables(models: Models): Record<string, string> {
  const env: Record<string, string> = {};
  for (const role of Object.keys(ROLES) as (keyof Models)[]) {
    const model = models[role];
    if (model !== undefined) env[ROLES[role]] = model;
  }
  return env;
}

/**
 * The model that Claude Code asks for: the configured one, by its role where it names one. An ending [1m] is for Claude
 * Code alone.
 */
export function modelOf(env: Env, fallback: string | undefined): string {
  const name = withoutWindow(configuredModel(env) || fallback || DEFAULTS.opus);
  const alias = ALIASES[name];
  return alias === undefined ? name : withoutWindow(env[alias.variable] || alias.model);
}

/**
 * The model that the variables name: the main one, else that of the opus role, as Claude Code does. Where only the
 * sonnet role has one it is the better guess than a name of Anthropic's.
 */
export function configuredModel(env: Env): string | undefined {
  return env[ROLES.main] || env[ROLES.opus] || env[ROLES.sonnet] || undefined;
}

function withoutWindow(model: string): string {
  return model.replace(/\[1m\]$/i, "");
}

/** As of Claude Code 2.1.325. */
const DEFAULTS = { opus: "claude-opus-5-5", sonnet: "claude-sonnet-5-5", haiku: "claude-haiku-5-5" };

const ALIASES: Readonly<Record<string, { variable: string; model: string }>> = {
  opus: { variable: ROLES.opus, model: DEFAULTS.opus },
  sonnet: { variable: ROLES.sonnet, model: DEFAULTS.sonnet },
  // Sonnet is what it works with outside of plan mode.
  opusplan: { variable: ROLES.sonnet, model: DEFAULTS.sonnet },
  haiku: { variable: ROLES.haiku, model: DEFAULTS.haiku },
};
