import { type CommandDef, defineCommand } from "citty";
import type { Settings } from "../claude/settings.ts";
import { chooseProvider } from "../config/choose.ts";
import { loadConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { createLog } from "../io/log.ts";
import { leavesAnthropic } from "../providers/isolate.ts";
import type { World } from "../world.ts";

/** `ccc provider …`: the providers in ccc.json. */
export function providerCommand(world: World): CommandDef {
  const list = defineCommand({
    meta: { name: "list", description: "List the providers in ccc.json; * marks the current one" },
    args: { json: { type: "boolean", description: "As JSON" } },
    run: ({ args }) => {
      const found = rows(world);
      world.stdout(args.json ? `${JSON.stringify(found, null, 2)}\n` : table(found));
      const log = createLog(world);
      for (const { name } of found.filter(lacksKey)) {
        log.warn(`${name} has no key; Claude Code would send your Anthropic login there, so ccc will not launch it`);
      }
    },
  });
  return defineCommand({
    meta: { name: "provider", description: "The providers in ccc.json" },
    subCommands: { list },
  }) as CommandDef;
}

interface Row {
  readonly name: string;
  readonly current: boolean;
  readonly baseUrl: string;
  readonly model: string;
  readonly key: string;
}

function rows(world: World): Row[] {
  const loaded = loadConfig(world.files, cccPaths(world.env, world.platform), world.version);
  const current = chooseProvider(loaded, undefined);
  return [...loaded.providers].map(([name, settings]) => ({ name, current: name === current, ...describe(settings) }));
}

function lacksKey({ baseUrl, key }: Row): boolean {
  return key === "" && leavesAnthropic(baseUrl);
}

function describe({ env, apiKeyHelper }: Settings) {
  const value = (name: string) => String(env?.[name] ?? "");
  const key = value("ANTHROPIC_AUTH_TOKEN") || value("ANTHROPIC_API_KEY");
  return {
    baseUrl: value("ANTHROPIC_BASE_URL"),
    model: value("ANTHROPIC_MODEL"),
    key: key === "" ? (apiKeyHelper === undefined ? "" : "from apiKeyHelper") : maskKey(key),
  };
}

/** The last four characters tell keys apart; of a short key even they would be too much. */
function maskKey(key: string): string {
  if (key.startsWith("${")) return key;
  return key.length >= 16 ? `***${key.slice(-4)}` : "***";
}

function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    `${row.current ? "*" : " "} ${row.name}`,
    row.baseUrl || "(Anthropic)",
    row.model || "(default model)",
    row.key || "(no key: Claude login)",
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}\n`).join("");
}
