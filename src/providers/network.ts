import type { Layer } from "../claude/layers.ts";

/** Decide through whose hands requests go, which servers are believed, and who else gets to see the key; all blank. */
export const NETWORK: Readonly<Record<string, string>> = {
  HTTP_PROXY: "", // sees every request that is not encrypted
  HTTPS_PROXY: "", // sees where requests go, and with a false certificate what they say
  ALL_PROXY: "", // the same for both
  http_proxy: "", // as HTTP_PROXY
  https_proxy: "", // as HTTPS_PROXY
  all_proxy: "", // as ALL_PROXY
  NO_PROXY: "", // takes servers out of a proxy that the user wants
  no_proxy: "", // as NO_PROXY
  NODE_EXTRA_CA_CERTS: "", // makes a false certificate good
  NODE_TLS_REJECT_UNAUTHORIZED: "", // makes every certificate good
  CLAUDE_CODE_CERT_STORE: "", // chooses whose certificates are good
  CLAUDE_CODE_CLIENT_CERT: "", // shows who the user is
  CLAUDE_CODE_CLIENT_KEY: "", // the key to that
  CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "", // the word to that key
  BUN_CONFIG_VERBOSE_FETCH: "", // prints every request, with its key
};

/** The user's own way through the network: a Claude Code whose provider the host decides takes it from no settings. */
export function usersNetwork(layers: readonly Layer[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const layer of layers) {
    if (layer.scope !== "user") continue;
    for (const name in layer.env) if (Object.hasOwn(NETWORK, name)) found[name] = String(layer.env[name]);
  }
  return found;
}
