import type { Env } from "../world.ts";

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
