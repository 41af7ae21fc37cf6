import { defineCommand } from "citty";
import { loadConfig } from "../../config/own.ts";
import { CccError, usageError } from "../../errors.ts";
import { currentLaunch } from "../../launch/current-launch.ts";
import { resolvedIdentity } from "../../providers/credentials.ts";
import { requireProvider } from "../../providers/require-provider.ts";
import { TOKENS } from "../../providers/variables.ts";
import type { World } from "../../world.ts";

/** `ccc key`: Claude Code's apiKeyHelper for keys that are references. */
export function keyCommand(world: World) {
  return defineCommand({
    meta: {
      name: "key",
      description:
        "Print a provider's key. Claude Code calls this if the key in ccc.json is a reference (env:, file:, cmd:, " +
        "keychain:). On a terminal it prints nothing; to check a key, use ccc validate.",
    },
    args: {
      provider: { type: "positional", required: true, description: "a provider in ccc.json" },
      "config-dir": {
        type: "string",
        valueHint: "FOLDER",
        description: "the folder of ccc.json, instead of $CCC_CONFIG_DIR",
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
      const placed = folder === undefined ? world : { ...world, env: { ...world.env, CCC_CONFIG_DIR: folder } };
      world.stdout(`${await keyOf(args.provider, placed)}\n`);
    },
  });
}

async function keyOf(provider: string, world: World): Promise<string> {
  const loaded = loadConfig(world);
  const { env } = await resolvedIdentity(currentLaunch(world, loaded, requireProvider(provider, loaded)), world);
  const key = TOKENS.map((name) => env[name]).find((value) => value);
  if (key === undefined) throw new CccError(`providers.${provider} has no key`);
  return key;
}
