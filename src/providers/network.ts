import type { Layer } from "../claude/layers.ts";
import type { Env } from "../world.ts";

/** Decide through whose hands requests go, and which servers are believed. */
const NETWORK: Readonly<Record<string, string>> = {
  HTTP_PROXY: "sees every request that is not encrypted",
  HTTPS_PROXY: "sees where requests go, and with a false certificate what they say",
  ALL_PROXY: "the same for both",
  http_proxy: "as HTTP_PROXY",
  https_proxy: "as HTTPS_PROXY",
  all_proxy: "as ALL_PROXY",
  NO_PROXY: "takes servers out of a proxy that the user wants",
  no_proxy: "as NO_PROXY",
  NODE_EXTRA_CA_CERTS: "makes a false certificate good",
  NODE_TLS_REJECT_UNAUTHORIZED: "makes every certificate good",
  CLAUDE_CODE_CLIENT_CERT: "shows who the user is",
  CLAUDE_CODE_CLIENT_KEY: "the key to that",
  CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "the word to that key",
};

/**
 * What the settings of a folder say that is none of a folder's business: how requests travel, and what steers ccc, which
 * Claude Code calls for keys and reviews. Each with the value that the user gave it, blank for none.
 */
export function foldersOverreach(layers: readonly Layer[], env: Env): Record<string, string> {
  const found: Record<string, string> = {};
  for (const layer of layers) {
    if (!layer.isFolders) continue;
    for (const name in layer.env) {
      if (!Object.hasOwn(NETWORK, name) && !name.startsWith("CCC_")) continue;
      const users = layers.find((each) => !each.isFolders)?.env[name];
      found[name] = users === undefined ? (env[name] ?? "") : String(users);
    }
  }
  return found;
}

/** The user's own way through the network: a Claude Code whose provider the host decides takes it from no settings. */
export function usersNetwork(layers: readonly Layer[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const layer of layers) {
    if (layer.isFolders) continue;
    for (const name in layer.env) if (Object.hasOwn(NETWORK, name)) found[name] = String(layer.env[name]);
  }
  return found;
}
