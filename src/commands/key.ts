import { defineCommand } from "citty";
import { TOOL_MARKER } from "../claude/sessions.ts";
import { loadConfig } from "../config/load.ts";
import { CccError, usageError } from "../errors.ts";
import { isServer } from "../providers/identity.ts";
import { resolvedIdentity } from "../providers/references.ts";
import { TOKENS } from "../providers/variables.ts";
import type { Env, World } from "../world.ts";
import { currentLaunch, requireProvider } from "./arguments.ts";

/** `ccc key`: Claude Code's apiKeyHelper. A key stored literally in ccc.json is answered earlier, see plainKey. */
export function keyCommand(world: World) {
  return defineCommand({
    meta: {
      name: "key",
      description:
        "Print a provider's key. Claude Code calls this when it needs one: the key is in no settings file and no " +
        "environment. On a terminal it prints nothing; to check a key, use ccc validate.",
    },
    args: {
      provider: { type: "positional", required: true, description: "a provider in ccc.json" },
      "config-dir": {
        type: "string",
        valueHint: "FOLDER",
        description: "the folder of ccc.json, instead of $CCC_CONFIG_DIR",
      },
      server: {
        type: "string",
        valueHint: "HASH",
        description: "the server that the session uses; no key if the provider has another one now",
      },
    },
    run: async ({ args }) => {
      if (world.isTerminal(1)) {
        throw usageError(
          "ccc key does not print keys on a terminal: Claude Code calls it",
          "To check the key: ccc validate",
        );
      }
      const folder = args["config-dir"];
      const there = folder === undefined ? world : { ...world, env: { ...world.env, CCC_CONFIG_DIR: folder } };
      world.stdout(`${await keyOf(args.provider, there, args.server)}\n`);
    },
  });
}

async function keyOf(provider: string, world: World, server: string | undefined): Promise<string> {
  const loaded = loadConfig(world);
  const launch = currentLaunch(world, loaded, requireProvider(provider, loaded, world));
  // Its server may be unknown.
  if (launch.problem !== undefined) throw launch.problem;
  if (server !== undefined && !isServer(launch.configured.env.ANTHROPIC_BASE_URL ?? "", server)) {
    throw new CccError(`provider "${provider}" has another server than when this session started, and so another key`, {
      advice: `Continue the session on the new server: ccc ${provider} --continue`,
    });
  }
  refuseOtherSessions(provider, launch.configured.env.ANTHROPIC_BASE_URL ?? "", world.env);
  const { env } = await resolvedIdentity(launch, world);
  const key = TOKENS.map((name) => env[name]).find((value) => value);
  if (key === undefined) throw new CccError(`providers.${provider} has no key`);
  return key;
}

/**
 * Refuses a tool of a session on another server. Claude Code sets a variable for what its tools run, but not for its key
 * helper. A tool can unset it, so this keeps keys from accidents and from the curious, not from an attacker.
 */
function refuseOtherSessions(provider: string, server: string, env: Env): void {
  if (!env[TOOL_MARKER] || (env.ANTHROPIC_BASE_URL ?? "") === server) return;
  throw new CccError(`ccc key does not give the key of "${provider}" to a tool of a session on another provider`, {
    advice: `Claude Code fetches the key by itself. To use the provider: ccc ${provider} -p "…"`,
  });
}
