/** Subcommands of Claude Code 2.1.325: never taken for a mistyped provider. */
export const CLAUDE_SUBCOMMANDS: ReadonlySet<string> = new Set([
  "agents",
  "attach",
  "auth",
  "auto-mode",
  "doctor",
  "gateway",
  "import",
  "install",
  "kill",
  "logs",
  "mcp",
  "plugin",
  "plugins",
  "purge",
  "respawn",
  "rm",
  "setup-token",
  "stop",
  "ultrareview",
  "update",
  "upgrade",
]);

/** Subcommands for background sessions. They are recognized only as the first argument, and take no settings. */
const FIRST_ONLY: ReadonlySet<string> = new Set(["attach", "daemon", "kill", "logs", "respawn", "rm", "stop"]);

/** Whether claude runs no session that could be supervised. `claude agents` starts some. */
export function isSubcommand([first = ""]: readonly string[]): boolean {
  return first !== "agents" && (CLAUDE_SUBCOMMANDS.has(first) || FIRST_ONLY.has(first));
}

/** Whether `--settings` may come before these arguments. */
export function takesSettings([first = ""]: readonly string[]): boolean {
  return !FIRST_ONLY.has(first);
}
