import type { Layer, Layers } from "../claude/layers.ts";
import { CccError } from "../errors.ts";
import { BLANKS, KEYS, kindOf } from "./variables.ts";

/** A provider's server and credentials, as Claude Code's settings hold them. */
export interface Identity {
  readonly env: Readonly<Record<string, string>>;
  readonly apiKeyHelper: string;
}

/**
 * The identity of a launch. The provider's values win over the ones that ccc.json shares among providers. A shared
 * credential or route is dropped if the provider has its own, because Claude Code would send both keys.
 */
export function mergeIdentity(shared: Identity, own: Identity): Identity {
  const ownsCredential = own.apiKeyHelper !== "" || setsAny(own.env, "credential");
  const ownsRoute = setsAny(own.env, "route");
  const env: Record<string, string> = { ...shared.env };
  for (const name of Object.keys(env)) {
    const kind = kindOf(name);
    if ((kind === "credential" && ownsCredential) || (kind === "route" && ownsRoute)) delete env[name];
  }
  const apiKeyHelper = own.apiKeyHelper || (ownsCredential ? "" : shared.apiKeyHelper);
  return { env: { ...env, ...own.env }, apiKeyHelper };
}

/** Blanks every provider variable that the identity does not set. A blank cancels the value of any other layer. */
export function isolate(identity: Identity, unknown: readonly string[]): Identity {
  const env: Record<string, string> = { ...BLANKS, ...identity.env };
  for (const name of unknown) env[name] ??= "";
  return { ...identity, env };
}

/**
 * Keeps the user's login from a claude that the session runs, in a hook or by the agent. It inherits the session's variables,
 * so it knows the provider's server but no key helper, and would send the login there. These variables name an identity
 * that nobody has issued: Claude Code prefers it to a login, and a key helper to both.
 */
export function withoutLogin(identity: Identity): Identity {
  const isNeeded = identity.apiKeyHelper !== "" && leavesAnthropic(identity.env.ANTHROPIC_BASE_URL);
  return isNeeded ? { ...identity, env: { ...NO_LOGIN, ...identity.env } } : identity;
}

const NO_LOGIN = { ANTHROPIC_FEDERATION_RULE_ID: "ccc-no-login", ANTHROPIC_ORGANIZATION_ID: "ccc-no-login" };

/**
 * The environment of a claude that must not run without its settings: if Claude Code drops the file for a mistake in it,
 * requests go nowhere, and no login is used. The settings override each of these variables. Not for a claude that may start
 * the service for background sessions, which passes its environment on to all of them, whoever starts them.
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

/** Provider variables in settings files that are missing from ccc's own table. */
export function unknownVariables(layers: readonly Layer[]): string[] {
  const unknown: string[] = [];
  for (const { env } of layers) {
    for (const name in env) if (!Object.hasOwn(BLANKS, name) && kindOf(name) !== undefined) unknown.push(name);
  }
  return unknown.length === 0 ? unknown : unknown.sort();
}

/**
 * Claude Code sends a key that was stored by a login beside a bearer token in settings, whatever the server. A header of the
 * same name takes its place: the provider then gets its own token twice, and nobody's key.
 */
export function shadowStoredKey(identity: Identity): Identity {
  const { ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: key, ANTHROPIC_CUSTOM_HEADERS: headers = "" } = identity.env;
  const isNeeded = token && !key && !identity.apiKeyHelper && leavesAnthropic(identity.env.ANTHROPIC_BASE_URL);
  if (!isNeeded || /^x-api-key:/im.test(headers)) return identity;
  const shadowed = [headers, `x-api-key: ${token}`].filter((line) => line !== "").join("\n");
  return { ...identity, env: { ...identity.env, ANTHROPIC_CUSTOM_HEADERS: shadowed } };
}

/** Without a credential, Claude Code would send the user's Anthropic login to the provider's server. */
export function requireCredential(identity: Identity, provider: string): void {
  if (hasCredential(identity) || !leavesAnthropic(identity.env.ANTHROPIC_BASE_URL)) return;
  throw new CccError(
    `providers.${provider}.env has an ANTHROPIC_BASE_URL but no ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY; Claude Code would send your Anthropic login to that server`,
    { advice: 'Add the key. For a server that wants none, any word will do: "ANTHROPIC_AUTH_TOKEN": "none"' },
  );
}

/** Whether requests have a key of the provider. Without one, Claude Code uses the user's login. */
export function hasCredential({ env, apiKeyHelper }: Identity): boolean {
  return KEYS.some((name) => env[name]) || apiKeyHelper !== "";
}

/** Refuses a launch whose server or credentials a managed policy would replace: policy wins over all other settings. */
export function refuseManaged(identity: Identity, managed: Layers["managed"], provider: string): void {
  for (const layer of managed) {
    const names = Object.keys(layer.env).filter((name) => layer.env[name] && layer.env[name] !== identity.env[name]);
    const diverting = names.filter((name) => kindOf(name) === "credential" || kindOf(name) === "route");
    if (layer.apiKeyHelper) diverting.push("apiKeyHelper");
    if (diverting.length === 0) continue;
    throw new CccError(
      `your organization's policy sets ${diverting.join(", ")} (${layer.path}), and Claude Code lets it win over provider "${provider}": keys would go to the wrong server`,
      { advice: "Ask whoever maintains that policy, or run claude itself." },
    );
  }
}

/** Whether requests to this base URL leave Anthropic. */
export function leavesAnthropic(baseUrl = ""): boolean {
  const host = URL.parse(baseUrl)?.hostname;
  return host !== undefined && host !== "anthropic.com" && !host.endsWith(".anthropic.com");
}

function setsAny(env: Readonly<Record<string, string>>, kind: "credential" | "route"): boolean {
  return Object.entries(env).some(([name, value]) => value !== "" && kindOf(name) === kind);
}
