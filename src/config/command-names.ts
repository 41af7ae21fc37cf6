/** ccc's own commands. Providers cannot have these names. */
export const COMMAND_NAMES = [
  "calibrate",
  "completions",
  "demo",
  "doctor",
  "key",
  "migrate",
  "pin",
  "provider",
  "report",
  "review",
  "statusline",
  "supervisor-failure",
  "supervisor-guard",
  "supervisor-hook",
  "supervisor-prompt",
  "upgrade",
  "usage",
  "use",
  "validate",
  "version",
  "why",
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];

/** Those that Claude Code calls. They mean ccc's own also where ccc's file is named after a provider. */
const CALLED_BY_CLAUDE_CODE: readonly string[] = [
  "key",
  "statusline",
  "supervisor-failure",
  "supervisor-guard",
  "supervisor-hook",
  "supervisor-prompt",
] satisfies CommandName[];

export function isCalledByClaudeCode(word: string): word is CommandName {
  return CALLED_BY_CLAUDE_CODE.includes(word);
}

export function isCommandName(word: string): word is CommandName {
  return (COMMAND_NAMES as readonly string[]).includes(word);
}
