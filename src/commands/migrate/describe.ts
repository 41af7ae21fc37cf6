import { isReference } from "../../providers/references.ts";
import { shownReference } from "../../providers/shown-reference.ts";
import { isSecretVariable } from "../../providers/variables.ts";
import { withoutUrlSecrets } from "../../text/look-alikes.ts";
import { redact } from "../../text/redact.ts";
import { maskSecret } from "../../text/secret.ts";
import type { Migration } from "./plan-migration.ts";

/** A plan as text, with keys masked. */
export function describeMigration(plan: Migration, settings: string, config: string): string[] {
  const { provider, hooks, commands, patch } = plan;
  const lines: string[] = [];
  if (provider !== undefined) {
    const { env, apiKeyHelper } = provider.settings;
    lines.push(
      provider.isThere
        ? `- ${settings} sets the same as the provider "${provider.name}" in ${config}. Remove from settings.json:`
        : `- ${settings} sets a provider. Save it as "${provider.name}" in ${config}, and remove from settings.json:`,
      ...Object.entries(env).map(([name, value]) => `    ${name} = ${shown(name, value)}`),
      ...(apiKeyHelper === undefined ? [] : ["    apiKeyHelper"]),
      `  Plain claude will no longer use it. To start it: ccc ${provider.name}. To make plain claude use it: ccc use ${provider.name}`,
    );
  }
  if (plan.keyless !== undefined) {
    lines.push(
      `- ${settings} names the server ${withoutUrlSecrets(plan.keyless)} without a key. This stays as it is: ccc needs a key for every server.`,
      "  To add it with a key: ccc provider add",
    );
  }
  for (const { event, command } of hooks)
    lines.push(`- Remove a hook of an earlier ccc from ${settings} (${event}): ${command}`);
  for (const path of commands) lines.push(`- Remove a slash command of an earlier ccc: ${path}`);
  if (patch !== undefined) {
    lines.push(
      patch.obstacle === undefined
        ? `- ${patch.claude} is a script of an earlier ccc. Restore the real claude from ${patch.real}`
        : `- ${patch.claude} runs ccc, and the real claude should be ${patch.real}, but ${patch.obstacle}. ` +
            `To restore it yourself: sudo mv ${patch.real} ${patch.claude}`,
    );
  }
  return lines;
}

function shown(name: string, value: string): string {
  if (isReference(value)) return shownReference(value);
  return isSecretVariable(name, value) ? maskSecret(value) : redact(withoutUrlSecrets(value), []);
}
