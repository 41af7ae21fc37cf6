/** Variables, all blank, that decide how requests travel, which certificates are trusted, and who can see the key. */
export const NETWORK: Readonly<Record<string, string>> = {
  HTTP_PROXY: "", // sees every request that is not encrypted
  HTTPS_PROXY: "", // sees where requests go, and with a forged certificate their content
  ALL_PROXY: "", // the same for both
  http_proxy: "", // as HTTP_PROXY
  https_proxy: "", // as HTTPS_PROXY
  all_proxy: "", // as ALL_PROXY
  NO_PROXY: "", // exempts servers from the user's proxy
  no_proxy: "", // as NO_PROXY
  NODE_EXTRA_CA_CERTS: "", // makes a forged certificate valid
  NODE_TLS_REJECT_UNAUTHORIZED: "", // makes every certificate valid
  CLAUDE_CODE_CERT_STORE: "", // chooses which certificates are trusted
  CLAUDE_CODE_CLIENT_CERT: "", // identifies the user
  CLAUDE_CODE_CLIENT_KEY: "", // its key
  CLAUDE_CODE_CLIENT_KEY_PASSPHRASE: "", // the passphrase of that key
  BUN_CONFIG_VERBOSE_FETCH: "", // prints every request, with its key
};
