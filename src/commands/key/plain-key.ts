/**
 * The key for the command that Claude Code runs, if it simply stands in ccc.json beside its server. Undefined for everything
 * else, which `ccc key` itself answers. Claude Code waits for this before its first request, so it imports nothing: a module
 * that the launch uses too would become a piece of its own in the program, which costs both of them time.
 */
export function plainKey(args: readonly string[], platform: NodeJS.Platform): string | undefined {
  const [command, provider = "", folderFlag, folder = "", serverFlag, server] = args;
  if (args.length !== 6 || command !== "key" || folderFlag !== "--config-dir" || serverFlag !== "--server") return;
  if (platform === "win32" || POLICIES.some(exists)) return;
  const { providers } = asObject(parsed(`${folder}/ccc.json`));
  const own = asObject(providers);
  const { env, apiKeyHelper } = asObject(Object.hasOwn(own, provider) ? own[provider] : undefined);
  const [url, token, key] = NAMES.map((name) => plainText(asObject(env)[name]));
  if (apiKeyHelper || !url || token === undefined || key === undefined) return;
  return Bun.hash(url).toString(36) === server ? token || key || undefined : undefined;
}

/** The folders of an organization's policy, which may forbid the launch. On Windows it is not only in a file. */
export const POLICIES = ["/etc/claude-code", "/Library/Application Support/ClaudeCode"];

const NAMES = ["ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"];

/** What Bun returns as the time of a file that does not exist. */
const NEVER = 2 ** 52 - 1;

export function exists(path: string): boolean {
  return Bun.file(path).lastModified !== NEVER;
}

function parsed(path: string): unknown {
  try {
    // A pipe has no size, and reading it would block.
    return Bun.file(path).size === Number.POSITIVE_INFINITY
      ? undefined
      : JSON.parse(new TextDecoder().decode(Bun.mmap(path)));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Undefined for a value that first has to be resolved. */
function plainText(value: unknown = ""): string | undefined {
  if (typeof value !== "string" || value.includes("${")) return undefined;
  return /^(env|file|cmd|keychain):/.test(value.trim()) ? undefined : value.trim();
}
