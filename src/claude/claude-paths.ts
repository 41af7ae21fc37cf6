import { CccError } from "../errors.ts";
import { join } from "../os/path.ts";
import type { Env } from "../world.ts";

/** Claude Code's configuration folder. */
export function claudeFolder(env: Env, platform: NodeJS.Platform): string {
  return env.CLAUDE_CONFIG_DIR || join(requireHome(env, platform), ".claude");
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

/** Without it, the root folder would be taken for the user's. */
function requireHome(env: Env, platform: NodeJS.Platform): string {
  const name = platform === "win32" ? "USERPROFILE" : "HOME";
  if (env[name]) return env[name];
  throw new CccError(`${name} is not set, so ccc cannot find your ccc.json and Claude Code's settings`, {
    advice: `Set ${name} to your home folder, or CLAUDE_CONFIG_DIR to Claude Code's folder.`,
  });
}

export function homedir(env: Env, platform: NodeJS.Platform): string {
  return (platform === "win32" ? env.USERPROFILE : env.HOME) || "/";
}
