/** Names under which secrets are kept: variables, headers, settings. */
export const SECRET_NAME =
  /token|key|secret|passw|passphrase|credential|authorization|cookie|headers|extra_body|_pat$/i;
export const MASK = "***";

/** Whether a value is a secret by its name. A number of tokens (CLAUDE_CODE_MAX_OUTPUT_TOKENS) is none. */
export function isSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) && !(/tokens$/i.test(name) && /^\d{1,8}$/.test(value));
}

/** A secret as a person may see it: its end tells keys apart, and of a short one even that would be too much. */
export function maskSecret(secret: string): string {
  if (secret === "") return "";
  // Of a value of several parts, headers or JSON, the end may be all of a short key.
  const isOne = !/[\s"]/.test(secret);
  return isOne && secret.length >= SHORTEST_TELLABLE ? `${MASK}${secret.slice(-4)}` : MASK;
}

const SHORTEST_TELLABLE = 12;

/** Shorter values are words like "none", which may stand anywhere. */
export const SHORTEST_SECRET = 6;
