import type { Env } from "../world.ts";

/** A cloud or gateway with its own API, which Claude Code uses if its variable is on. */
export interface Cloud {
  readonly variable: string;
  /** Who runs the servers. */
  readonly host: string;
  /** The full name of the service. */
  readonly service: string;
}

/** In order of precedence. */
export const CLOUDS: readonly Cloud[] = [
  { variable: "CLAUDE_CODE_USE_BEDROCK", host: "AWS", service: "Amazon Bedrock" },
  { variable: "CLAUDE_CODE_USE_VERTEX", host: "Google Cloud", service: "Google Vertex AI" },
  { variable: "CLAUDE_CODE_USE_FOUNDRY", host: "Azure", service: "Azure Foundry" },
  { variable: "CLAUDE_CODE_USE_MANTLE", host: "AWS", service: "Bedrock Mantle" },
  { variable: "CLAUDE_CODE_USE_ANTHROPIC_AWS", host: "AWS", service: "Claude Platform on AWS" },
  {
    variable: "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
    host: "Google Cloud",
    service: "Claude Platform on Google Cloud",
  },
  { variable: "CLAUDE_CODE_USE_GATEWAY", host: "a gateway", service: "a gateway" },
];

/** The cloud that is switched on, if any. */
export function cloudOf(env: Readonly<Record<string, string>>): Cloud | undefined {
  return CLOUDS.find(({ variable }) => isOn(env[variable] ?? ""));
}

/** Who runs the servers that Claude Code uses if no base URL is set. */
export function hostOf(env: Readonly<Record<string, string>>): string {
  return cloudOf(env)?.host ?? "Anthropic";
}

/** Whether Claude Code takes this value of a variable as true. */
export function isOn(value: string): boolean {
  return /^(1|true|yes|on)$/i.test(value);
}

/**
 * Variables of Claude Code 2.1.325 that matter for models other than Claude, as measured. Without them it begins every
 * conversation with a line that differs each time, defers tools behind `tool_reference` blocks, and sends a model that it
 * does not know a short system prompt.
 */
export const ATTRIBUTION_HEADER = "CLAUDE_CODE_ATTRIBUTION_HEADER";
export const TOOL_SEARCH = "ENABLE_TOOL_SEARCH";
export const SIMPLE_SYSTEM_PROMPT = "CLAUDE_CODE_SIMPLE_SYSTEM_PROMPT";

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

/** Within how many tokens Claude Code compacts a conversation. */
export const COMPACT_WINDOW = "CLAUDE_CODE_AUTO_COMPACT_WINDOW";

export function inEveryRole(model: string): Models {
  return { main: model, opus: model, sonnet: model, haiku: model, fable: model, subagent: model };
}

/** The models that an env block names, each with the variables that name it, as Claude Code requests them. */
export function namedModels(env: Env): ReadonlyMap<string, readonly string[]> {
  const named = new Map<string, string[]>();
  for (const variable of [...Object.values(ROLES), "ANTHROPIC_SMALL_FAST_MODEL"]) {
    const value = env[variable];
    if (!value) continue;
    const model = modelOf({ ...env, [ROLES.main]: value }, undefined);
    named.set(model, [...(named.get(model) ?? []), variable]);
  }
  return named;
}

export function modelVariables(models: Models): Record<string, string> {
  const env: Record<string, string> = {};
  for (const role of Object.keys(ROLES) as (keyof Models)[]) {
    const model = models[role];
    if (model !== undefined) env[ROLES[role]] = model;
  }
  return env;
}

/** The model in Claude Code's requests: the configured one, with aliases such as "opus" resolved, and without [1m]. */
export function modelOf(env: Env, fallback: string | undefined): string {
  const name = withoutWindow(configuredModel(env) || fallback || DEFAULTS.opus);
  const alias = ALIASES[name];
  return alias === undefined ? name : withoutWindow(env[alias.variable] || alias.model);
}

/** The model in its requests, as far as the variables set it; undefined if it is left to Claude Code. */
export function requestedModel(env: Env): string | undefined {
  return configuredModel(env) === undefined ? undefined : modelOf(env, undefined);
}

/**
 * The model that the variables set: the main one, else that of the opus role, as in Claude Code. If only the sonnet role
 * has one, that is a better guess than a model of Anthropic's.
 */
export function configuredModel(env: Env): string | undefined {
  return env[ROLES.main] || env[ROLES.opus] || env[ROLES.sonnet] || undefined;
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

/** Whether a text can be a base URL. Passes ${NAME}, which is only known at launch, where the check is repeated. */
export function isUrl(text: string): boolean {
  if (text === "" || text.includes("${")) return true;
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}

/** Whether requests to this base URL leave Anthropic. */
export function leavesAnthropic(baseUrl = ""): boolean {
  const host = URL.parse(baseUrl)?.hostname;
  return host !== undefined && host !== "anthropic.com" && !host.endsWith(".anthropic.com");
}
