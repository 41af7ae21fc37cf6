/** ccc's own commands. Providers cannot have these names. */
export const COMMAND_NAMES = [
  "completions",
  "demo",
  "doctor",
  "key",
  "migrate",
  "provider",
  "supervisor-guard",
  "supervisor-hook",
  "supervisor-prompt",
  "upgrade",
  "use",
  "validate",
  "version",
  "why",
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];

export function isCommandName(word: string): word is CommandName {
  return (COMMAND_NAMES as readonly string[]).includes(word);
}
