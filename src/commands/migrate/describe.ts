import { isReference } from "../../providers/references.ts";
import { shownReference } from "../../providers/shown-reference.ts";
import { isSecretVariable } from "../../providers/variables.ts";
import { withoutUrlSecrets } from "../../text/look-alikes.ts";
import { redact } from "../../text/redact.ts";
import { maskSecret } from "../../text/secret.ts";
import type { Migration } from "./plan.ts";

/** A plan for a person to read, without any key in it. */
export function describeMigration(plan: Migration, settings: string, config: string): string[] {
  const { provider, hooks, commands, patch } = plan;
  const lines: string[] = [];
  if (provider !== undefined) {
    const { env, apiKeyHelper } = provider.settings;
    lines.push(
      provider.isThere
        ? `- ${settings} sets the same as the provider "${provider.name}" of ${config}. Take out of settings.json:`
        : `- ${settings} sets a provider. Make it the provider "${provider.name}" in ${config}, and take out of settings.json:`,
      ...Object.entries(env).map(([name, value]) => `    ${name} = ${shown(name, value)}`),
      ...(apiKeyHelper === undefined ? [] : ["    apiKeyHelper"]),
      `  Plain claude no longer uses it then: \`ccc ${provider.name}\` starts it, and \`ccc use ${provider.name}\` makes plain claude use it.`,
    );
  }
  if (plan.keyless !== undefined) {
    lines.push(
      `- ${settings} names the server ${withoutUrlSecrets(plan.keyless)} without a key. That stays: ccc starts no server without one.`,
      "  With a key of its own it can be a provider: ccc provider add",
    );
  }
  for (const { event, command } of hooks)
    lines.push(`- Take a hook of an earlier ccc out of ${settings} (${event}): ${command}`);
  for (const path of commands) lines.push(`- Remove a slash command of an earlier ccc: ${path}`);
  if (patch !== undefined) {
    lines.push(
      patch.obstacle === undefined
        ? `- ${patch.claude} is a script of an earlier ccc. Put the real claude back in its place: ${patch.real}`
        : `- ${patch.claude} runs ccc, and the real claude should be ${patch.real}, but ${patch.obstacle}. ` +
            `That is left to you: sudo mv ${patch.real} ${patch.claude}`,
    );
  }
  return lines;
}

function shown(name: string, value: string): string {
  if (isReference(value)) return shownReference(value);
  return isSecretVariable(name, value) ? maskSecret(value) : redact(withoutUrlSecrets(value), []);
}
