import type { Env } from "../world.ts";

/**
 * The model that Claude Code asks for: the configured one, else that of the opus role, as it does. Where only the sonnet
 * role has one it is the better guess than a name of Anthropic's. An ending [1m] is for Claude Code alone.
 */
export function modelOf(env: Env, fallback: string | undefined): string {
  const configured = env.ANTHROPIC_MODEL || env.ANTHROPIC_DEFAULT_OPUS_MODEL || env.ANTHROPIC_DEFAULT_SONNET_MODEL;
  const name = withoutWindow(configured || fallback || DEFAULTS.opus);
  const role = ROLES[name];
  return role === undefined ? name : withoutWindow(env[role.variable] || role.model);
}

function withoutWindow(model: string): string {
  return model.replace(/\[1m\]$/i, "");
}

/** As of Claude Code 2.1.325. */
const DEFAULTS = { opus: "claude-opus-5-5", sonnet: "claude-sonnet-5-5", haiku: "claude-haiku-5-5" };

const ROLES: Readonly<Record<string, { variable: string; model: string }>> = {
  opus: { variable: "ANTHROPIC_DEFAULT_OPUS_MODEL", model: DEFAULTS.opus },
  sonnet: { variable: "ANTHROPIC_DEFAULT_SONNET_MODEL", model: DEFAULTS.sonnet },
  // Sonnet is what it works with outside of plan mode.
  opusplan: { variable: "ANTHROPIC_DEFAULT_SONNET_MODEL", model: DEFAULTS.sonnet },
  haiku: { variable: "ANTHROPIC_DEFAULT_HAIKU_MODEL", model: DEFAULTS.haiku },
};

/** Tells Claude Code how many tokens a model takes that it does not know. */
export const CONTEXT_WINDOW = "CLAUDE_CODE_MAX_CONTEXT_TOKENS";
