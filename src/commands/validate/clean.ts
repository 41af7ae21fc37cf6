import { withoutUrlSecrets } from "../../text/look-alikes.ts";
import { MASK, SHORTEST_SECRET } from "../../text/secret.ts";

const LONGEST = 300;

/** A server's message for the terminal: one line, not too long, and without any part of a key that it may repeat. */
export function cleanWords(text: string, secrets: readonly string[]): string {
  const line = withoutUrlSecrets(Bun.stripANSI(text)).replace(/[\p{Cc}\p{Cf}\s]+/gu, " ");
  const words = line.split(" ").map((word) => (secrets.some((secret) => leaks(word, secret)) ? MASK : word));
  const clean = words.join(" ").trim();
  return clean.length > LONGEST ? `${clean.slice(0, LONGEST)}…` : clean;
}

/** Whether a word contains enough consecutive characters of a key to be a leak. */
function leaks(word: string, secret: string): boolean {
  for (let at = 0; at + SHORTEST_SECRET <= secret.length; at++) {
    if (word.includes(secret.slice(at, at + SHORTEST_SECRET))) return true;
  }
  return false;
}
