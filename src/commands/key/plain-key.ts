import { managedFolder } from "../../claude/paths.ts";
import { isServer } from "../../launch/key-command.ts";
import { join } from "../../os/path.ts";
import { peekText } from "../../os/quick.ts";
import { isReference } from "../../providers/reference-kinds.ts";
import { asObject, type Json, parseJson } from "../../text/json.ts";

/**
 * The key for the command that Claude Code runs, if it simply stands in ccc.json beside its server. Undefined for everything
 * else, which `ccc key` itself answers: Claude Code waits for this before its first request, so it loads little.
 */
export function plainKey(args: readonly string[], platform: NodeJS.Platform): string | undefined {
  const [command, provider = "", folderFlag, folder = "", serverFlag, server = ""] = args;
  if (args.length !== 6 || command !== "key" || folderFlag !== "--config-dir" || serverFlag !== "--server") return;
  if (POLICY.some((name) => peekText(join(managedFolder(platform), name)) !== undefined)) return;
  const { providers } = asObject(parseJson(peekText(join(folder, "ccc.json")) ?? ""));
  const { env, apiKeyHelper } = ownValue(providers, provider);
  const [url, token, key] = NAMES.map((name) => plainText(asObject(env)[name]));
  if (apiKeyHelper || !url || token === undefined || key === undefined || !isServer(url, server)) return;
  return token || key || undefined;
}

/** A policy may forbid the launch. */
const POLICY = ["managed-settings.json", "managed-settings.d"];

const NAMES = ["ANTHROPIC_BASE_URL", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"];

function ownValue(object: unknown, name: string): Json {
  return Object.hasOwn(asObject(object), name) ? asObject(asObject(object)[name]) : {};
}

/** Undefined for a value that first has to be resolved. */
function plainText(value: unknown = ""): string | undefined {
  return typeof value !== "string" || value.includes("${") || isReference(value.trim()) ? undefined : value.trim();
}
