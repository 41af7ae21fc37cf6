import { isReference } from "../providers/references.ts";
import { shownReference } from "../providers/shown-reference.ts";
import { isSecretVariable } from "../providers/variables.ts";
import { withoutUrlSecrets } from "../text/look-alikes.ts";
import { redact, secretsIn } from "../text/redact.ts";
import { MASK } from "../text/secret.ts";
import type { Decisions, PrintablePlan } from "./describe-plan.ts";
import type { Plan } from "./plan.ts";

/** A plan with everything that looks like a secret masked. Its settings are left out: `files` has them. */
export function printablePlan({ settings: _, ...plan }: Plan, decisions: Decisions): PrintablePlan {
  const secrets = new Set<string>();
  collect("", plan, secrets);
  // Masking changes strings and nothing else.
  const { provider, ...rest } = mask("", plan, secrets) as Omit<Plan, "settings">;
  return { provider, ...decisions, ...rest };
}

/** Never masked, even if a key is a word like "ollama" that occurs in them. */
const PLAIN = new Set(["provider", "file", "path"]);

function collect(key: string, value: unknown, secrets: Set<string>): void {
  if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) collect(Array.isArray(value) ? key : name, item, secrets);
  } else if (typeof value === "string" && value !== "") {
    if (isSecretVariable(key, value)) secrets.add(value);
    for (const part of secretsIn({ [key]: value })) secrets.add(part);
  }
}

function mask(key: string, value: unknown, secrets: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => mask(key, item, secrets));
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mask(name, item, secrets)]));
  }
  if (typeof value !== "string" || value === "" || PLAIN.has(key)) return value;
  if (isSecretVariable(key, value)) return MASK;
  return redact(key === "reference" && isReference(value) ? shownReference(value) : withoutUrlSecrets(value), secrets);
}
