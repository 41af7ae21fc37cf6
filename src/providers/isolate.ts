import type { Layer, Layers } from "../claude/layers.ts";
import { CccError } from "../errors.ts";
import { BLANKS, KEYS, kindOf, MANAGED_BY_HOST } from "./variables.ts";

/** Where a provider's credentials and its server are written down: its env, and a command that prints a key. */
export interface Identity {
  readonly env: Readonly<Record<string, string>>;
  readonly apiKeyHelper: string;
}

/**
 * The identity of a launch. What the provider says goes before what ccc.json shares among providers, and a shared
 * credential or route is left out where the provider has one of its own: two keys would both be sent.
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

/** The identity with every provider variable blank that it does not set: that cancels the value of any other layer. */
export function isolate(identity: Identity, unknown: readonly string[]): Identity {
  const env: Record<string, string> = { ...BLANKS, ...identity.env };
  for (const name of unknown) env[name] ??= "";
  return { ...identity, env };
}

/**
 * The identity as claude's own environment, for the case that Claude Code drops the settings file for a mistake in it.
 * With a key in it, newer versions take provider variables from nowhere else and use no stored login. They would also
 * ignore a key helper, so for a provider that has one only its server is there, and placeholders where a login or a key of
 * the user's would be sent: the settings put the right ones in their place, or none of them goes anywhere.
 */
export function hostEnvironment({ env, apiKeyHelper }: Identity): Record<string, string> {
  const own = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
  if (apiKeyHelper !== "") return { ...own, ...PLACEHOLDERS };
  return env.ANTHROPIC_AUTH_TOKEN || env.ANTHROPIC_API_KEY ? { ...own, [MANAGED_BY_HOST]: "1" } : {};
}

const NO_KEY = "ccc-settings-not-loaded";

/** The header takes the place of any key that would be sent beside the token. */
const PLACEHOLDERS = { ANTHROPIC_AUTH_TOKEN: NO_KEY, ANTHROPIC_CUSTOM_HEADERS: `x-api-key: ${NO_KEY}` };

/** A token in other settings would win over the placeholder: where there is one, no server is to get it. */
export function keepFromTokens(host: Readonly<Record<string, string>>, layers: readonly Layer[]) {
  if (MANAGED_BY_HOST in host || !layers.some(({ env }) => env.ANTHROPIC_AUTH_TOKEN)) return host;
  return { ...host, ANTHROPIC_BASE_URL: `https://${NO_KEY}.invalid` };
}

/** Provider variables in settings files that ccc's table does not have. */
export function unknownVariables(layers: readonly Layer[]): string[] {
  const unknown: string[] = [];
  for (const { env } of layers) {
    for (const name in env) if (!Object.hasOwn(BLANKS, name) && kindOf(name) !== undefined) unknown.push(name);
  }
  return unknown.length === 0 ? unknown : unknown.sort();
}

/**
 * For versions that know no host: Claude Code sends a key that was stored by a login beside the bearer token of any
 * provider. A header of the same name takes its place: the provider then gets its own token twice, and nobody's key.
 */
export function shadowStoredKey(identity: Identity): Identity {
  const { ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: key, ANTHROPIC_CUSTOM_HEADERS: headers = "" } = identity.env;
  const isNeeded = token && !key && !identity.apiKeyHelper && leavesAnthropic(identity.env.ANTHROPIC_BASE_URL);
  if (!isNeeded || /^x-api-key:/im.test(headers)) return identity;
  const shadowed = [headers, `x-api-key: ${token}`].filter((line) => line !== "").join("\n");
  return { ...identity, env: { ...identity.env, ANTHROPIC_CUSTOM_HEADERS: shadowed } };
}

/** Without a credential of its own a foreign server would be sent the user's Anthropic login. */
export function requireCredential(identity: Identity, provider: string): void {
  if (hasCredential(identity) || !leavesAnthropic(identity.env.ANTHROPIC_BASE_URL)) return;
  throw new CccError(
    `providers.${provider}.env has an ANTHROPIC_BASE_URL but no ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY; Claude Code would send your Anthropic login to that server`,
    { advice: 'Add the key. For a server that wants none, any word will do: "ANTHROPIC_AUTH_TOKEN": "none"' },
  );
}

/** Whether requests carry a key of the provider's. Without one, they carry the user's login. */
export function hasCredential({ env, apiKeyHelper }: Identity): boolean {
  return KEYS.some((name) => env[name]) || apiKeyHelper !== "";
}

/** Policy wins over everything that ccc can say: a launch that it would divert does not happen. */
export function refuseManaged(identity: Identity, managed: Layers["managed"], provider: string): void {
  for (const layer of managed) {
    const names = Object.keys(layer.env).filter((name) => layer.env[name] && layer.env[name] !== identity.env[name]);
    const diverting = names.filter((name) => kindOf(name) === "credential" || kindOf(name) === "route");
    if (layer.apiKeyHelper) diverting.push("apiKeyHelper");
    if (diverting.length === 0) continue;
    throw new CccError(
      `your organization's policy sets ${diverting.join(", ")} (${layer.path}), and Claude Code lets it win over provider "${provider}": keys would go to the wrong server`,
      { advice: "Ask whoever keeps that policy, or run claude itself." },
    );
  }
}

/** Whether requests to this base URL go to somebody else than Anthropic. */
export function leavesAnthropic(baseUrl = ""): boolean {
  const host = URL.parse(baseUrl)?.hostname;
  return host !== undefined && host !== "anthropic.com" && !host.endsWith(".anthropic.com");
}

function setsAny(env: Readonly<Record<string, string>>, kind: "credential" | "route"): boolean {
  return Object.entries(env).some(([name, value]) => value !== "" && kindOf(name) === kind);
}
