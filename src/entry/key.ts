import { version } from "../../package.json" with { type: "json" };
import { managedFolder } from "../claude/layers.ts";
import { TOOL_MARKER } from "../claude/sessions.ts";
import { readStamped } from "../config/load.ts";
import { pathsIn } from "../config/paths.ts";
import { quickModified, quickText } from "../os/fast.ts";

/** Answers `ccc key` in the usual case without loading the command. Returns false if the command has to answer. */
export async function answerKey(host: NodeJS.Process): Promise<boolean> {
  // A tool of another session may be asking.
  const key = host.env[TOOL_MARKER] ? undefined : plainKey(host.argv.slice(2), host.platform);
  if (key === undefined) return false;
  await Bun.write(Bun.stdout, `${key}\n`);
  return true;
}

/**
 * The key for the command that Claude Code runs, if a valid ccc.json has it literally, next to its server. Undefined
 * otherwise. Claude Code waits for this before its first request.
 */
export function plainKey(args: readonly string[], platform: NodeJS.Platform): string | undefined {
  const [command, provider = "", folderFlag, folder = "", serverFlag, server] = args;
  if (args.length !== 6 || command !== "key" || folderFlag !== "--config-dir" || serverFlag !== "--server") return;
  // A policy may forbid the launch. On Windows it need not be in a file.
  if (folder === "" || platform === "win32" || quickModified(managedFolder(platform)) !== undefined) return;
  const stored = readStamped({ files: { read: quickText }, version }, pathsIn(folder))?.validated;
  const providers = stored?.providers ?? {};
  if (!Object.hasOwn(providers, provider)) return;
  const { env, apiKeyHelper } = providers[provider] ?? {};
  // If such a variable is not set, there is no key.
  if (JSON.stringify([stored?.settings?.env, env]).includes("${")) return;
  const url = plainText(env?.ANTHROPIC_BASE_URL);
  const token = plainText(env?.ANTHROPIC_AUTH_TOKEN);
  const key = plainText(env?.ANTHROPIC_API_KEY);
  if (apiKeyHelper || !url || token === undefined || key === undefined) return;
  return Bun.hash(url).toString(36) === server ? token || key || undefined : undefined;
}

/** Undefined for a value that first has to be resolved. */
function plainText(value: unknown = ""): string | undefined {
  if (typeof value !== "string") return undefined;
  return /^(env|file|cmd|keychain):/.test(value.trim()) ? undefined : value.trim();
}
