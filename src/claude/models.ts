/** The models of Claude Code: their roles, the variables that set them, and what it does for models that it does not know. */
import type { Env } from "../world.ts";

/**
 * Variables of Claude Code 2.1.325 that matter for models other than Claude, as measured. Without them it begins every
 * conversation with a line that differs each time, defers tools behind `tool_reference` blocks, and sends a model that it
 * does not know a short system prompt.
 */
export const ATTRIBUTION_HEADER = "CLAUDE_CODE_ATTRIBUTION_HEADER";
export const TOOL_SEARCH = "ENABLE_TOOL_SEARCH";
export const SIMPLE_SYSTEM_PROMPT = "CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT";

/** Whether requests begin with Claude Code's attribution block. It differs between a terminal and `-p`. */
export function hasAttribution(env: Readonly<Record<string, unknown>>): boolean {
  return !/^(0|false|no|off)$/i.test(String(env[ATTRIBUTION_HEADER]));
}

/** Whether a model is Claude by its name, however a cloud or a gateway spells it. */
export function isClaude(model: string): boolean {
  return /claude|^(default|best|opus|opusplan|sonnet|haiku|fable)(\[1m\])?$/i.test(model);
}

/** The roles of models in Claude Code, each with the variable that sets its model. */
const ROLES = {
  main: "ANTHROPIC_MODEL",
  opus: "ANTHROPIC_DEFAULT_OPUS_MODEL",
  sonnet: "ANTHROPIC_DEFAULT_SONNET_MODEL",
  haiku: "ANTHROPIC_DEFAULT_HAIKU_MODEL",
  fable: "ANTHROPIC_DEFAULT_FABLE_MODEL",
  subagent: "CLAUDE_CODE_SUBAGENT_MODEL",
} as const;

/** Models by role. The suffix [1m] tells Claude Code that the context window is 1M tokens. */
export type Models = { readonly [role in keyof typeof ROLES]?: string };

/** The context window of a model that Claude Code does not know. */
export const CONTEXT_WINDOW = "CLAUDE_CODE_MAX_CONTEXT_TOKENS";

/** How many tokens a conversation may have before Claude Code compacts it. */
export const COMPACT_WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";

export function inEveryRole(model: string): Models {
  return { main: model, opus: model, sonnet: model, haiku: model, fable: model, subagent: model };
}

/** The variables that set these models. */
export function modelVariables(models: Models): Record<string, string> {
  const env: Record<string, string> = {};
  for (const role of Object.keys(ROLES) as (keyof Models)[]) {
    const model = models[role];
    if (model !== undefined) env[ROLES[role]] = model;
  }
  return env;
}

/** The models that an environment sets. */
interface ModelsIn {
  /**
   * The main model, else that of the opus role, as in Claude Code. If only the sonnet role has one, it is a better guess
   * than a model of Anthropic's.
   */
  readonly configured: string | undefined;
  /** The model in Claude Code's requests: with aliases such as "opus" resolved, and without [1m]. */
  readonly requested: (fallback?: string) => string;
  /** All models that it names, as Claude Code requests them, each with the variables that name it. */
  readonly variables: () => ReadonlyMap<string, readonly string[]>;
}

export function modelsIn(env: Env): ModelsIn {
  const configured = env[ROLES.main] || env[ROLES.opus] || env[ROLES.sonnet] || undefined;
  return {
    configured,
    requested: (fallback) => requestedModel(configured || fallback || DEFAULTS.opus, env),
    variables: () => {
      const named = new Map<string, string[]>();
      for (const variable of [...Object.values(ROLES), "ANTHROPIC_SMALL_FAST_MODEL"]) {
        const value = env[variable];
        if (!value) continue;
        const model = requestedModel(value, env);
        named.set(model, [...(named.get(model) ?? []), variable]);
      }
      return named;
    },
  };
}

function requestedModel(configured: string, env: Env): string {
  const name = withoutWindow(configured);
  const alias = ALIASES[name];
  return alias === undefined ? name : withoutWindow(env[alias.variable] || alias.model);
}

function withoutWindow(model: string): string {
  return model.replace(/\[1m\]$/i, "");
}

/** As of Claude Code 2.1.325. */
const DEFAULTS = {
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
  fable: "claude-fable-5-2",
};

const ALIASES: Readonly<Record<string, { variable: string; model: string }>> = {
  opus: { variable: ROLES.opus, model: DEFAULTS.opus },
  sonnet: { variable: ROLES.sonnet, model: DEFAULTS.sonnet },
  // Outside of plan mode, opusplan is Sonnet.
  opusplan: { variable: ROLES.sonnet, model: DEFAULTS.sonnet },
  haiku: { variable: ROLES.haiku, model: DEFAULTS.haiku },
  fable: { variable: ROLES.fable, model: DEFAULTS.fable },
};
