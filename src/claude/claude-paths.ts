import { join } from "../os/path.ts";
import type { Env } from "../world.ts";

/** Claude Code's configuration folder. */
export function claudeFolder(env: Env, platform: NodeJS.Platform): string {
  return env.CLAUDE_CONFIG_DIR || join(homedir(env, platform), ".claude");
}

/** Claude Code's state file: logins, trusted folders. */
export function claudeState(env: Env, platform: NodeJS.Platform): string {
  return join(env.CLAUDE_CONFIG_DIR || homedir(env, platform), ".claude.json");
}

/** The folder of the organization's policy, which overrides all other settings. */
export function managedFolder(platform: NodeJS.Platform): string {
  if (platform === "darwin") return "/Library/Application Support/ClaudeCode";
  if (platform === "win32") return "C:\\Program Files\\ClaudeCode";
  return "/etc/claude-code";
}

export function homedir(env: Env, platform: NodeJS.Platform): string {
  return (platform === "win32" ? env.USERPROFILE : env.HOME) || "/";
}
