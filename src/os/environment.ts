import { isAbsolute } from "./path.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** The user's home folder. */
export function homedir(env: Env, platform: NodeJS.Platform): string {
  return (platform === "win32" ? env.USERPROFILE : env.HOME) || "/";
}

/** The absolute folders in PATH. A relative one would let the current folder decide which program runs. */
export function programFolders({ PATH = "" }: Env, platform: NodeJS.Platform): string[] {
  return PATH.split(platform === "win32" ? ";" : ":").filter(isAbsolute);
}

/**
 * The environment with the names that ccc looks for in capitals. To Windows, Path and PATH, or Anthropic_Api_Key and
 * ANTHROPIC_API_KEY, are the same variable.
 */
export function windowsEnvironment(env: Env): Env {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [KNOWN.test(name) ? name.toUpperCase() : name, value]),
  );
}

const KNOWN = /^(PATH|HOME|USERPROFILE|.*_PROXY|_?(ANTHROPIC|AWS|BUN|CCC|CLAUDE|GIT|NODE)_.*)$/i;
