import { MASK, redact, SECRET_NAME } from "../io/redact.ts";
import { kindOf } from "../providers/variables.ts";
import type { Plan } from "./plan.ts";

/** A plan as text that anyone may see: no value of anything that looks like a secret, wherever it stands. */
export function printablePlan(plan: Plan): string {
  const secrets = new Set<string>();
  const masked = mask("", plan, secrets);
  // As they stand inside a JSON text.
  const printed = [...secrets].map((secret) => JSON.stringify(secret).slice(1, -1));
  return `${redact(JSON.stringify(masked, null, 2), printed)}\n`;
}

function mask(key: string, value: unknown, secrets: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(key, item, secrets));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mask(name, item, secrets)]));
  }
  if (typeof value !== "string" || value === "") return value;
  if (SECRET_NAME.test(key) || kindOf(key) === "credential") {
    secrets.add(value);
    return MASK;
  }
  return value.replace(/(:\/\/[^/\s@:]*:)[^/\s@]+@/g, `$1${MASK}@`);
}
