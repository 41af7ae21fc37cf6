/**
 * Variables that `ccc use` blanks even if nothing sets them yet: a shell, an editor or a wrapper that sets one later would
 * send a key to the wrong server, or request a model that the provider does not have. A launch blanks all provider
 * variables; in the user's own file, the common ones are enough.
 */
export const ALWAYS_BLANK: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: "exported in many shells; would be sent beside the provider's token",
  ANTHROPIC_AUTH_TOKEN: "another provider's token, from a shell profile",
  ANTHROPIC_CUSTOM_HEADERS: "a gateway's key, sent with every request",
  CLAUDE_CODE_OAUTH_TOKEN: "a subscription's token, exported for CI",
  ANTHROPIC_BASE_URL: "would send the provider's key elsewhere",
  CLAUDE_CODE_USE_BEDROCK: "would go to Amazon instead",
  CLAUDE_CODE_USE_VERTEX: "would go to Google instead",
  CLAUDE_CODE_USE_FOUNDRY: "would go to Azure instead",
  ANTHROPIC_MODEL: "a model of another provider's",
  ANTHROPIC_SMALL_FAST_MODEL: "the same, under its old name",
  ANTHROPIC_DEFAULT_OPUS_MODEL: 'a model of another provider\'s, behind "opus"',
  ANTHROPIC_DEFAULT_SONNET_MODEL: 'the same, behind "sonnet"',
  ANTHROPIC_DEFAULT_HAIKU_MODEL: 'the same, behind "haiku"',
  ANTHROPIC_DEFAULT_FABLE_MODEL: 'the same, behind "fable"',
  CLAUDE_CODE_SUBAGENT_MODEL: "the same, for delegated agents",
};
