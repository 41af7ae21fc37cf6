import { join } from "../os/path.ts";
import type { Env } from "../world.ts";

/** Claude Code's own configuration folder. */
export function claudeFolder(env: Env, platform: NodeJS.Platform): string {
  return env.CLAUDE_CONFIG_DIR || join(homedir(env, platform), ".claude");
}

/** The file in which Claude Code keeps its state: logins, trusted folders. */
export function claudeState(env: Env, platform: NodeJS.Platform): string {
  return join(env.CLAUDE_CONFIG_DIR || homedir(env, platform), ".claude.json");
}

/** Where an organization puts the policy that wins over every other setting. */
export function managedFolder(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  if (platform === "win32") return "C:\\Program Files\\ClaudeCode";
  return "/etc/claude-code";
}

export function homedir(env: Env, platform: NodeJS.Platform): string {
  return (platform === "win32" ? env.USERPROFILE : env.HOME) || "/";
}
