import { defineCommand } from "citty";
import { docsPage } from "../../build-info.ts";
import { nameProblem } from "../../config/check.ts";
import { cccPaths } from "../../config/paths.ts";
import { EXIT, usageError } from "../../errors.ts";
import { alreadyThere } from "../../providers/change.ts";
import { shownReference } from "../../providers/references.ts";
import { isReference, isSecretVariable } from "../../providers/variables.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import { createLog } from "../../terminal/log.ts";
import { maskSecret, redact, withoutUrlSecrets } from "../../text/redact.ts";
import { outputWidth, wrap } from "../../text/table.ts";
import type { World } from "../../world.ts";
import { usePlaces } from "../use/switch.ts";
import { runImport, TOOLS } from "./import.ts";
import { carryOut, findLeftovers, type Leftovers, type Migration, planMigration } from "./migration.ts";

const DESCRIPTION = `Turn the provider in your settings.json into one of ccc's, and remove what the Go ccc left behind. It shows
the plan and asks first; without a terminal it changes nothing unless you pass --yes. It keeps a copy of every file that it
changes.

With --from it imports the providers of another tool that Claude Code can talk to, with their keys. That
tool's files are not changed, and a second import adds no duplicates.

Examples
  ccc migrate
  ccc migrate --from cc-switch
  ccc migrate --from claude-code-router --yes

Exit codes
  0      done, or nothing to do
  1      failure
  2      usage error
  130    declined

More
  ${docsPage("providers.md#coming-from-elsewhere")}`;

export function migrateCommand(world: World) {
  return defineCommand({
    meta: {
      name: "migrate",
      description: DESCRIPTION,
    },
    args: {
      name: {
        type: "string",
        valueHint: "NAME",
        description: "name of the provider (default: derived from its server)",
      },
      from: { type: "enum", options: [...TOOLS], description: "import the providers of this tool" },
      file: {
        type: "string",
        valueHint: "PATH",
        description: "with --from: the tool's file, if it is not in its usual place",
      },
      store: {
        type: "enum",
        options: ["keychain", "file"],
        description:
          "with --from: where to store keys (default: the keychain, if the system has one, or else ccc.json)",
      },
      yes: { type: "boolean", default: false, description: "do not ask" },
    },
    run: ({ args: { from, file, store, name, yes } }) => {
      if (from !== undefined) {
        if (name !== undefined) throw usageError("--name cannot be combined with --from");
        return runImport({ tool: from, file, store, yes }, world);
      }
      if (file !== undefined || store !== undefined) {
        throw usageError(`--${file === undefined ? "store" : "file"} needs --from TOOL`);
      }
      return migrate(world, name, yes);
    },
  });
}

async function migrate(world: World, name: string | undefined, yes: boolean): Promise<number> {
  const found = findLeftovers(world);
  if (name !== undefined) checkName(name, found);
  const asks = !yes && canAsk(world);
  const first = planMigration(found, name);
  const { settings, backups } = usePlaces(world);
  const { config } = cccPaths(world);
  const width = outputWidth(world);
  for (const line of describeMigration(first, settings, config)) world.stdout(`${wrap(line, width)}\n`);
  if (first.isEmpty) {
    world.stdout("Nothing to migrate.\n");
    return EXIT.ok;
  }
  if (!yes && !asks) {
    world.stdout("Nothing was changed. To apply this: ccc migrate --yes\n");
    return EXIT.ok;
  }
  const plan = await named(first, found, name === undefined && asks, world);
  if (asks && !(await confirm("Apply this?", world))) {
    world.stdout("Nothing was changed.\n");
    return EXIT.interrupted;
  }
  carryOut(plan, world);
  createLog(world).info(`copies of the original files: ${backups}`);
  const start = plan.provider === undefined ? "" : ` To start it: ccc ${plan.provider.name}`;
  world.stdout(`Done.${start}\n`);
  return EXIT.ok;
}

/** The plan with the name that the user chooses. */
async function named(plan: Migration, found: Leftovers, asks: boolean, world: World): Promise<Migration> {
  if (!asks || plan.provider === undefined || plan.provider.isThere) return plan;
  const isTaken = (answer: string) => (Object.hasOwn(found.providers, answer) ? "that name is taken" : undefined);
  const name = await world.ask.text("Name of the provider (you will type: ccc NAME):", {
    preset: plan.provider.name,
    check: (answer) => nameProblem(answer) ?? isTaken(answer),
  });
  return planMigration(found, name);
}

function checkName(name: string, { providers }: Leftovers): void {
  const problem = nameProblem(name);
  if (problem !== undefined) throw usageError(`"${name}": ${problem}`);
  if (Object.hasOwn(providers, name)) throw alreadyThere(name, "Choose another name: ccc migrate --name NAME");
}

/** A plan as text, with keys masked. */
function describeMigration(plan: Migration, settings: string, config: string): string[] {
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
