/** Which server Claude Code talks to, and the logins that it has stored. */

import type { Files } from "../os/files.ts";
import { join } from "../os/path.ts";
import { asObject, parseJson, valueAt } from "../text/json.ts";
import { homedir } from "../world.ts";
import { claudeFolder, type Place } from "./layers.ts";

/** Claude Code's default server. */
export const ANTHROPIC = "https://api.anthropic.com";

/** A cloud or gateway with its own API, which Claude Code uses if its variable is on. */
export interface Cloud {
  readonly variable: string;
  /** Who runs the servers. */
  readonly host: string;
  /** The full name of the service. */
  readonly service: string;
}

/** In order of precedence. */
export const CLOUDS: readonly Cloud[] = [
  { variable: "CLAUDE_CODE_USE_BEDROCK", host: "AWS", service: "Amazon Bedrock" },
  { variable: "CLAUDE_CODE_USE_VERTEX", host: "Google Cloud", service: "Google Vertex AI" },
  { variable: "CLAUDE_CODE_USE_FOUNDRY", host: "Azure", service: "Azure Foundry" },
  { variable: "CLAUDE_CODE_USE_MANTLE", host: "AWS", service: "Bedrock Mantle" },
  { variable: "CLAUDE_CODE_USE_ANTHROPIC_AWS", host: "AWS", service: "Claude Platform on AWS" },
  {
    variable: "CLAUDE_CODE_USE_ANTHROPIC_GOOGLE_CLOUD",
    host: "Google Cloud",
    service: "Claude Platform on Google Cloud",
  },
  { variable: "CLAUDE_CODE_USE_GATEWAY", host: "a gateway", service: "a gateway" },
];

/** The cloud that is switched on, if any. */
export function cloudOf(env: Readonly<Record<string, string>>): Cloud | undefined {
  return CLOUDS.find(({ variable }) => isOn(env[variable] ?? ""));
}

/** Whether Claude Code takes this value of a variable as true. */
export function isOn(value: string): boolean {
  return /^(1|true|yes|on)$/i.test(value);
}

/** Whether a text can be a base URL. Passes ${NAME}, which is only known at launch, where the check is repeated. */
export function isUrl(text: string): boolean {
  if (text === "" || text.includes("${")) return true;
  const url = URL.parse(text);
  return url !== null && (url.protocol === "http:" || url.protocol === "https:");
}

/** Whether requests to this base URL leave Anthropic. */
export function leavesAnthropic(baseUrl = ""): boolean {
  const host = URL.parse(baseUrl)?.hostname;
  return host !== undefined && host !== "anthropic.com" && !host.endsWith(".anthropic.com");
}

/** Credentials that earlier logins stored for Claude Code. */
export interface Logins {
  /** The key of a login by API key. */
  readonly key: string | undefined;
  /** Whether there is such a key, which Claude Code sends along with any provider's token. On macOS it is in the keychain. */
  readonly hasKey: boolean;
  /** The token of a subscription. On macOS it is in the keychain: ccc can only tell that there is one. */
  readonly token: string | undefined;
  /** The files that hold them. */
  readonly keyPath: string;
  readonly tokenPath: string;
}

/** What Claude Code keeps about its user. */
interface ClaudeState {
  readonly logins: Logins;
  /** Whether the user has accepted the trust dialog for this folder. */
  readonly trusts: (folder: string) => boolean;
}

export function readClaudeState(files: Files, { env, platform }: Pick<Place, "env" | "platform">): ClaudeState {
  const keyPath = join(env.CLAUDE_CONFIG_DIR || homedir(env, platform), ".claude.json");
  const tokenPath = join(claudeFolder(env, platform), ".credentials.json");
  const state = asObject(parseJson(files.read(keyPath) ?? "{}"));
  const token = asObject(asObject(parseJson(files.read(tokenPath) ?? "{}")).claudeAiOauth).accessToken;
  const isInKeychain = platform === "darwin" && state.oauthAccount !== undefined;
  return {
    logins: {
      key: textOf(state.primaryApiKey),
      hasKey: state.primaryApiKey !== undefined || isInKeychain,
      token: textOf(token) ?? (isInKeychain ? "in the keychain" : undefined),
      keyPath,
      tokenPath,
    },
    trusts: (folder) => {
      const name = platform === "win32" ? folder.replaceAll("\\", "/") : folder;
      return valueAt(state, ["projects", name, "hasTrustDialogAccepted"]) === true;
    },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
