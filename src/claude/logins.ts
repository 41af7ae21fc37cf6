import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { asObject, parseJson } from "../text/json.ts";
import type { Place } from "./layers.ts";
import { claudeFolder, claudeState } from "./paths.ts";

/** What earlier logins left behind for Claude Code to use. */
export interface Logins {
  /** The key of a login by API key. */
  readonly key: string | undefined;
  /** The token of a subscription. On macOS it is in the keychain, and only that there is one can be told. */
  readonly token: string | undefined;
  /** The file that says so. */
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
