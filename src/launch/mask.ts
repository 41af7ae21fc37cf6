import { prettyJson } from "../io/json.ts";
import { redact } from "../io/redact.ts";
import { MASK } from "../io/secret.ts";
import { isSecretVariable } from "../providers/variables.ts";
import type { Plan } from "./plan.ts";

/** A plan as text that anyone may see: no value of anything that looks like a secret. The settings are among its files. */
export function printablePlan({ settings: _, ...plan }: Plan): string {
  const secrets = new Set<string>();
  collect("", plan, secrets);
  return prettyJson(mask("", plan, secrets));
}

/** Not secret, and not to be taken for one when a key is a word like "ollama". */
const PLAIN = new Set(["provider", "file", "path"]);

function collect(key: string, value: unknown, secrets: Set<string>): void {
  if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) collect(Array.isArray(value) ? key : name, item, secrets);
  } else if (typeof value === "string" && value !== "" && isSecretVariable(key, value)) secrets.add(value);
}

function mask(key: string, value: unknown, secrets: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(key, item, secrets));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mask(name, item, secrets)]));
  }
  if (typeof value !== "string" || value === "" || PLAIN.has(key)) return value;
  return isSecretVariable(key, value) ? MASK : redact(value, secrets);
}
