/** Names under which secrets are kept: variables, headers, settings. */
export const SECRET_NAME = /token|key|secret|passw|passphrase|credential|authorization|cookie|headers/i;
export const MASK = "***";

/** Shorter values are words like "none", which may stand anywhere. */
const SHORTEST_SECRET = 6;

/** Removes secrets from a text wherever they stand. */
export function redact(text: string, secrets: Iterable<string>): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= SHORTEST_SECRET) clean = clean.replaceAll(secret, MASK);
  return clean;
}

/** The values in a block of variables whose names say that they are secret. */
export function secretsIn(block: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(block).flatMap(([name, value]) =>
    SECRET_NAME.test(name) && typeof value === "string"
      ? value.split("\n").flatMap((line) => [line, line.replace(/^[^:]*:\s*/, "")])
      : [],
  );
}
