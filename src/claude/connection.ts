/** Which server Claude Code talks to, and with which credentials. */
import type { Files } from "../os/files.ts";
import { homedir, join } from "../os/path.ts";
import { asObject, parseJson, valueAt } from "../text/json.ts";
import type { Env } from "../world.ts";
import { claudeFolder, type Place } from "./layers.ts";

/** Where requests go and which credentials they carry, each with the setting that determines it. */
export interface Sent<T> {
  /** A base URL, or the name of a cloud service. */
  readonly to: string;
  readonly toFrom: T | undefined;
  readonly authorization: Credential<T> | undefined;
  readonly apiKey: Credential<T> | undefined;
}

export interface Credential<T> {
  readonly value: string;
  readonly from: T;
}

/** The settings in force: each value with where it comes from. */
export interface InForce<T> {
  readonly variable: (name: string) => Credential<T> | undefined;
  readonly helper: T | undefined;
  readonly storedKey: Credential<T> | undefined;
  readonly storedToken: Credential<T> | undefined;
}

/**
 * What Claude Code 2.1.325 sends, as measured. The bearer token is ANTHROPIC_AUTH_TOKEN, else the helper's key. x-api-key is
 * ANTHROPIC_API_KEY, else the helper's key, else a stored key, whatever the bearer token is. A subscription is used only
 * without ANTHROPIC_AUTH_TOKEN, ANTHROPIC_API_KEY and helper, and then instead of a stored key. Custom headers override both.
 */
export function whatIsSent<T>({ variable, helper, storedKey, storedToken }: InForce<T>): Sent<T> {
  for (const cloud of CLOUDS) {
    const found = variable(cloud.variable);
    if (found !== undefined && isOn(found.value)) {
      return { to: cloud.service, toFrom: found.from, authorization: undefined, apiKey: undefined };
    }
  }
  const base = variable("ANTHROPIC_BASE_URL");
  const token = variable("ANTHROPIC_AUTH_TOKEN");
  const key = variable("ANTHROPIC_API_KEY");
  const helped = helper === undefined ? undefined : { value: "", from: helper };
  const isLogin = token === undefined && key === undefined && helped === undefined;
  const subscription = isLogin ? (variable("CLAUDE_CODE_OAUTH_TOKEN") ?? storedToken) : undefined;
  const custom = variable("ANTHROPIC_CUSTOM_HEADERS");
  return {
    to: base?.value ?? ANTHROPIC,
    toFrom: base?.from,
    authorization: header("authorization", custom) ?? token ?? helped ?? subscription,
    apiKey: header("x-api-key", custom) ?? key ?? helped ?? (subscription === undefined ? storedKey : undefined),
  };
}

function header<T>(name: string, custom: Credential<T> | undefined): Credential<T> | undefined {
  const value = customHeaders(custom?.value ?? "")[name];
  return custom === undefined || value === undefined ? undefined : { value, from: custom.from };
}

/** The headers in ANTHROPIC_CUSTOM_HEADERS, with names in lower case. */
export function customHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const line of text.split("\n")) {
    const at = line.indexOf(":");
    const name = at === -1 ? "" : line.slice(0, at).trim().toLowerCase();
    if (name !== "") headers[name] = line.slice(at + 1).trim();
  }
  return headers;
}

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

/** Who runs the servers that Claude Code uses if no base URL is set. */
export function hostOf(env: Readonly<Record<string, string>>): string {
  return cloudOf(env)?.host ?? "Anthropic";
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

export function readLogins(files: Files, { env, platform }: Pick<Place, "env" | "platform">): Logins {
  const keyPath = claudeState(env, platform);
  const tokenPath = join(claudeFolder(env, platform), ".credentials.json");
  const state = asObject(parseJson(files.read(keyPath) ?? "{}"));
  const token = asObject(asObject(parseJson(files.read(tokenPath) ?? "{}")).claudeAiOauth).accessToken;
  const isInKeychain = platform === "darwin" && state.oauthAccount !== undefined;
  return {
    key: textOf(state.primaryApiKey),
    hasKey: state.primaryApiKey !== undefined || isInKeychain,
    token: textOf(token) ?? (isInKeychain ? "in the keychain" : undefined),
    keyPath,
    tokenPath,
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Whether the user has accepted Claude Code's trust dialog for this folder. */
export function isTrusted(files: Files, { env, platform, cwd }: Place): boolean {
  const state = parseJson(files.read(claudeState(env, platform)) ?? "{}");
  const folder = platform === "win32" ? cwd.replaceAll("\\", "/") : cwd;
  return valueAt(state, ["projects", folder, "hasTrustDialogAccepted"]) === true;
}

/** Claude Code's state file: logins, trusted folders. */
function claudeState(env: Env, platform: NodeJS.Platform): string {
  return join(env.CLAUDE_CONFIG_DIR || homedir(env, platform), ".claude.json");
}
