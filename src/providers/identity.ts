import type { Settings } from "../claude/accepted-settings.ts";
import { isUrl, leavesAnthropic } from "../claude/connection.ts";
import type { Layers } from "../claude/layers.ts";
import { expandEnv, namedIn, referencedVariable, writtenEnv } from "../config/env.ts";
import type { LoadedConfig } from "../config/load.ts";
import { CccError } from "../errors.ts";
import { isWindowsPath } from "../os/path.ts";
import { isObject, type Json } from "../text/json.ts";
import { cmdWord, shellLine } from "../text/shell.ts";
import type { Env } from "../world.ts";
import { isReference, KEYS, kindOf, TOKENS, whyForbidden } from "./variables.ts";

/** A provider's server and credentials, as Claude Code's settings hold them. */
export interface Identity {
  readonly env: Readonly<Record<string, string>>;
  readonly apiKeyHelper: string;
}

/** All that decides what launching a provider means. */
export interface ProviderSituation {
  readonly loaded: Pick<LoadedConfig, "config" | "providers">;
  readonly provider: string;
  readonly env: Env;
  readonly managed: Layers["managed"];
  /** The command by which Claude Code gets the key for this base URL. */
  readonly keyCommand: (server: string) => string;
  /** Whether a key that is in ccc.json is written into the settings instead. */
  readonly writesKey: boolean;
  /** The user's `--settings`, which override ccc.json. */
  readonly over?: Json;
}

/** What launching a provider means. The launch acts on it, and the commands report it. */
export interface ProviderLaunch {
  readonly provider: string;
  /** Why it cannot be launched. */
  readonly problem: CccError | undefined;
  /** The shared settings, overridden by the provider's, and both by `over`. */
  readonly settings: Json;
  /** The identity in ccc.json; as written, if a ${NAME} in it cannot be replaced. */
  readonly configured: Identity;
  /** The reference that ccc.json has instead of the key. */
  readonly reference: Reference | undefined;
  /** The identity that Claude Code gets. */
  readonly identity: Identity;
  /** Whether Claude Code asks ccc for the key, and sends it in both headers. */
  readonly asksForKey: boolean;
  /** Whether requests carry the user's Claude login, because the provider has no key. */
  readonly usesLogin: boolean;
}

/** The one answer to "what happens if this provider is launched?". */
export function providerLaunch(situation: ProviderSituation): ProviderLaunch {
  const { loaded, provider } = situation;
  const own = loaded.providers.get(provider) ?? {};
  try {
    const { settings, identity } = configuredSettings(situation, own);
    return withIdentity(situation, settings, identity);
  } catch (error) {
    const shared = loaded.config.settings ?? {};
    return refused(error, provider, {}, mergeIdentity(asWritten(shared), asWritten(own)));
  }
}

function withIdentity(situation: ProviderSituation, settings: Json, configured: Identity): ProviderLaunch {
  const { provider, managed, keyCommand, writesKey } = situation;
  try {
    requireCredential(configured, provider);
    refuseManaged(configured, managed, provider);
    const reference = referenceOf(configured, provider);
    const isPlainKey = configured.apiKeyHelper === "" && hasKey(configured);
    const asksForKey = reference !== undefined || (isPlainKey && !writesKey);
    if (asksForKey) refuseRemovedIn(situation);
    const identity = asksForKey
      ? withKeyCommand(configured, keyCommand(configured.env.ANTHROPIC_BASE_URL ?? ""))
      : configured;
    const usesLogin = !hasCredential(configured);
    return { provider, problem: undefined, settings, configured, reference, identity, asksForKey, usesLogin };
  } catch (error) {
    return refused(error, provider, settings, configured);
  }
}

function refuseRemovedIn({ loaded, provider }: ProviderSituation): void {
  const own = loaded.providers.get(provider)?.env ?? {};
  for (const name of TOKENS)
    refuseRemoved(own[name] ?? loaded.config.settings?.env?.[name], `providers.${provider}.env.${name}`);
}

function refused(error: unknown, provider: string, settings: Json, configured: Identity): ProviderLaunch {
  if (!(error instanceof CccError)) throw error;
  return {
    provider,
    problem: error,
    settings,
    configured,
    reference: undefined,
    identity: configured,
    asksForKey: false,
    usesLogin: false,
  };
}

function asWritten({ env, apiKeyHelper }: Settings): Identity {
  return { env: writtenEnv(env), apiKeyHelper: apiKeyHelper ?? "" };
}

/**
 * The command with which Claude Code asks ccc for a provider's key. It goes through a shell: on Windows that is always
 * cmd.exe, with Git Bash too. The folder is explicit, so that no variable can change it. The server is the one that the
 * session sends the key to: a provider that has moved to another one since has another key.
 */
export function keyCommandLine(self: string, provider: string, folder: string, server: string): string {
  const words = [self, "key", provider, "--config-dir", folder, "--server", serverHash(server)];
  return isWindowsPath(self) ? words.map(cmdWord).join(" ") : shellLine(words);
}

/** Whether a base URL is the one that a key command names. */
export function isServer(url: string, hash: string): boolean {
  return serverHash(url) === hash;
}

/** A hash, because an address may have a password in it. */
function serverHash(url: string): string {
  return Bun.hash(url).toString(36);
}

/** Parses the command that keyCommandLine makes; undefined for any other. */
export function readKeyCommand(command: unknown): { readonly provider: string; readonly folder: string } | undefined {
  const found = typeof command === "string" ? / key (\S+) --config-dir (.+?)(?: --server \w+)?$/s.exec(command) : null;
  const [, provider, folder] = found ?? [];
  return provider === undefined || folder === undefined ? undefined : { provider, folder: unquoted(folder) };
}

function unquoted(word: string): string {
  if (word.startsWith('"')) return word.slice(1, -1).replace(/(\\+)\1$/, "$1");
  return word.startsWith("'") ? word.slice(1, -1).replaceAll(`'\\''`, "'") : word;
}

/** A provider's settings over the shared ones of ccc.json, before isolation. */
function configuredSettings({ loaded, provider, env, over = {} }: ProviderSituation, own: Settings) {
  const shared = loaded.config.settings ?? {};
  const identity = mergeIdentity(identityOf(shared, env, "settings"), identityOf(own, env, `providers.${provider}`));
  return { settings: mergeSettings(mergeSettings(shared, own), over), identity };
}

/** Merges objects and replaces everything else, as the Go ccc did. */
function mergeSettings(base: Json, over: Json): Json {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (key === "__proto__") continue;
    const below = Object.hasOwn(merged, key) ? merged[key] : undefined;
    merged[key] = isObject(below) && isObject(value) ? mergeSettings(below, value) : value;
  }
  return merged;
}

function identityOf(settings: Settings, env: Env, field: string): Identity {
  const block = settings.env ?? {};
  for (const name of Object.keys(block)) refuseForbidden(name, `${field}.env.${name}`);
  const expanded = expandEnv(block, env, `${field}.env`);
  if (!isUrl(expanded.ANTHROPIC_BASE_URL ?? ""))
    throw new CccError(`${field}.env.ANTHROPIC_BASE_URL: must be a URL`, {
      advice: "Correct it in ccc.json, or the variable that it names.",
    });
  return { env: expanded, apiKeyHelper: settings.apiKeyHelper ?? "" };
}

function refuseForbidden(name: string, field: string): void {
  const why = whyForbidden(name);
  if (why === undefined) return;
  throw new CccError(`${field}: not allowed in ccc.json, because ${why}`, {
    advice: "Remove it there. If you need it, set it in your shell.",
  });
}

/**
 * The identity of a launch. The provider's values win over the ones that ccc.json shares among providers. A shared
 * credential or route is dropped if the provider has its own, because Claude Code would send both keys.
 */
function mergeIdentity(shared: Identity, own: Identity): Identity {
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

/** Whether requests have a key of the provider. Without one, Claude Code uses the user's login. */
export function hasCredential({ env, apiKeyHelper }: Identity): boolean {
  return KEYS.some((name) => env[name]) || apiKeyHelper !== "";
}

/** Without a credential, Claude Code would send the user's Anthropic login to the provider's server. */
function requireCredential(identity: Identity, provider: string): void {
  if (hasCredential(identity) || !leavesAnthropic(identity.env.ANTHROPIC_BASE_URL)) return;
  throw new CccError(
    `providers.${provider}.env has an ANTHROPIC_BASE_URL but no ANTHROPIC_AUTH_TOKEN or ANTHROPIC_API_KEY; Claude Code would send your Anthropic login to that server`,
    { advice: 'Add the key. For a server that wants none, any word will do: "ANTHROPIC_AUTH_TOKEN": "none"' },
  );
}

/** Refuses a launch whose server or credentials a managed policy would replace: policy wins over all other settings. */
function refuseManaged(identity: Identity, managed: Layers["managed"], provider: string): void {
  for (const layer of managed) {
    const names = Object.keys(layer.env).filter((name) => layer.env[name] && layer.env[name] !== identity.env[name]);
    const diverting = names.filter((name) => kindOf(name) === "credential" || kindOf(name) === "route");
    if (layer.apiKeyHelper) diverting.push("apiKeyHelper");
    if (diverting.length === 0) continue;
    throw new CccError(
      `your organization's policy sets ${diverting.join(", ")} (${layer.path}), and Claude Code lets it win over provider "${provider}": keys would go to the wrong server`,
      { advice: "Ask the administrator who maintains that policy, or run claude itself." },
    );
  }
}

function setsAny(env: Readonly<Record<string, string>>, kind: "credential" | "route"): boolean {
  return Object.entries(env).some(([name, value]) => value !== "" && kindOf(name) === kind);
}

/** A reference that must be resolvable before claude starts. */
export interface Reference {
  /** Where it is in ccc.json. */
  readonly field: string;
  readonly reference: string;
}

/** The reference that a provider has instead of a key. */
function referenceOf({ env, apiKeyHelper }: Identity, provider: string): Reference | undefined {
  const names = TOKENS.filter((name) => isReference(env[name] ?? ""));
  const [name] = names;
  if (name === undefined) return undefined;
  const field = `providers.${provider}.env.${name}`;
  if (apiKeyHelper !== "" || TOKENS.filter((each) => env[each]).length > 1) {
    throw new CccError(`${field} is a reference, and beside it there is another key or an apiKeyHelper`, {
      advice: "Claude Code would send both: leave one of them out.",
    });
  }
  const reference = env[name] ?? "";
  if (kindOf(referencedVariable(reference) ?? "") !== undefined) throw removedVariable(field, reference);
  return { field, reference };
}

/** Refuses a key from a variable that the helper will not see. `written` is the key as ccc.json has it. */
function refuseRemoved(written: unknown, field: string): void {
  const removed = namedIn([written]).find((name) => kindOf(name) !== undefined);
  if (removed !== undefined) throw removedVariable(field, `\${${removed}}`);
}

function removedVariable(field: string, reference: string): CccError {
  return new CccError(`${field} is ${reference}, which ccc removes from claude's environment`, {
    advice: "Rename that variable, for example to GLM_API_KEY.",
  });
}

/** Whether ccc.json has the provider's key, literally or as a reference, so that ccc can print it. */
function hasKey({ env }: Identity): boolean {
  return TOKENS.some((name) => env[name]);
}

/**
 * An identity as Claude Code gets it: it asks `command` for the key whenever it needs one, sends it in both headers, and the
 * key is in no settings file and no environment.
 */
function withKeyCommand(identity: Identity, command: string): Identity {
  const { ANTHROPIC_AUTH_TOKEN: token, ANTHROPIC_API_KEY: key, ...env } = identity.env;
  if (!token || !key || token === key) return { env, apiKeyHelper: command };
  // Two different keys: the helper prints the token, and the API key becomes a header.
  const headers = [env.ANTHROPIC_CUSTOM_HEADERS, `x-api-key: ${key}`].filter(Boolean).join("\n");
  return { env: { ...env, ANTHROPIC_CUSTOM_HEADERS: headers }, apiKeyHelper: command };
}
