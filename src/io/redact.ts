/** Names under which secrets are kept: variables, headers, settings. */
export const SECRET_NAME = /token|key|secret|passw|passphrase|credential|authorization|cookie|headers|_pat$/i;
export const MASK = "***";

/** Whether a value is a secret by its name. A number of tokens (CLAUDE_CODE_MAX_OUTPUT_TOKENS) is none. */
export function isSecret(name: string, value: string): boolean {
  return SECRET_NAME.test(name) && !(/tokens$/i.test(name) && /^\d{1,8}$/.test(value));
}

/** A secret as a person may see it: its end tells keys apart, and of a short one even that would be too much. */
export function maskSecret(secret: string): string {
  if (secret === "") return "";
  return secret.length >= SHORTEST_TELLABLE ? `${MASK}${secret.slice(-4)}` : MASK;
}

const SHORTEST_TELLABLE = 12;

/** Shorter values are words like "none", which may stand anywhere. */
export const SHORTEST_SECRET = 6;

/** Removes secrets from a text wherever they stand, and what looks like one. */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = withoutUrlSecrets(text).replace(/\b(Bearer|Basic) +[^\s"',]+/gi, `$1 ${MASK}`);
  for (const secret of secrets) if (secret.length >= SHORTEST_SECRET) clean = clean.replaceAll(secret, MASK);
  return clean;
}

/** Hides user, password and query of URLs. */
export function withoutUrlSecrets(text: string): string {
  return text
    .replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s"'@]+@/gi, `$1${MASK}@`)
    .replace(/(\bhttps?:\/\/[^\s"'?]+\?)[^\s"']+/gi, `$1${MASK}`);
}

/** The values in a block of variables whose names say that they are secret. */
export function secretsIn(block: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(block).flatMap(([name, value]) =>
    typeof value === "string" && isSecret(name, value) ? partsOf(value) : [],
  );
}

/** A value of several headers holds several secrets. */
function partsOf(value: string): string[] {
  return value.split("\n").flatMap((line) => [line, line.replace(/^[^:]*:\s*/, "")]);
}
