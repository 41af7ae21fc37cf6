import { cloudOf, leavesAnthropic } from "../claude/connection.ts";
import type { Layer } from "../claude/layers.ts";
import { ATTRIBUTION_HEADER } from "../claude/models.ts";
import { REVIEWER_MARKER } from "../markers.ts";
import type { Env } from "../world.ts";
import { hasCredential, type Identity } from "./identity.ts";
import { kindOf, PROVIDER_VARIABLES } from "./variables.ts";

/** Values outside of ccc.json: the settings files in ascending precedence, and the shell. */
export interface Elsewhere {
  readonly settings: readonly Layer[];
  readonly env: Env;
}

/**
 * An identity that nothing else can change: every provider variable that it does not set is blank, which cancels the value
 * of any settings file. Unless `mayUseLogin`, sessions cannot use the user's login. The identity may override `others`.
 */
export function isolate(
  identity: Identity,
  settings: readonly Layer[],
  mayUseLogin: boolean,
  others: Readonly<Record<string, string>> = {},
): Identity {
  const guarded = mayUseLogin ? identity : withoutLogin(identity);
  const env: Record<string, string> = { ...others };
  for (const name of PROVIDER_VARIABLES) env[name] = "";
  for (const name of unknownVariables(settings)) env[name] = "";
  return { ...guarded, env: Object.assign(env, guarded.env) };
}

/** Provider variables in settings files that are missing from ccc's own table. */
function unknownVariables(settings: readonly Layer[]): string[] {
  const names: string[] = [];
  for (const { env } of settings) {
    for (const name in env) if (!PROVIDER_VARIABLES.includes(name) && kindOf(name) !== undefined) names.push(name);
  }
  return names.sort();
}

/**
 * Keeps the user's login from a claude that the session runs, in a hook or by the agent. It inherits the session's variables,
 * so it knows the provider's server but no key helper, and would send the login there. These variables name an identity
 * that does not exist: Claude Code prefers it to a login, and a key helper to both.
 */
function withoutLogin(identity: Identity): Identity {
  const isNeeded = identity.apiKeyHelper !== "" && leavesAnthropic(identity.env.ANTHROPIC_BASE_URL);
  return isNeeded ? { ...identity, env: { ...NO_LOGIN, ...identity.env } } : identity;
}

const NO_LOGIN = { ANTHROPIC_FEDERATION_RULE_ID: "ccc-no-login", ANTHROPIC_ORGANIZATION_ID: "ccc-no-login" };

/**
 * The environment of a claude that must not run without its settings: if Claude Code drops the file for a mistake in it,
 * requests go nowhere, and no login is used. The settings override each of these variables. Not for a claude that may start
 * the service for background sessions, which passes its environment on to all of them.
 */
export function guardEnvironment(identity: Identity): Record<string, string> {
  return hasCredential(identity) ? GUARD : {};
}

const NOT_LOADED = "ccc-settings-not-loaded";

export const GUARD = {
  ANTHROPIC_BASE_URL: `https://${NOT_LOADED}.invalid`,
  ANTHROPIC_AUTH_TOKEN: NOT_LOADED,
  ANTHROPIC_CUSTOM_HEADERS: `x-api-key: ${NOT_LOADED}`,
};

/** A variable that ccc sets by itself because of the provider's server, and why. */
interface ServerDefault {
  readonly name: string;
  /** What a launch sets: the user's own value if there is one outside of ccc.json. */
  readonly value: string;
  readonly reason: string;
  /** Where the user decided it: the path of a settings file, or "shell". Undefined if ccc did. */
  readonly decidedBy: string | undefined;
}

/** What ccc sets for a provider with this env block, unless the block sets it itself. */
export function defaultsForServer(env: Readonly<Record<string, string>>, elsewhere: Elsewhere): ServerDefault[] {
  if (!leavesAnthropic(env.ANTHROPIC_BASE_URL) || cloudOf(env) !== undefined) return [];
  return FOREIGN.filter(({ name }) => !Object.hasOwn(env, name)).map((each) => {
    const users = usersValue(each.name, elsewhere);
    const isOther = users !== undefined && users.value !== each.value;
    return isOther ? { ...each, ...users } : { ...each, decidedBy: undefined };
  });
}

const FOREIGN = [
  {
    name: ATTRIBUTION_HEADER,
    value: "0",
    reason: "without it every conversation begins with a different line, which defeats the server's prompt cache",
  },
];

/** As in Claude Code, a folder's settings win over the user's, and those over the shell. */
function usersValue(name: string, { settings, env }: Elsewhere) {
  const layer = settings.findLast((each) => Object.hasOwn(each.env, name));
  if (layer !== undefined) return { value: String(layer.env[name]), decidedBy: layer.path };
  const value = env[name];
  return value ? { value, decidedBy: "shell" } : undefined;
}

/**
 * Variables that every launch sets in addition to the provider's: they control how requests travel, and what runs when
 * Claude Code calls ccc for a key or a review. A folder's settings therefore cannot change them. PATH is not among them, nor
 * are variables that do harm when blank.
 */
export interface Decided {
  readonly env: Readonly<Record<string, string>>;
  /** Whether all launches generate the same settings, because neither the user nor a folder sets any of these. */
  readonly isUsual: boolean;
  /** Notices about settings of folders that ccc ignores. */
  readonly notices: readonly string[];
}

export const NOTHING_DECIDED: Decided = { env: {}, isUsual: true, notices: [] };

/** Decides these variables. `folder` is that of ccc.json. */
export function decideVariables(settings: readonly Layer[], env: Env, folder: string): Decided {
  const users = settings.find(({ scope }) => scope === "user")?.env ?? {};
  // Every launch that writes to this folder has the same values of these two.
  const decided: Record<string, string> = { CCC_CONFIG_DIR: folder, [REVIEWER_MARKER]: "" };
  let isBlank = true;
  for (const name of DECIDED) {
    // As in Claude Code without a folder's settings: the user's settings win over the shell.
    const value = Object.hasOwn(users, name) ? String(users[name]) : env[name];
    decided[name] = value ?? "";
    if (value) isBlank = false;
  }
  for (const [upper, lower] of PROXIES) {
    decided[upper] ||= decided[lower] ?? "";
    decided[lower] ||= decided[upper] ?? "";
  }
  return { env: decided, isUsual: isBlank && !dependsOn({ settings, env }), notices: overruled(settings) };
}

/** Whether the settings that a launch generates depend on the settings files or on the shell. */
function dependsOn({ settings, env }: Elsewhere): boolean {
  if (unknownVariables(settings).length > 0) return true;
  return FOREIGN.some(({ name, value }) => (usersValue(name, { settings, env })?.value ?? value) !== value);
}

/** Notices about settings of folders that ccc ignores. */
function overruled(settings: readonly Layer[]): string[] {
  const notices: string[] = [];
  for (const { path, scope, env } of settings) {
    if (scope === "user") continue;
    const names = Object.keys(env);
    const network = names.filter((name) => NETWORK.includes(name));
    const running = names.filter((name) => LOADING.includes(name) || name.startsWith("CCC_"));
    if (network.length > 0)
      notices.push(`${path} sets ${network.join(", ")}; ignored, because it would redirect your key`);
    if (running.length > 0)
      notices.push(`${path} sets ${running.join(", ")}; ignored, because it could run code with access to your key`);
  }
  return notices;
}

/** If only one of HTTP_PROXY and http_proxy is set, some programs read a blank in the other as "no proxy". */
const PROXIES = [
  ["HTTP_PROXY", "http_proxy"],
  ["HTTPS_PROXY", "https_proxy"],
  ["ALL_PROXY", "all_proxy"],
  ["NO_PROXY", "no_proxy"],
] as const;

/** Variables that decide how requests travel, which certificates are trusted, and who can see the key. */
const NETWORK: readonly string[] = [
  "HTTP_PROXY", // sees every request that is not encrypted
  "HTTPS_PROXY", // sees where requests go, and with a forged certificate their content
  "ALL_PROXY", // the same for both
  "http_proxy", // as HTTP_PROXY
  "https_proxy", // as HTTPS_PROXY
  "all_proxy", // as ALL_PROXY
  "NO_PROXY", // exempts servers from the user's proxy
  "no_proxy", // as NO_PROXY
  "NODE_EXTRA_CA_CERTS", // makes a forged certificate valid
  "NODE_TLS_REJECT_UNAUTHORIZED", // makes every certificate valid
  "CLAUDE_CODE_CERT_STORE", // chooses which certificates are trusted
  "CLAUDE_CODE_CLIENT_CERT", // identifies the user
  "CLAUDE_CODE_CLIENT_KEY", // its key
  "CLAUDE_CODE_CLIENT_KEY_PASSPHRASE", // the passphrase of that key
  "BUN_CONFIG_VERBOSE_FETCH", // prints every request, with its key
];

/** Control ccc itself. CCC_EXEC and CCC_RUN are not here: ccc needs their values to recognise what it started. */
const STEERING: readonly string[] = [
  "CCC_CLAUDE", // the claude that reviews
  "CCC_DOWNLOAD_BASE", // where an upgrade comes from
  "CCC_KEYCHAIN", // whether a key is found
  "CCC_SUPERVISOR", // whether a launch is reviewed
];

/** Load code into ccc, Claude Code or the shell that starts them, or prevent them from starting. */
const LOADING: readonly string[] = [
  "BUN_BE_BUN", // runs Bun itself instead of the compiled program
  "BUN_OPTIONS", // --preload runs a file first
  "BUN_INSPECT", // opens a debugger port, and may wait for a debugger
  "BUN_INSPECT_CONNECT_TO", // the same
  "BUN_INSPECT_NOTIFY", // the same
  "NODE_OPTIONS", // --require, for a Claude Code that runs on Node
  "NODE_PATH", // where that finds modules
  "OPENSSL_CONF", // may name a library, for the same
  "LD_AUDIT", // a library for every program
  "LD_DEBUG", // "help" prints help instead of running the program
  "LD_LIBRARY_PATH", // other libraries for every program
  "LD_PRELOAD", // a library for every program
  "DYLD_INSERT_LIBRARIES", // the same on macOS
  "DYLD_LIBRARY_PATH", // the same on macOS
  "BASH_ENV", // a file that bash runs first
  "BASHOPTS", // how bash works
  "ENV", // a file that other shells run first
  "SHELLOPTS", // "noexec" keeps bash from running anything
  "CLAUDE_CODE_GIT_BASH_PATH", // the shell on Windows
  "CLAUDE_CODE_SHELL_PREFIX", // a program that gets every command, hooks among them
];

const DECIDED: readonly string[] = [...NETWORK, ...STEERING, ...LOADING];
