/** Names of variables, headers and settings that hold secrets. */
export const SECRET_NAME =
  /token|key|secret|passw|passphrase|credential|authorization|cookie|headers|extra_body|_pat$/i;
export const MASK = "***";

/** Whether the name says that the value is a secret. A number of tokens (CLAUDE_CODE_MAX_OUTPUT_TOKENS) is not. */
export function isSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) && !(/tokens$/i.test(name) && /^\d{1,8}$/.test(value));
}

/** A secret for display: its last characters tell keys apart; of a short one, nothing is shown. */
export function maskSecret(secret: string): string {
  if (secret === "") return "";
  // In a value with several parts, such as headers or JSON, the last characters may be a whole short key.
  const isSingle = !/[\s"]/.test(secret);
  return isSingle && secret.length >= SHORTEST_WITH_END_SHOWN ? `${MASK}${secret.slice(-4)}` : MASK;
}

const SHORTEST_WITH_END_SHOWN = 12;

/** Shorter values are words like "none", which may occur anywhere. */
export const SHORTEST_SECRET = 6;

/** A word of at least this length may be a key. */
export const SHORTEST_KEY = 16;
