import { kindOf } from "../providers/variables.ts";
import type { Plan } from "./plan.ts";

/** A plan as text that anyone may see: no value of anything that looks like a secret, wherever it stands. */
export function printablePlan(plan: Plan): string {
  const secrets = new Set<string>();
  const masked = mask("", plan, secrets);
  let text = JSON.stringify(masked, null, 2);
  for (const secret of secrets) text = text.replaceAll(JSON.stringify(secret).slice(1, -1), MASK);
  return `${text}\n`;
}

const MASK = "***";
/** Shorter values are words like "none", which may stand anywhere. */
const SHORTEST_SECRET = 6;
const SECRET_KEY = /token|key|secret|passw|passphrase|credential|authorization|cookie|headers/i;

function mask(key: string, value: unknown, secrets: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(key, item, secrets));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mask(name, item, secrets)]));
  }
  if (typeof value !== "string" || value === "") return value;
  if (SECRET_KEY.test(key) || kindOf(key) === "credential") {
    if (value.length >= SHORTEST_SECRET) secrets.add(value);
    return MASK;
  }
  return value.replace(/(:\/\/[^/\s@:]*:)[^/\s@]+@/g, `$1${MASK}@`);
}
