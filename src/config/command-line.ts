/** The words of a command line that belong to ccc. */
import { ENGINES } from "./defaults.ts";

/** ccc's own commands. Providers cannot have these names. */
export const COMMAND_NAMES = [
  "calibrate",
  "completions",
  "default",
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
  "supervisor-watch",
  "upgrade",
  "usage",
  "use",
  "validate",
  "why",
] as const;

export type CommandName = (typeof COMMAND_NAMES)[number];

/** Those that Claude Code or ccc itself calls. They are commands even if the file of ccc is named after a provider. */
const CALLED_BY_CLAUDE_CODE: readonly string[] = [
  "key",
  "statusline",
  "supervisor-failure",
  "supervisor-guard",
  "supervisor-hook",
  "supervisor-prompt",
  "supervisor-watch",
] satisfies CommandName[];

export function isCalledByClaudeCode(word: string): word is CommandName {
  return CALLED_BY_CLAUDE_CODE.includes(word);
}

export function isCommandName(word: string): word is CommandName {
  return (COMMAND_NAMES as readonly string[]).includes(word);
}

/** ccc's own options of a launch. They come before the provider. */
export const LAUNCH_OPTIONS = [
  { name: "--supervisor", description: "review every stop", values: undefined },
  { name: "--no-supervisor", description: "review nothing in this launch", values: undefined },
  { name: "--engine", description: "how stops are reviewed", values: ENGINES },
  { name: "--check", description: "a command that must pass before a review", values: [] },
  { name: "--fallback", description: "loop engine: a provider to continue on", values: [] },
  { name: "--no-handover", description: "loop engine: end with an exit code", values: undefined },
  { name: "--anyway", description: "use a provider that the folder's pin refuses", values: undefined },
  { name: "--dry-run", description: "print what would be run", values: undefined },
  { name: "--json", description: "with --dry-run: all of it, as JSON", values: undefined },
] as const;
