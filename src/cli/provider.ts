import type { CommandDef } from "citty";
import { chooseProvider } from "../config/choose.ts";
import { type LoadedConfig, loadConfig } from "../config/load.ts";
import { cccPaths } from "../config/paths.ts";
import { CccError, messageOf } from "../io/errors.ts";
import { createLog } from "../io/log.ts";
import { MASK, withoutUrlSecrets } from "../io/redact.ts";
import { configuredSettings } from "../launch/settings.ts";
import { type Identity, requireCredential } from "../providers/isolate.ts";
import type { Env, World } from "../world.ts";

/** `ccc provider …`: the providers in ccc.json. */
export function providerCommand(world: World): CommandDef {
  const list: CommandDef = {
    meta: { name: "list", description: "List the providers in ccc.json; * marks the current one" },
    args: { json: { type: "boolean", description: "As JSON" } },
    run: ({ args }) => {
      const found = rows(world);
      world.stdout(args.json ? `${JSON.stringify(found, null, 2)}\n` : table(found));
      const log = createLog(world);
      for (const { problem } of found) if (problem !== "") log.warn(problem);
    },
  };
  return { meta: { name: "provider", description: "The providers in ccc.json" }, subCommands: { list } };
}

interface Row {
  readonly name: string;
  readonly current: boolean;
  readonly baseUrl: string;
  readonly model: string;
  /** Its last four characters at the most. */
  readonly key: string;
  /** Why it could not be launched. */
  readonly problem: string;
}

function rows(world: World): Row[] {
  const loaded = loadConfig(world.files, cccPaths(world.env, world.platform), world.version);
  const current = chooseProvider(loaded, undefined);
  return [...loaded.providers.keys()].map((name) => ({
    name,
    current: name === current,
    ...describe(loaded, name, world.env),
  }));
}

function describe(loaded: LoadedConfig, name: string, env: Env): Omit<Row, "name" | "current"> {
  try {
    const { identity } = configuredSettings(loaded.config, name, loaded.providers.get(name) ?? {}, env);
    return { ...summary(identity), problem: problemOf(identity, name) };
  } catch (error) {
    if (!(error instanceof CccError)) throw error;
    return { baseUrl: "", model: "", key: "", problem: error.message };
  }
}

function summary({ env, apiKeyHelper }: Identity) {
  const key = env.ANTHROPIC_AUTH_TOKEN || env.ANTHROPIC_API_KEY || env.CLAUDE_CODE_OAUTH_TOKEN || "";
  return {
    baseUrl: withoutUrlSecrets(env.ANTHROPIC_BASE_URL ?? ""),
    model: env.ANTHROPIC_MODEL ?? "",
    key: key === "" && apiKeyHelper !== "" ? "from apiKeyHelper" : maskKey(key),
  };
}

function problemOf(identity: Identity, name: string): string {
  try {
    requireCredential(identity, name);
    return "";
  } catch (error) {
    return messageOf(error);
  }
}

/** The last four characters tell keys apart; of a short key even they would be too much. */
function maskKey(key: string): string {
  if (key === "") return "";
  return key.length >= 16 ? `${MASK}${key.slice(-4)}` : MASK;
}

function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    `${row.current ? "*" : " "} ${row.name}`,
    row.baseUrl || "(Anthropic)",
    row.model || "(default model)",
    row.problem === "" ? row.key || "(no key: Claude login)" : "(cannot be launched)",
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  return cells.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}\n`).join("");
}
