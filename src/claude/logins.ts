import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { asObject, parseJson, valueAt } from "../text/json.ts";
import { claudeFolder, claudeState } from "./claude-paths.ts";
import type { Place } from "./layers.ts";

/** Credentials that earlier logins stored for Claude Code. */
export interface Logins {
  /** The key of a login by API key. */
  readonly key: string | undefined;
  /** The token of a subscription. On macOS it is in the keychain: ccc can only tell that there is one. */
  readonly token: string | undefined;
  /** The files that hold them. */
  readonly keyPath: string;
  readonly tokenPath: string;
}

export function readLogins(files: Files, { env, platform }: Pick<Place, "env" | "platform">): Logins {
  const keyPath = claudeState(env, platform);
  const tokenPath = join(claudeFolder(env, platform), ".credentials.json");
  const state = asObject(parseJson(files.read(keyPath) ?? "{}"));
  const token = asObject(asObject(parseJson(files.read(tokenPath) ?? "{}")).claudeAiOauth).accessToken;
  const isInKeychain = platform === "darwin" && state.oauthAccount !== undefined;
  return {
    key: textOf(state.primaryApiKey),
    token: textOf(token) ?? (isInKeychain ? "in the keychain" : undefined),
    keyPath,
    tokenPath,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Whether a login stored an API key. Claude Code sends such a key along with any provider's token. */
export function hasStoredKey(files: Files, { env, platform }: Place): boolean {
  const state = files.read(claudeState(env, platform)) ?? "";
  // On macOS the key itself is in the keychain; the file only shows the account.
  return state.includes('"primaryApiKey"') || (platform === "darwin" && state.includes('"oauthAccount"'));
}

/** Whether the user has accepted Claude Code's trust dialog for this folder. */
export function isTrusted(files: Files, { env, platform, cwd }: Place): boolean {
  const state = parseJson(files.read(claudeState(env, platform)) ?? "{}");
  const folder = platform === "win32" ? cwd.replaceAll("\\", "/") : cwd;
  return valueAt(state, ["projects", folder, "hasTrustDialogAccepted"]) === true;
}
